// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// RocksDB alone under the shim: its files are recognised, and what it promises holds. A failure
// here is one of the shim or of RocksDB's settings, not of the ledger.

#include <csignal>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

class RocksUnderFaults : public testing::Test {
protected:
    ProcessResult write(int count, int sync_every, Environment environment) {
        environment.emplace_back("LD_PRELOAD", HEDDLE_FAULT_SHIM);
        environment.emplace_back("HEDDLE_FAULT_DIR", disk());
        environment.emplace_back("HEDDLE_FAULT_REPORT", folder_ / "report");
        return run_process({HEDDLE_ROCKS_WRITER, "write", disk(), std::to_string(count),
                            std::to_string(sync_every)},
                           environment);
    }
    /// write() into an empty folder with a fault at operation `at`. How many operations there are
    /// depends on when RocksDB's threads come to compact: in a run with fewer it is the last one.
    ProcessResult fail_at(long at, int count, int sync_every, const Environment& environment) {
        for (;;) {
            clear();
            Environment with_place = environment;
            with_place.emplace_back("HEDDLE_FAULT_AT", std::to_string(at));
            ProcessResult result = write(count, sync_every, with_place);
            const bool is_whole = result.signal == 0 && result.exit_code == 0;
            if (!is_whole || total() >= at) return result;
            at = total();
        }
    }
    /// The number of records that a plain reopening finds; -1 and a failure otherwise.
    long held() {
        const auto result = run_process({HEDDLE_ROCKS_WRITER, "check", disk()});
        EXPECT_EQ(result.exit_code, 0) << result.ending() << result.out << report();
        return result.exit_code == 0 ? number_after(result.out, "holds ") : -1;
    }
    /// The number behind the last `word` in `text`; 0 without one.
    static long number_after(const std::string& text, const std::string& word) {
        const auto place = text.rfind(word);
        return place == std::string::npos ? 0 : std::stol(text.substr(place + word.size()));
    }
    void clear() {
        std::filesystem::remove_all(disk());
        std::filesystem::remove_all(disk() + ".undo");
    }
    [[nodiscard]] std::string disk() const { return folder_ / "disk"; }
    [[nodiscard]] std::string report() const { return read_file(folder_ / "report"); }
    [[nodiscard]] long total() const { return number_after(report(), "total "); }

    TemporaryFolder folder_ = TemporaryFolder::in_memory();
};

TEST_F(RocksUnderFaults, shows_all_its_writes_to_the_shim) {
    const auto result = write(6000, 10, {});

    ASSERT_EQ(result.exit_code, 0) << result.ending();
    for (const char* line :
         {"wal append", "wal sync", "wal create", "manifest append", "manifest sync",
          "table append", "table sync", "table create", "table unlink", "temporary create",
          "current rename", "folder create", "folder folder_sync", "lock create"})
        EXPECT_THAT(report(), HasSubstr(std::string("count ") + line + " "));
}

TEST_F(RocksUnderFaults, holds_what_it_acknowledged_after_a_kill) {
    ASSERT_EQ(write(1000, 10, {}).exit_code, 0);
    const long operations = total();
    for (long i = 0; i < 12; ++i) {
        const auto result = fail_at(1 + i * operations / 12, 1000, 10,
                                    {{"HEDDLE_FAULT_ACTION", "kill"},
                                     {"HEDDLE_FAULT_WHEN", i % 2 == 0 ? "middle" : "after"}});
        ASSERT_EQ(result.signal, SIGKILL) << result.ending();
        EXPECT_GE(held(), std::max(number_after(result.out, "written "),
                                   number_after(result.out, "durable ")));
    }
}

TEST_F(RocksUnderFaults, holds_what_was_durable_after_a_power_loss) {
    ASSERT_EQ(write(1000, 10, {}).exit_code, 0);
    const long operations = total();
    long lost = 0;
    for (long i = 0; i < 24; ++i) {
        const auto result = fail_at(1 + i * operations / 24, 1000, 10,
                                    {{"HEDDLE_FAULT_ACTION", "power"},
                                     {"HEDDLE_FAULT_WHEN", i % 2 == 0 ? "middle" : "after"},
                                     {"HEDDLE_FAULT_SEED", std::to_string(i)}});
        ASSERT_EQ(result.signal, SIGKILL) << result.ending();
        const long holds = held();
        EXPECT_GE(holds, number_after(result.out, "durable ")) << report();
        lost += number_after(result.out, "written ") > holds ? 1 : 0;
    }
    // A shim that loses nothing would pass, too.
    EXPECT_GT(lost, 2);
}

/// Trigger: nothing is synced, a new log has begun. Sequence: the power fails, the older log is
/// lost whole, the newer one is not. Symptom without an environment that orders logs: records are
/// missing in the middle (about one case in a hundred).
TEST_F(RocksUnderFaults, loses_only_a_tail_when_nothing_was_synced) {
    ASSERT_EQ(write(3000, 100'000, {}).exit_code, 0);
    const long operations = total();
    for (long i = 0; i < 60; ++i) {
        const auto result =
            fail_at(1 + i * operations / 60, 3000, 100'000,
                    {{"HEDDLE_FAULT_ACTION", "power"}, {"HEDDLE_FAULT_SEED", std::to_string(i)}});
        ASSERT_EQ(result.signal, SIGKILL) << result.ending();
        EXPECT_GE(held(), 0) << report();
    }
}

TEST_F(RocksUnderFaults, holds_what_was_durable_after_a_kill_and_then_a_power_loss) {
    ASSERT_EQ(write(1000, 10, {}).exit_code, 0);
    const long operations = total();
    const std::string carry = folder_ / "carry";
    for (long i = 0; i < 12; ++i) {
        clear();
        std::filesystem::remove(carry);
        const auto first = write(1000, 10,
                                 {{"HEDDLE_FAULT_ACTION", "kill"},
                                  {"HEDDLE_FAULT_CARRY", carry},
                                  {"HEDDLE_FAULT_AT", std::to_string(operations / 2)}});
        ASSERT_EQ(first.signal, SIGKILL) << first.ending();
        const auto second = write(1000, 10,
                                  {{"HEDDLE_FAULT_ACTION", "power"},
                                   {"HEDDLE_FAULT_CARRY", carry},
                                   {"HEDDLE_FAULT_SEED", std::to_string(i)},
                                   {"HEDDLE_FAULT_AT", std::to_string(1 + i * operations / 24)}});
        ASSERT_EQ(second.signal, SIGKILL) << second.ending();
        EXPECT_GE(held(), std::max(number_after(first.out, "durable "),
                                   number_after(second.out, "durable ")));
    }
}

TEST_F(RocksUnderFaults, stops_on_a_full_disk_and_holds_what_it_acknowledged) {
    for (const char* position : {"30", "300", "900"}) {
        clear();
        const auto result =
            write(1000, 10, {{"HEDDLE_FAULT_ACTION", "error"}, {"HEDDLE_FAULT_AT", position}});
        EXPECT_EQ(result.exit_code, 3) << result.ending();
        EXPECT_THAT(result.error, HasSubstr("No space left"));
        EXPECT_GE(held(), number_after(result.out, "durable "));
    }
}

}  // namespace
}  // namespace heddle::test
