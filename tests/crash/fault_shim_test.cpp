// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The shim itself: a fault that does not come, or takes what it must not take, would prove nothing
// about the ledger.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process.hpp"

namespace heddle::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kSeeds = 200;

class FaultShim : public testing::Test {
protected:
    /// Runs operations of disk_script in the folder D under the shim.
    ProcessResult script(const std::string& operations, Environment environment) {
        std::vector<std::string> command{HEDDLE_DISK_SCRIPT, "cd", disk()};
        std::istringstream words(operations);
        for (std::string word; words >> word;)
            command.push_back(word);
        environment.emplace_back("LD_PRELOAD", HEDDLE_FAULT_SHIM);
        environment.emplace_back("HEDDLE_FAULT_DIR", disk());
        environment.emplace_back("HEDDLE_FAULT_REPORT", folder_ / "report");
        return run_process(command, environment);
    }
    /// The same, losing power when all is done. What was there before is durable.
    ProcessResult script_losing_power(const std::string& operations, int seed) {
        return script(operations, {{"HEDDLE_FAULT_AT_EXIT", "power"},
                                   {"HEDDLE_FAULT_SEED", std::to_string(seed)}});
    }
    void clear() {
        std::filesystem::remove_all(disk());
        std::filesystem::create_directory(disk());
    }
    void SetUp() override { clear(); }

    [[nodiscard]] std::string disk() const { return folder_ / "disk"; }
    [[nodiscard]] std::string at(const std::string& name) const { return disk() + "/" + name; }
    [[nodiscard]] std::string read(const std::string& name) const { return read_file(at(name)); }
    [[nodiscard]] bool exists(const std::string& name) const {
        return std::filesystem::exists(at(name));
    }
    [[nodiscard]] std::string report() const { return read_file(folder_ / "report"); }

    TemporaryFolder folder_ = TemporaryFolder::in_memory();
};

TEST_F(FaultShim, counts_operations_by_class_of_file) {
    const auto result = script(
        "append 1.log 10 a append 1.log 10 b sync 1.log append MANIFEST-1 5 m append 2.dbtmp 1 c "
        "rename 2.dbtmp CURRENT syncdir . append 3.sst 9 s allocate 3.sst 100 truncate 3.sst 9 "
        "unlink 1.log mkdir sub append sub/LOG 1 x stream LOG text rmdir none",
        {});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, EndsWith("ok\nENOENT\n"));
    EXPECT_EQ(report(),
              "count wal append 2\ncount wal sync 1\ncount wal create 1\ncount wal unlink 1\n"
              "count manifest append 1\ncount manifest create 1\n"
              "count table append 1\ncount table allocate 1\ncount table truncate 1\n"
              "count table create 1\ncount current rename 1\n"
              "count temporary append 1\ncount temporary create 1\n"
              "count folder create 1\ncount folder unlink 1\ncount folder folder_sync 1\n"
              "count other append 1\ncount other create 2\n"
              "total 20\n");
}

TEST_F(FaultShim, is_inert_outside_its_folder) {
    const TemporaryFolder other = TemporaryFolder::in_memory();
    const auto result = script("append " + other / "1.log" + " 10 a sync " + other / "1.log",
                               {{"HEDDLE_FAULT_ACTION", "error"}, {"HEDDLE_FAULT_AT", "1"}});

    EXPECT_EQ(result.out, "ok\nok\nok\n");
    EXPECT_EQ(read_file(other / "1.log"), "aaaaaaaaaa");
    EXPECT_EQ(report(), "total 0\n");
}

TEST_F(FaultShim, refuses_a_setting_that_means_nothing) {
    const auto result = script("", {{"HEDDLE_FAULT_ACTION", "kil"}});

    EXPECT_EQ(result.exit_code, 125);
    EXPECT_THAT(result.error, HasSubstr("HEDDLE_FAULT_ACTION=kil"));
}

TEST_F(FaultShim, kills_before_amid_and_after_the_chosen_operation) {
    const std::vector<std::pair<std::string, std::size_t>> sizes{
        {"before", 10}, {"middle", 20}, {"after", 30}};
    for (const auto& [moment, size] : sizes) {
        clear();
        const auto result = script("append 1.log 10 a append 1.log 20 b append 1.log 5 c",
                                   {{"HEDDLE_FAULT_ACTION", "kill"},
                                    {"HEDDLE_FAULT_WHEN", moment},
                                    {"HEDDLE_FAULT_CLASS", "wal"},
                                    {"HEDDLE_FAULT_OPERATION", "append"},
                                    {"HEDDLE_FAULT_AT", "2"}});

        EXPECT_EQ(result.signal, SIGKILL) << moment;
        EXPECT_EQ(result.out, "ok\nok\n");
        EXPECT_EQ(read("1.log").size(), size) << moment;
        EXPECT_THAT(report(), HasSubstr("fault kill: wal append"));
    }
}

