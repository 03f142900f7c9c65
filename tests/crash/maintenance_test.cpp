// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// Faults amid work on a ledger that nobody has open: taking blocks back, pruning, compaction,
// writing and restoring snapshots. Whatever is interrupted leaves a right ledger, and the same
// command again finishes it.

#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "recovery.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kMoments = {"before", "middle", "after"};

/// A ledger at the end of its chain; copied for each case.
const FaultedLedger& finished_ledger(const TestChain& chain) {
    static std::map<std::string, FaultedLedger> made;
    const auto [place, is_new] = made.try_emplace(chain.name, chain);
    if (is_new) {
        const LedgerRun run = place->second.replay();
        EXPECT_EQ(run.head, chain.head) << run.process.ending();
    }
    return place->second;
}

Fault any_fault(const OperationCounts& counts, Dice& dice) {
    Fault fault{{"HEDDLE_FAULT_ACTION", dice.one_in(2) ? "kill" : "power"},
                {"HEDDLE_FAULT_WHEN", dice.pick(kMoments)},
                {"HEDDLE_FAULT_SEED", std::to_string(dice.next())}};
    choose_position(counts, dice, fault);
    return fault;
}

/// The operations of the command on a directory of its own.
OperationCounts counts_of(const FaultedLedger& original, const std::vector<std::string>& command) {
    FaultedLedger ledger(original.chain());
    ledger.copy_disk(original);
    const Fault count_only;
    const LedgerRun run = ledger.run(command, &count_only);
    EXPECT_EQ(run.process.exit_code, 0) << ledger.history();
    return OperationCounts::parse(run.report);
}

/// Runs the command into up to three faults, then to its end.
void interrupt(FaultedLedger& ledger, const OperationCounts& counts,
               const std::vector<std::string>& command, Dice& dice,
               const std::function<void()>& check_between) {
    for (std::uint64_t i = 1 + dice.below(3); i > 0; --i) {
        const Fault fault = any_fault(counts, dice);
        const LedgerRun run = ledger.run(command, &fault);
        EXPECT_TRUE(run.process.signal == SIGKILL || run.process.exit_code == 0)
            << run.process.ending();
        check_between();
    }
    const LedgerRun end = ledger.run(command);
    EXPECT_EQ(end.process.exit_code, 0) << end.process.ending();
}

TEST(Maintenance, taking_back_and_pruning_and_compacting_may_be_interrupted) {
    for_each_seed("HEDDLE_CRASH_MAINTENANCE", 15, [](std::uint64_t seed) {
        Dice dice(seed);
        const TestChain& chain = choose_chain(dice);
        const FaultedLedger& original = finished_ledger(chain);
        FaultedLedger ledger(chain);
        ledger.copy_disk(original);
        const std::uint64_t target = 1 + dice.below(chain.blocks);
        const std::array<std::vector<std::string>, 3> commands{{
            {"db", "rollback", "--to", std::to_string(target)},
            {"db", "prune", "--before", std::to_string(target)},
            {"db", "compact"},
        }};
        const std::vector<std::string>& command = dice.pick(commands);
        const std::uint64_t lowest = command == commands[0] ? target : chain.blocks;
        interrupt(ledger, counts_of(original, command), command, dice, [&] {
            const LedgerRun between = ledger.verify();
            EXPECT_EQ(between.process.exit_code, 0) << between.process.ending();
            EXPECT_GE(between.number, lowest);
        });
        EXPECT_EQ(ledger.verify().number, lowest);
        check_recovery(ledger, lowest);
        return ledger.history();
    });
}

