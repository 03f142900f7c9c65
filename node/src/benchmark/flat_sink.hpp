// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The ledger of benchmarks: flat state in memory and no tries, so that what is measured is
// execution. Roots of states are taken from the headers.
#pragma once

#include <expected>
#include <utility>
#include <vector>

#include <executor/executor.hpp>
#include <ledger/memory_state.hpp>
#include <types/block_sink.hpp>
#include <types/genesis.hpp>

namespace heddle::node::benchmark {

/// Applies each block to the state and keeps what a later run may be told of it.
class FlatSink final : public BlockSink {
public:
    explicit FlatSink(ledger::MemoryState& state) : state_(state) {}

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        state_.apply(block.diff);
        object_sets_.push_back(std::move(block.object_sets));
        access_lists_.push_back(std::move(block.access_list));
        return block.block.header.state_root;
    }
    [[nodiscard]] Hash state_root_with(const StateDiff&) override { return {}; }

    [[nodiscard]] std::vector<std::vector<ObjectSet>> take_object_sets() noexcept {
        return std::move(object_sets_);
    }
    [[nodiscard]] std::vector<Bytes> take_access_lists() noexcept {
        return std::move(access_lists_);
    }

private:
    ledger::MemoryState& state_;
    std::vector<std::vector<ObjectSet>> object_sets_;
    std::vector<Bytes> access_lists_;
};

[[nodiscard]] inline ledger::MemoryState make_state(const Genesis& genesis) {
    ledger::MemoryState state;
    for (const GenesisAccount& account : genesis.alloc)
        state.add(account);
    return state;
}

}  // namespace heddle::node::benchmark