TEST_F(FaultShim, keeps_synced_bytes_and_cuts_unsynced_ones_anywhere) {
    std::set<std::size_t> sizes;
    int damaged = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
        clear();
        const auto result = script_losing_power(
            "append 1.log 1000 a sync 1.log syncdir . append 1.log 9000 b", seed);

        ASSERT_EQ(result.exit_code, 0) << result.ending();
        const std::string content = read("1.log");
        ASSERT_GE(content.size(), 1000U);
        ASSERT_LE(content.size(), 10'000U);
        EXPECT_EQ(content.substr(0, 1000), std::string(1000, 'a'));
        sizes.insert(content.size());
        damaged += content.find_first_not_of('b', 1000) != std::string::npos ? 1 : 0;
    }
    EXPECT_TRUE(sizes.contains(1000));
    EXPECT_TRUE(sizes.contains(10'000));
    EXPECT_GT(sizes.size(), 50U);
    EXPECT_GT(damaged, kSeeds / 10);
    EXPECT_LT(damaged, kSeeds * 9 / 10);
}

TEST_F(FaultShim, takes_back_overwritten_and_cut_ranges_in_reverse_order) {
    std::set<std::string> contents;
    for (int seed = 0; seed < kSeeds; ++seed) {
        clear();
        write_file(at("1.log"), "aaaaaaaa");
        const auto result = script_losing_power(
            "at 1.log 0 2 b at 1.log 1 2 c truncate 1.log 4 at 1.log 0 1 d", seed);

        ASSERT_EQ(result.exit_code, 0);
        contents.insert(read("1.log"));
    }
    EXPECT_THAT(contents, testing::ElementsAre("aaaaaaaa", "bbaaaaaa", "bcca", "bccaaaaa", "dcca"));
}

TEST_F(FaultShim, undoes_names_from_the_last_one_back) {
    std::set<std::string> listings;
    for (int seed = 0; seed < kSeeds; ++seed) {
        clear();
        write_file(at("CURRENT"), "old");
        write_file(at("gone"), "kept");
        const auto result = script_losing_power(
            "append new.dbtmp 3 n sync new.dbtmp rename new.dbtmp CURRENT unlink gone mkdir sub",
            seed);

        ASSERT_EQ(result.exit_code, 0);
        const std::string listing = read("CURRENT") + (exists("new.dbtmp") ? " tmp" : "") +
                                    (exists("gone") ? " " + read("gone") : "") +
                                    (exists("sub") ? " sub" : "");
        listings.insert(listing);
    }
    EXPECT_THAT(listings,
                testing::ElementsAre("nnn", "nnn kept", "nnn sub", "old kept", "old tmp kept"));
    EXPECT_FALSE(std::filesystem::exists(disk() + ".undo"));
}

TEST_F(FaultShim, keeps_names_once_a_folder_is_synced) {
    for (int seed = 0; seed < kSeeds; ++seed) {
        clear();
        write_file(at("CURRENT"), "old");
        write_file(at("gone"), "kept");
        const auto result = script_losing_power(
            "append new.dbtmp 3 n sync new.dbtmp rename new.dbtmp CURRENT unlink gone syncdir .",
            seed);

        ASSERT_EQ(result.exit_code, 0);
        EXPECT_EQ(read("CURRENT"), "nnn");
        EXPECT_FALSE(exists("gone"));
        EXPECT_FALSE(exists("new.dbtmp"));
    }
}

TEST_F(FaultShim, loses_power_amid_a_run) {
    const auto result =
        script("append 1.log 10 a sync 1.log syncdir . append 1.log 10 b sync 1.log",
               {{"HEDDLE_FAULT_ACTION", "power"},
                {"HEDDLE_FAULT_OPERATION", "sync"},
                {"HEDDLE_FAULT_AT", "2"},
                {"HEDDLE_FAULT_SEED", "4"}});

    EXPECT_EQ(result.signal, SIGKILL);
    EXPECT_THAT(read("1.log"), StartsWith("aaaaaaaaaa"));
    EXPECT_THAT(report(), HasSubstr("fault power: wal sync"));
    EXPECT_THAT(report(), HasSubstr("durable 10 of 20 bytes"));
}

TEST_F(FaultShim, a_killed_process_leaves_its_unsynced_bytes_to_the_next_power_loss) {
    std::set<std::size_t> sizes;
    for (int seed = 0; seed < kSeeds; ++seed) {
        clear();
        const std::string carry = folder_ / "carry";
        const auto first =
            script("append 1.log 10 a sync 1.log syncdir . append 1.log 10 b append 2.log 1 c",
                   {{"HEDDLE_FAULT_ACTION", "kill"},
                    {"HEDDLE_FAULT_AT", "7"},
                    {"HEDDLE_FAULT_CARRY", carry}});
        ASSERT_EQ(first.signal, SIGKILL);
        ASSERT_EQ(read("1.log").size(), 20U);
        const auto second = script("append other 1 x", {{"HEDDLE_FAULT_AT_EXIT", "power"},
                                                        {"HEDDLE_FAULT_SEED", std::to_string(seed)},
                                                        {"HEDDLE_FAULT_CARRY", carry}});

        ASSERT_EQ(second.exit_code, 0);
        sizes.insert(read("1.log").size());
    }
    EXPECT_EQ(*sizes.begin(), 10U);
    EXPECT_EQ(*sizes.rbegin(), 20U);
    EXPECT_GT(sizes.size(), 5U);
}

TEST_F(FaultShim, a_full_disk_fails_what_needs_room_from_the_chosen_operation_on) {
    const auto result = script(
        "append 1.log 10 a append 1.log 10 b append 1.log 10 c sync 1.log append 2.log 1 x "
        "allocate 1.log 100 rename 1.log 3.log unlink 3.log",
        {{"HEDDLE_FAULT_ACTION", "error"},
         {"HEDDLE_FAULT_ERROR", "ENOSPC"},
         {"HEDDLE_FAULT_CLASS", "wal"},
         {"HEDDLE_FAULT_OPERATION", "append"},
         {"HEDDLE_FAULT_AT", "2"}});

    EXPECT_EQ(result.out, "ok\nok\nENOSPC\nENOSPC\nok\nENOSPC\nENOSPC\nok\nok\n");
    EXPECT_THAT(report(), HasSubstr("fault error: wal append"));
}

TEST_F(FaultShim, a_write_may_be_short_before_the_disk_is_full) {
    const auto result = script("append 1.log 10 a append 1.log 10 b append 1.log 10 c",
                               {{"HEDDLE_FAULT_ACTION", "error"},
                                {"HEDDLE_FAULT_SPAN", "short"},
                                {"HEDDLE_FAULT_OPERATION", "append"},
                                {"HEDDLE_FAULT_AT", "2"}});

    EXPECT_EQ(result.out, "ok\nok\nENOSPC\nENOSPC\n");
    EXPECT_EQ(read("1.log"), "aaaaaaaaaabbbbb");
}

TEST_F(FaultShim, a_broken_disk_fails_everything_or_one_operation) {
    const std::string operations =
        "append 1.log 10 a sync 1.log append 1.log 10 c sync 1.log rename 1.log 2.log";
    Environment environment{{"HEDDLE_FAULT_ACTION", "error"},
                            {"HEDDLE_FAULT_ERROR", "EIO"},
                            {"HEDDLE_FAULT_OPERATION", "sync"},
                            {"HEDDLE_FAULT_AT", "1"}};

    EXPECT_EQ(script(operations, environment).out, "ok\nok\nEIO\nEIO\nEIO\nEIO\n");
    clear();
    environment.emplace_back("HEDDLE_FAULT_SPAN", "once");
    EXPECT_EQ(script(operations, environment).out, "ok\nok\nEIO\nok\nok\nok\n");
}

TEST_F(FaultShim, a_clock_jumps_both_ways_and_only_where_it_is_asked_to) {
    const auto shift_of = [](const Environment& environment) {
        const std::string date = run_process({"/bin/date", "+%s"}, environment).out;
        return std::stoll(date) - static_cast<long long>(std::time(nullptr));
    };
    long long least = 0;
    long long most = 0;
    for (int seed = 0; seed < 20; ++seed) {
        const long long shift = shift_of(
            {{"LD_PRELOAD", HEDDLE_FAULT_SHIM}, {"HEDDLE_FAULT_CLOCK", std::to_string(seed)}});
        least = std::min(least, shift);
        most = std::max(most, shift);
    }
    EXPECT_LT(least, -20);
    EXPECT_GT(most, 20);
    EXPECT_LE(std::abs(shift_of({{"LD_PRELOAD", HEDDLE_FAULT_SHIM}})), 10);
    EXPECT_EQ(run_process({"/bin/date"},
                          {{"LD_PRELOAD", HEDDLE_FAULT_SHIM}, {"HEDDLE_FAULT_CLOCK", "soon"}})
                  .exit_code,
              125);
}

}  // namespace
}  // namespace heddle::test
