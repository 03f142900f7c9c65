// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The power fails at any operation on the disk, or right after the process ended: blocks that were
// called durable are there, and what is there is right. What a disk may lose is stated in
// fault_shim/disk_model.hpp.

#include <algorithm>
#include <array>
#include <csignal>

#include <gtest/gtest.h>

#include "recovery.hpp"

namespace heddle::test {
namespace {

constexpr std::array<const char*, 3> kMoments = {"before", "middle", "after"};

Fault power_loss(const OperationCounts& counts, Dice& dice) {
    Fault fault{{"HEDDLE_FAULT_SEED", std::to_string(dice.next())}};
    if (dice.one_in(8)) {
        fault.emplace_back("HEDDLE_FAULT_AT_EXIT", "power");
        return fault;
    }
    fault.emplace_back("HEDDLE_FAULT_ACTION", "power");
    fault.emplace_back("HEDDLE_FAULT_WHEN", dice.pick(kMoments));
    choose_position(counts, dice, fault);
    return fault;
}

TEST(PowerLoss, loses_nothing_that_was_durable) {
    for_each_seed("HEDDLE_CRASH_POWER_LOSSES", 25, [](std::uint64_t seed) {
        Dice dice(seed);
        const Scenario scenario = Scenario::choose(dice);
        FaultedLedger ledger = scenario.prepare();
        std::uint64_t promised = 0;
        OperationCounts counts = scenario.counts();
        const std::uint64_t losses = 1 + dice.below(3);
        for (std::uint64_t i = 0; i < losses; ++i) {
            const Fault fault = power_loss(counts, dice);
            const LedgerRun run = ledger.replay(scenario.options, &fault);
            promised = std::max(promised, run.durable);
            if (run.process.exit_code == 0) break;
            EXPECT_EQ(run.process.signal, SIGKILL) << run.process.ending();
            counts = {.pairs = {}, .total = counts.total / 2 + 1};
        }
        check_recovery(ledger, promised);
        return ledger.history();
    });
}

/// Trigger: a process is killed, the next one recovers from what lies in the page cache and calls
/// blocks durable, the power fails. Symptom of a ledger that does not force what it recovered to
/// the disk before it promises more: those blocks are gone.
TEST(PowerLoss, after_a_kill_loses_nothing_that_was_durable) {
    for_each_seed("HEDDLE_CRASH_POWER_LOSSES_AFTER_KILLS", 10, [](std::uint64_t seed) {
        Dice dice(seed);
        const Scenario scenario = Scenario::choose(dice);
        FaultedLedger ledger = scenario.prepare();
        const TemporaryFolder scratch = TemporaryFolder::in_memory();
        const std::string carry = scratch / "carry";
        std::uint64_t promised = 0;
        OperationCounts counts = scenario.counts();
        Fault kill{{"HEDDLE_FAULT_ACTION", "kill"}, {"HEDDLE_FAULT_CARRY", carry}};
        choose_position(counts, dice, kill);
        promised = std::max(promised, ledger.replay(scenario.options, &kill).durable);
        Fault loss = power_loss({.pairs = {}, .total = counts.total / 2 + 1}, dice);
        loss.emplace_back("HEDDLE_FAULT_CARRY", carry);
        promised = std::max(promised, ledger.replay(scenario.options, &loss).durable);
        check_recovery(ledger, promised);
        return ledger.history();
    });
}

}  // namespace
}  // namespace heddle::test
