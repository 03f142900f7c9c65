// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// A disk that fails to read, or reads something else, while a command works: the command says so
// and stops with exit code 3, or needed none of it. Nothing wrong is ever told or written.

#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recovery.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

constexpr std::array<const char*, 4> kFailures = {"EIO", "end", "flip", "zeros"};
constexpr std::array<std::uint64_t, 4> kCounts = {1, 1, 3, std::uint64_t{1} << 40};
/// Nearly as many as a command on one of the small chains does.
constexpr std::uint64_t kReads = 300;

/// A ledger two thirds up its chain; copied for each case.
const FaultedLedger& partial_ledger(const TestChain& chain) {
    static std::map<std::string, FaultedLedger> made;
    const auto [place, is_new] = made.try_emplace(chain.name, chain);
    if (is_new) {
        EXPECT_EQ(
            place->second.replay({"--to", std::to_string(chain.blocks * 2 / 3)}).process.exit_code,
            0);
        EXPECT_EQ(place->second.run({"db", "compact"}).process.exit_code, 0);
    }
    return place->second;
}

/// What a command has told, and written beside the directory.
struct Result {
    std::string head;
    std::string file;
    friend bool operator==(const Result&, const Result&) = default;
};

Result result_of(const FaultedLedger& ledger, const LedgerRun& run) {
    const std::string file = ledger.disk() + "/out";
    return {.head = run.head, .file = fs::exists(file) ? read_file(file) : std::string{}};
}

LedgerRun run(FaultedLedger& ledger, const std::vector<std::string>& command, const Fault* fault) {
    return command.empty() ? ledger.replay({}, fault) : ledger.run(command, fault);
}

TEST(FailedReads, never_become_a_wrong_result) {
    std::map<std::string, int> outcomes;
    for_each_seed("HEDDLE_CRASH_FAILED_READS", 12, [&](std::uint64_t seed) {
        Dice dice(seed);
        const TestChain& chain = choose_chain(dice);
        const FaultedLedger& original = partial_ledger(chain);
        const std::array<std::vector<std::string>, 6> commands{{{},
                                                                {"replay"},
                                                                {"verify", "--deep"},
                                                                {"db", "rollback", "--to", "1"},
                                                                {"db", "compact"},
                                                                {"export", "@out"}}};
        const std::vector<std::string>& command = dice.pick(commands);
        FaultedLedger undisturbed(chain);
        undisturbed.copy_disk(original);
        const Result expected = result_of(undisturbed, run(undisturbed, command, nullptr));
        FaultedLedger ledger(chain);
        ledger.copy_disk(original);
        const Fault fault{{"HEDDLE_FAULT_READ", dice.pick(kFailures)},
                          {"HEDDLE_FAULT_READ_AT", std::to_string(1 + dice.below(kReads))},
                          {"HEDDLE_FAULT_READ_COUNT", std::to_string(dice.pick(kCounts))},
                          {"HEDDLE_FAULT_SEED", std::to_string(dice.next())}};

        const LedgerRun faulted = run(ledger, command, &fault);

        EXPECT_EQ(faulted.process.signal, 0) << faulted.process.ending();
        if (faulted.process.exit_code == 0) {
            EXPECT_EQ(result_of(ledger, faulted), expected);
        } else {
            // Verification goes on behind what it finds wrong.
            const bool is_verified =
                faulted.process.exit_code == 1 && !command.empty() && command.front() == "verify";
            EXPECT_TRUE(is_verified || faulted.process.exit_code == 3) << faulted.process.ending();
            EXPECT_THAT(faulted.process.error,
                        AnyOf(HasSubstr("the disk failed"), HasSubstr("the ledger is damaged"),
                              HasSubstr(is_verified ? " problem" : "the disk failed")));
            EXPECT_EQ(result_of(ledger, faulted).file, "");
        }
        // The disk is as good as before.
        check_recovery(ledger, 0);
        ++outcomes[faulted.process.exit_code == 0 ? "not needed" : "told"];
        return ledger.history();
    });
    for (const auto& [outcome, count] : outcomes)
        std::cout << outcome << ": " << count << "\n";
}

}  // namespace
}  // namespace heddle::test
