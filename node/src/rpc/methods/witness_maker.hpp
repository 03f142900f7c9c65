// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes the execution witness of a stored block: executes it again, notes what it reads, and takes
// the trie nodes of the state before it that prove what was read and give the root of what it
// writes. Nothing is told that has not led to the root in the block's header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <ledger/partial_state.hpp>
#include <types/bytes.hpp>
#include <types/state_diff.hpp>

#include "chain/block_tries.hpp"
#include "chain/chain.hpp"
#include "rpc/envelope/method.hpp"
#include "tracing/recorded_reads.hpp"

namespace heddle::node::rpc {

struct ExecutionWitness {
    std::set<Bytes> state;       // RLP of trie nodes of the state before the block
    std::set<Bytes> codes;       // that accounts had in it
    std::set<Bytes> keys;        // addresses and slots
    std::vector<Bytes> headers;  // RLP, ascending; the parent's last
};

/// The commit of a block waits for the tries of kKeysAtOnce keys at most, and of blocks near the
/// head only, as it does for the largest eth_getProof (BlockTries).
class WitnessMaker {
public:
    static constexpr std::size_t kKeysAtOnce = 1'024;

    /// @param call  Its deadline and the size of its answer bound the work and the memory.
    ///              Outlives it, as `chain`.
    WitnessMaker(Chain& chain, SharedBlock block, const Call& call);

    /// Errors: RpcError where the state before the block, or its tries, are not kept, where the
    /// header's root does not follow from that state, too large; Failure timed_out.
    [[nodiscard]] ExecutionWitness make();

private:
    [[nodiscard]] StateDiff execute();
    void add_ways(const StateDiff& diff);
    void add_codes(const StateDiff& diff);
    void add_headers();
    void add_nodes(std::span<const ledger::TrieKey> keys);
    /// The ways to these keys.
    [[nodiscard]] std::set<Bytes> nodes_to(std::span<const ledger::TrieKey> keys);
    /// Of these nodes, those that are wanted.
    void add_wanted(const std::set<Bytes>& nodes, std::span<const ledger::MissingNode> wanted);
    /// Adds the nodes that the root after `diff` needs beside the ways to what it changes: of
    /// branches that are left with a single child. @return the root.
    Hash close(const StateDiff& diff);
    /// Before Byzantium receipts have the root after each transaction (EIP-658 ended that).
    void close_each();
    void count(std::size_t bytes);

    Chain& chain_;
    const SharedBlock block_;
    const Call& call_;
    const std::uint64_t parent_;
    BlockTries tries_;  // of the parent
    const Hash parent_root_;
    Reads reads_;
    ExecutionWitness witness_;
    ledger::PartialState known_;
    std::size_t bytes_ = 0;
};

}  // namespace heddle::node::rpc
