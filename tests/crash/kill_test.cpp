// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// kill -9 before, amid and after any operation on the disk, also while the ledger recovers from the
// kill before. Between two operations the disk does not change, so that this is every moment.

#include <algorithm>
#include <array>
#include <csignal>

#include <gtest/gtest.h>

#include "recovery.hpp"

namespace heddle::test {
namespace {

constexpr std::array<const char*, 3> kMoments = {"before", "middle", "after"};
/// Recovery and the first blocks after it.
constexpr std::uint64_t kReopeningOperations = 120;

TEST(Kill, loses_nothing_that_was_acknowledged) {
    for_each_seed("HEDDLE_CRASH_KILLS", 50, [](std::uint64_t seed) {
        Dice dice(seed);
        const Scenario scenario = Scenario::choose(dice);
        FaultedLedger ledger = scenario.prepare();
        std::uint64_t promised = 0;
        OperationCounts counts = scenario.counts();
        const std::uint64_t kills = 1 + dice.below(3);
        for (std::uint64_t i = 0; i < kills; ++i) {
            Fault fault{{"HEDDLE_FAULT_ACTION", "kill"},
                        {"HEDDLE_FAULT_WHEN", dice.pick(kMoments)}};
            choose_position(counts, dice, fault);
            const LedgerRun run = ledger.replay(scenario.options, &fault);
            promised = std::max(promised, run.durable);
            if (run.process.exit_code == 0) break;
            EXPECT_EQ(run.process.signal, SIGKILL) << run.process.ending();
            counts = {.pairs = {}, .total = std::min(counts.total, kReopeningOperations)};
        }
        check_recovery(ledger, promised);
        return ledger.history();
    });
}

}  // namespace
}  // namespace heddle::test
