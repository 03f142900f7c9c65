// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Accepting finished blocks. One of the two interfaces by which executor and ledger know each
// other.
#pragma once

#include <cstdint>
#include <expected>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>
#include <types/receipt.hpp>
#include <types/state_diff.hpp>

namespace heddle {

/// A block executed and checked in everything but its state root.
struct FinishedBlock {
    Block block;
    std::vector<Receipt> receipts;
    StateDiff diff;
    /// What its transactions took of the block's gas, by dimension (EIP-8037): the header says the
    /// greater of the two from Amsterdam on. Before, all of it is for execution.
    std::uint64_t execution_gas_used = 0;
    std::uint64_t state_gas_used = 0;
    /// What each transaction accessed, where the executor was asked to record it; else empty.
    std::vector<ObjectSet> object_sets;
    /// RLP of its access list (EIP-7928). Before Amsterdam, where headers claim none, it is there
    /// if the executor was asked to make it; empty: there is none.
    Bytes access_list;
    /// Whether `block.header.state_root` is a claim to be checked, or to be ignored (a header that
    /// is being made; a block whose pre-state is partial).
    bool check_state_root = true;
};

/// Thread safety: one caller at a time, in block order.
class BlockSink {
public:
    virtual ~BlockSink() = default;

    /// Applies the diff, computes the state root, compares it with the header where asked to, and
    /// makes the block the head. On error nothing has changed.
    /// @return the state root after the block, or BlockErrorCode::state_root_mismatch.
    [[nodiscard]] virtual std::expected<Hash, BlockError> commit(FinishedBlock block) = 0;

    /// What the child of `parent` is going to change if what is said of it is true, told while it
    /// is still being executed, so that what its commit() needs can be computed meanwhile. Nothing
    /// of it shows, nothing has to come of it, and what is committed next may change something else
    /// in its place. Called as commit() is; by default nothing is done.
    virtual void foresee(const Hash& /*parent*/, const StateDiff& /*diff*/) {}

    /// State root of the head with `diff` on top; nothing is kept. Receipts before Byzantium carry
    /// the root after each transaction (YP 4.3.1 before EIP-658): `diff` is then what the block has
    /// changed so far.
    [[nodiscard]] virtual Hash state_root_with(const StateDiff& diff) = 0;
};

}  // namespace heddle
