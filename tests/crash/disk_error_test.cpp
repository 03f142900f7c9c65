// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// A full disk and a broken disk, at any operation: the program says so in one sentence and stops
// with exit code 3, and nothing acknowledged is lost, not even when the power fails afterwards.

#include <algorithm>
#include <array>
#include <filesystem>
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
using testing::IsEmpty;
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

/// What is on the disk beside the data directory, which opening changes.
std::vector<std::string> names_beside_data(const FaultedLedger& ledger) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(ledger.disk()))
        if (!entry.path().native().starts_with(ledger.directory()))
            names.push_back(entry.path().native().substr(ledger.disk().size()));
    return names;
}

/// With a full disk at each of its operations in turn, as many as `most`, a command leaves nothing
/// of what it would have made, and made again once there is room it succeeds.
void expect_nothing_left(const FaultedLedger& original, const std::vector<std::string>& command,
                         int most) {
    int failures = 0;
    for (int at = 1; at <= most; ++at) {
        FaultedLedger ledger(original.chain());
        ledger.copy_disk(original);
        const Fault fault{{"HEDDLE_FAULT_ACTION", "error"},
                          {"HEDDLE_FAULT_ERROR", "ENOSPC"},
                          {"HEDDLE_FAULT_SPAN", "on"},
                          {"HEDDLE_FAULT_CLASS", at % 2 == 0 ? "other" : "folder"},
                          {"HEDDLE_FAULT_AT", std::to_string((at + 1) / 2)}};
        const LedgerRun run = ledger.run_alone(command, &fault);
        if (run.process.exit_code == 0) continue;
        ++failures;
        EXPECT_THAT(names_beside_data(ledger), IsEmpty()) << ledger.history();
        const LedgerRun again = ledger.run_alone(command);
        EXPECT_EQ(again.process.exit_code, 0) << ledger.history();
    }
    EXPECT_NE(failures, 0);
}

/// Folders stayed empty; a data directory that a snapshot was being made from, and the first files
/// of an export, were in the way of the same command.
TEST(DiskError, leaves_nothing_of_what_was_being_made) {
    Dice dice(base_seed());
    FaultedLedger original(choose_chain(dice));
    ASSERT_EQ(original.replay().process.exit_code, 0) << original.history();
    const std::vector<std::string> small{"--blocks", "2", "--txs", "3", "--accounts", "10"};
    std::vector<std::string> chain{"generate", "--out", "@new/chain"};
    chain.insert(chain.end(), small.begin(), small.end());
    expect_nothing_left(original, chain, 8);
    std::vector<std::string> state{"generate", "--snapshot", "--out", "@state"};
    state.insert(state.end(), small.begin(), small.end());
    expect_nothing_left(original, state, 14);
    expect_nothing_left(original,
                        {"init", "--genesis", original.chain().genesis, "--datadir", "@new"}, 6);
    expect_nothing_left(original, {"export", "--datadir", "@data", "--format", "ere", "@new/files"},
                        16);
    expect_nothing_left(original, {"export", "--datadir", "@data", "@new.rlp"}, 6);
    expect_nothing_left(original,
                        {"snapshot", "create", "--datadir", "@data", "--out", "@snapshot"}, 8);
}

}  // namespace
}  // namespace heddle::test
