// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the transactions of blocks cost on one thread, and the DAG that they make: what everything
// that is modelled stands on.
#pragma once

#include <cstdint>
#include <vector>

#include <executor/block_graph.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <vm/block_execution.hpp>
#include <vm/evm.hpp>

#include "benchmark/subject.hpp"

namespace heddle::node::benchmark {

/// Nanoseconds by transaction, then run.
using TransactionTimes = std::vector<std::vector<double>>;

/// Runs blocks one transaction after the other, with a clock around each validation and execution.
/// Its code stays decoded from run to run.
/// Thread safety: none.
class TransactionClock {
public:
    /// @param natives  That the blocks need; see Subject::natives.
    explicit TransactionClock(NativeContracts natives);

    /// @param series  That the block is one of.
    /// @param state   Before the block.
    /// @param times   Gets one more time of each transaction; null: only to warm up.
    /// @return what the block changes. Errors: InputError for a wrong block.
    StateDiff run(const Series& series, const KnownBlock& block, const StateView& state,
                  TransactionTimes* times);

private:
    vm::Evm evm_;
    vm::BlockExecution execution_;
    vm::Outcome outcome_;
};

/// The block's DAG by exact object sets; a transaction costs its median time in nanoseconds.
/// @param times  At least one of each transaction.
[[nodiscard]] executor::BlockGraph make_graph(const KnownBlock& block,
                                              const TransactionTimes& times);

}  // namespace heddle::node::benchmark
