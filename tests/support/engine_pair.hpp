// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Both interpreters over the same transaction: the plain one is the oracle of the fast one. What
// must be equal is everything an observer of the chain can see, and every read of the state.
#pragma once

#include <string>

#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include "recorded_state.hpp"

namespace heddle::vm::test {

struct EngineRun {
    Outcome outcome;
    std::vector<StateRead> reads;
};

inline void run_on(Evm& evm, const RecordedState& state, const BlockEnv& env,
                   const ValidTransaction& tx, EngineRun& run) {
    state.reads.clear();
    transition(state, NumberedBlockHashes{}, env, tx, evm, run.outcome);
    run.reads = state.reads;
}

/// What differs between two executions of one transaction; empty when nothing does.
[[nodiscard]] inline std::string difference(const EngineRun& fast, const EngineRun& plain) {
    const Outcome &a = fast.outcome, &b = plain.outcome;
    if (!is_same_ending(a.status, b.status))
        return "status: fast " + std::string(to_string(a.status)) + ", plain " +
               std::string(to_string(b.status));
    if (a.receipt.gas_used != b.receipt.gas_used)
        return "gas: fast " + std::to_string(a.receipt.gas_used) + ", plain " +
               std::to_string(b.receipt.gas_used);
    if (a.executed_gas != b.executed_gas)
        return "executed gas: fast " + std::to_string(a.executed_gas) + ", plain " +
               std::to_string(b.executed_gas);
    if (a.block_gas != b.block_gas) return "gas of the block";
    if (a.peak_gas != b.peak_gas) return "peak gas";
    if (a.output != b.output)
        return "output: fast " + to_hex(a.output) + ", plain " + to_hex(b.output);
    if (a.receipt.logs != b.receipt.logs) return "logs";
    if (a.receipt != b.receipt) return "receipt";
    if (a.diff != b.diff) return "diff";
    if (a.deferred_fee != b.deferred_fee) return "deferred fee";
    if (a.accesses != b.accesses) return "accesses";
    if (fast.reads != plain.reads)
        return "reads: fast " + std::to_string(fast.reads.size()) + ", plain " +
               std::to_string(plain.reads.size());
    return {};
}

}  // namespace heddle::vm::test
