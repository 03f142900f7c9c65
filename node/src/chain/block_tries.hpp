// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The tries after one committed block, for somebody's question: proofs, nodes, state roots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <ledger/durable_ledger.hpp>

namespace heddle::node {

class Chain;

/// Where few values have changed since the block, asks the tries that blocks are committed with,
/// which are moved there and back: the next commit waits for that, some milliseconds. Else, or once
/// many values have been asked for, makes tries for the question, once for all that is asked from
/// then on, and no commit waits.
/// Thread safety: none; several at a time do not disturb each other. After an error there is
/// nothing more to ask. Errors of all: ledger::LedgerErrorCode::unavailable where the state after
/// the block is not kept or not here as a whole (forks), where `go_on` denied, and where too much
/// has changed since for the memory that there is for it (ledger::PastTries).
class BlockTries {
public:
    /// @param chain  Outlives it.
    BlockTries(Chain& chain, std::uint64_t number, ledger::GoOn go_on)
        : chain_(chain), number_(number), go_on_(std::move(go_on)) {}

    /// Against the block's state root; of the source's blocks where the chain forks one.
    [[nodiscard]] std::expected<ledger::AccountProof, ledger::LedgerError> prove(
        const Address& address, const std::vector<Uint256>& slots);
    /// As DurableLedger::trie_nodes().
    [[nodiscard]] std::expected<std::set<Bytes>, ledger::LedgerError> nodes(
        std::span<const ledger::TrieKey> keys);
    /// The state root with `diff`, made on the state as it is read after the block, on top.
    [[nodiscard]] std::expected<Hash, ledger::LedgerError> root_with(const StateDiff& diff);

private:
    /// @param values  That the question itself moves or loads.
    /// @param near    What is asked of the ledger, if the block is near.
    template <typename Near, typename Past>
    auto ask(std::size_t values, Near near, Past past);

    Chain& chain_;
    const std::uint64_t number_;
    const ledger::GoOn go_on_;
    std::size_t asked_ = 0;                     // values of all questions so far
    std::unique_ptr<ledger::PastTries> tries_;  // null: not needed so far
};

}  // namespace heddle::node