/// Its files are written beside the database and taken over by it.
TEST(Maintenance, a_genesis_file_may_be_interrupted_while_loaded) {
    for_each_seed("HEDDLE_CRASH_GENESIS", 10, [](std::uint64_t seed) {
        Dice dice(seed);
        const TestChain& chain = choose_chain(dice);
        const Fault count_only;
        FaultedLedger counted(chain);
        const OperationCounts counts = OperationCounts::parse(counted.init(&count_only).report);
        FaultedLedger ledger(chain);
        bool is_made = false;
        for (std::uint64_t i = 1 + dice.below(3); i > 0 && !is_made; --i) {
            const Fault fault = any_fault(counts, dice);
            const LedgerRun run = ledger.init(&fault);
            is_made = run.process.exit_code == 0 || ledger.verify().process.exit_code == 0;
            EXPECT_TRUE(is_made || run.process.signal == SIGKILL) << run.process.ending();
        }
        if (!is_made) {
            const LedgerRun end = ledger.init();
            EXPECT_EQ(end.process.exit_code, 0) << end.process.ending();
        }
        const LedgerRun made = ledger.verify();
        EXPECT_EQ(made.process.exit_code, 0) << made.process.ending();
        EXPECT_EQ(made.number, 0U);
        check_recovery(ledger, 0);
        return ledger.history();
    });
}

TEST(Maintenance, a_snapshot_may_be_interrupted_while_written_and_restored) {
    for_each_seed("HEDDLE_CRASH_SNAPSHOTS", 8, [](std::uint64_t seed) {
        Dice dice(seed);
        const TestChain& chain = choose_chain(dice);
        const FaultedLedger& original = finished_ledger(chain);
        FaultedLedger source(chain);
        source.copy_disk(original);
        const std::string snapshot = source.disk() + "/snapshot";
        const std::vector<std::string> write{"snapshot", "create", "--out", "@snapshot"};
        for (std::uint64_t i = dice.below(3); i > 0; --i) {
            const Fault fault = any_fault(counts_of(original, write), dice);
            const LedgerRun run = source.run(write, &fault);
            EXPECT_TRUE(run.process.signal == SIGKILL || run.process.exit_code == 0)
                << run.process.ending();
            if (fs::exists(snapshot)) break;
        }
        if (!fs::exists(snapshot)) {
            const LedgerRun written = source.run(write);
            EXPECT_EQ(written.process.exit_code, 0) << written.process.ending();
        }
        check_recovery(source, chain.blocks);

        FaultedLedger restored(chain);
        const std::vector<std::string> restore{"snapshot", "restore", snapshot};
        const Fault count_only;
        FaultedLedger counted(chain);
        const OperationCounts counts =
            OperationCounts::parse(counted.run(restore, &count_only).report);
        for (std::uint64_t i = dice.below(3); i > 0; --i) {
            const Fault fault = any_fault(counts, dice);
            const LedgerRun run = restored.run(restore, &fault);
            const bool was_finished =
                run.process.error.find("there is a ledger already") != std::string::npos;
            if (run.process.exit_code == 0 || was_finished) break;
            EXPECT_EQ(run.process.signal, SIGKILL) << run.process.ending();
        }
        if (restored.verify().process.exit_code != 0) {
            const LedgerRun end = restored.run(restore);
            EXPECT_EQ(end.process.exit_code, 0) << end.process.ending();
        }
        EXPECT_EQ(restored.verify().number, chain.blocks);
        EXPECT_EQ(restored.replay().head, chain.head);
        return source.history() + restored.history();
    });
}

/// Nothing was said of one whose ledger could not be closed afterwards, and the same command again
/// was refused because it exists.
TEST(Maintenance, a_snapshot_that_is_there_is_told_of) {
    Dice dice(base_seed());
    const FaultedLedger& original = finished_ledger(choose_chain(dice));
    // Tables are written when the ledger is closed, and by a thread that merges small ones.
    for (int at = 1; at <= 8; ++at) {
        FaultedLedger source(original.chain());
        source.copy_disk(original);
        const Fault fault{
            {"HEDDLE_FAULT_ACTION", "error"},   {"HEDDLE_FAULT_ERROR", "EIO"},
            {"HEDDLE_FAULT_SPAN", "once"},      {"HEDDLE_FAULT_CLASS", "table"},
            {"HEDDLE_FAULT_OPERATION", "sync"}, {"HEDDLE_FAULT_AT", std::to_string(at)}};

        const LedgerRun run = source.run({"snapshot", "create", "--out", "@snapshot"}, &fault);

        EXPECT_TRUE(run.process.exit_code == 0 || run.process.exit_code == 3) << source.history();
        EXPECT_EQ(run.process.out.starts_with("snapshot 0x"),
                  fs::exists(source.disk() + "/snapshot"))
            << source.history();
    }
}

}  // namespace
}  // namespace heddle::test
