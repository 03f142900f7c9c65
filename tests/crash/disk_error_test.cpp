// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// A full disk and a broken disk, at any operation: the program says so in one sentence and stops
// with exit code 3, and nothing acknowledged is lost, not even when the power fails afterwards.

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recovery.hpp"

namespace heddle::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::array<const char*, 3> kErrors = {"ENOSPC", "EIO", "EDQUOT"};
constexpr std::array<const char*, 3> kSpans = {"once", "on", "short"};

/// A quota that is used up is a full disk: before, the disk was said to have failed.
void expect_clean_stop(const LedgerRun& run, std::string_view error) {
    EXPECT_EQ(run.process.signal, 0);
    EXPECT_EQ(run.process.exit_code, 3);
    // Beside lines of progress, which come on a slow machine, and reasons of the scheduler `auto`.
    std::vector<std::string> messages;
    std::istringstream lines(run.process.error);
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("block ")) messages.push_back(line);
    EXPECT_THAT(messages, ElementsAre(StartsWith("heddle: ")));
    EXPECT_THAT(run.process.error,
                HasSubstr(error == "EIO" ? "the disk failed" : "the disk is full"));
}

TEST(DiskError, stops_cleanly_and_loses_nothing_acknowledged) {
    for_each_seed("HEDDLE_CRASH_DISK_ERRORS", 20, [](std::uint64_t seed) {
        Dice dice(seed);
        const Scenario scenario = Scenario::choose(dice);
        FaultedLedger ledger = scenario.prepare();
        std::uint64_t promised = 0;
        const std::string error = dice.pick(kErrors);
        Fault fault{{"HEDDLE_FAULT_ACTION", "error"},
                    {"HEDDLE_FAULT_ERROR", error},
                    {"HEDDLE_FAULT_SPAN", dice.pick(kSpans)},
                    {"HEDDLE_FAULT_SEED", std::to_string(dice.next())}};
        if (dice.one_in(2)) fault.emplace_back("HEDDLE_FAULT_AT_EXIT", "power");
        choose_position(scenario.counts(), dice, fault);
        const LedgerRun run = ledger.replay(scenario.options, &fault);
        promised = std::max(promised, run.durable);
        // Some operations are only attempts, such as reserving room or removing an old file.
        if (run.process.exit_code == 0) {
            EXPECT_EQ(run.head, scenario.chain->head);
        } else {
            expect_clean_stop(run, error);
        }
        check_recovery(ledger, promised);
        return ledger.history();
    });
}

}  // namespace
}  // namespace heddle::test
