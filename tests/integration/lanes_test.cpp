// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes as a user meets them: logs out of a chain file, merged and executed.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "running_node.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LaneLogs : public testing::Test {
protected:
    void SetUp() override {
        const auto made = run_program({"generate", "--seed", "5", "--blocks", "6", "--txs", "60",
                                       "--accounts", "20", "--workload", "transfers",
                                       "--contention", "0.5", "--out", folder("chain")});
        ASSERT_EQ(made.exit_code, 0) << made.error;
        const auto recorded =
            run_program({"replay", "--genesis", genesis(), folder("chain/chain.rlp"),
                         "--record-sets", folder("sets")});
        ASSERT_EQ(recorded.exit_code, 0) << recorded.error;
        const auto split = run_program({"lanes", "split", "--genesis", genesis(),
                                        folder("chain/chain.rlp"), "--sets", folder("sets"),
                                        "--lanes", "3", "--seed", "7", "--out", folder("logs")});
        ASSERT_EQ(split.exit_code, 0) << split.error;
        EXPECT_THAT(split.out, StartsWith("6 blocks, 360 transactions, "));
    }

    [[nodiscard]] std::string folder(const std::string& name) const {
        return (folder_.path() / name).native();
    }
    [[nodiscard]] std::string genesis() const { return folder("chain/genesis.json"); }
    [[nodiscard]] std::string log(int lane) const {
        return folder("logs/lane-" + std::to_string(lane) + ".log");
    }
    [[nodiscard]] ProgramResult merge(std::vector<std::string> options) const {
        options.insert(options.begin(), {"lanes", "merge", "--genesis", genesis()});
        return run_program(options);
    }
    /// From the line that names the head on.
    static std::string head_of(const ProgramResult& result) {
        const auto place = result.out.find("\nhead: ");
        return place == std::string::npos ? result.out + result.error : result.out.substr(place);
    }
    /// A copy of a log with its bytes changed.
    template <typename Change>
    [[nodiscard]] std::string damaged(int lane, Change change) const {
        std::string bytes = read_text(log(lane));
        change(bytes);
        return folder_.write("damaged.log", bytes);
    }

    TemporaryFolder folder_;
};

TEST_F(LaneLogs, every_scheduler_makes_the_same_chain_of_them_as_the_serial_one) {
    const auto serial = merge({"--scheduler", "serial", log(0), log(1), log(2)});
    ASSERT_EQ(serial.exit_code, 0) << serial.error;
    EXPECT_THAT(serial.out, HasSubstr(", 360 transactions, "));
    EXPECT_THAT(serial.out, HasSubstr("rejected 0, refused 0, of a wrong home 0, not executable 0, "
                                      "entries ignored 0\n"));
    EXPECT_THAT(serial.out, testing::ContainsRegex(
                                "\nexecuted in [0-9.]+ s; waited for the order in [0-9.]+ s, "
                                "[0-9.]+ % of that; beside it ordered in [0-9.]+ s, "
                                "[0-9.]+ %, entries checked in [0-9.]+"));
    for (const char* const scheduler :
         {"dag", "early", "late", "optimistic", "aria", "values", "auto"}) {
        const auto result =
            merge({"--scheduler", scheduler, "--workers", "3", log(2), log(0), log(1)});
        EXPECT_EQ(result.exit_code, 0) << scheduler << ": " << result.error;
        EXPECT_EQ(head_of(result), head_of(serial)) << scheduler;
    }
}

TEST_F(LaneLogs, are_replayed_as_they_are_merged) {
    const auto replayed =
        run_program({"replay", "--lanes", "--genesis", genesis(), "--datadir", folder("data"),
                     "--scheduler", "dag", "--workers", "2", log(2), log(1), log(0)});
    ASSERT_EQ(replayed.exit_code, 0) << replayed.error;
    EXPECT_EQ(head_of(replayed), head_of(merge({log(0), log(1), log(2)})));
    EXPECT_EQ(run_program({"verify", "--datadir", folder("data")}).exit_code, 0);

    const auto replay_with = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"replay", "--lanes", "--genesis", genesis()});
        return run_program(options);
    };
    EXPECT_THAT(replay_with({"--datadir", folder("data"), log(0), log(1), log(2)}).error,
                HasSubstr("--datadir " + folder("data") + ": is there already"));
    EXPECT_THAT(replay_with({"--to", "2", log(0), log(1), log(2)}).error,
                HasSubstr("--lanes does not go with --to"));
    const auto nothing = replay_with({});
    EXPECT_EQ(nothing.exit_code, 2);
    EXPECT_THAT(nothing.error, HasSubstr("replay --lanes: name the log of each lane"));
}

/// Before, the signal ended it at once, and each time a data directory stayed in the folder.
TEST_F(LaneLogs, leave_nothing_behind_when_merging_is_told_to_stop) {
    const std::filesystem::path place = folder("tmp");
    for (const int signal : {SIGTERM, SIGHUP}) {
        std::filesystem::create_directory(place);
        RunningProgram merging{{"lanes", "merge", "--genesis", genesis(), log(0), log(1), log(2)},
                               {{"TMPDIR", place.native()}}};
        while (std::filesystem::is_empty(place) && merging.is_running())
            std::this_thread::sleep_for(std::chrono::milliseconds{1});

        EXPECT_EQ(merging.end(signal), 0) << merging.error();
        EXPECT_THAT(merging.out(), HasSubstr("\nhead: block "));
        EXPECT_TRUE(std::filesystem::is_empty(place));
    }
}

TEST_F(LaneLogs, are_merged_in_the_memory_that_is_given) {
    const auto little = merge({"--memory", "64", log(0), log(1), log(2)});
    EXPECT_EQ(little.exit_code, 0) << little.error;
    EXPECT_EQ(head_of(little), head_of(merge({log(0), log(1), log(2)})));
    const auto less = merge({"--memory", "63", log(0), log(1), log(2)});
    EXPECT_EQ(less.exit_code, 2);
    EXPECT_THAT(less.error, HasSubstr("--memory"));
}

TEST_F(LaneLogs, lanes_that_disagree_make_components) {
    EXPECT_EQ(merge({log(0), log(1), log(2)}).out.find("\n0 components"), std::string::npos);
}

TEST_F(LaneLogs, the_chain_can_be_kept_and_verified) {
    const auto merged = merge({"--work", folder("work"), log(0), log(1), log(2)});
    ASSERT_EQ(merged.exit_code, 0) << merged.error;
    const auto verified = run_program({"verify", "--datadir", folder("work")});
    EXPECT_EQ(verified.exit_code, 0) << verified.error;
    EXPECT_EQ(merge({"--work", folder("work"), log(0), log(1), log(2)}).exit_code, 2);
}

TEST_F(LaneLogs, a_log_that_ends_early_ends_the_chain_before_what_misses_it) {
    const std::string cut = damaged(1, [](std::string& bytes) {
        // Whole records: the head has 16 bytes, a record begins with its size.
        std::size_t end = 16;
        for (int i = 0; i < 3; ++i)
            end += 8 + static_cast<unsigned char>(bytes[end]) +
                   256u * static_cast<unsigned char>(bytes[end + 1]) +
                   65536u * static_cast<unsigned char>(bytes[end + 2]);
        bytes.resize(end);
    });

    const auto result = merge({log(0), cut, log(2)});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr("3 merged blocks"));
    EXPECT_THAT(result.out,
                HasSubstr("damaged.log ends at height 3, and the next cut goes beyond\n"));
}

TEST_F(LaneLogs, one_that_is_cut_or_changed_is_named_with_the_place) {
    const std::string cut = damaged(1, [](std::string& bytes) { bytes.resize(bytes.size() - 3); });
    const auto truncated = merge({log(0), cut, log(2)});
    EXPECT_EQ(truncated.exit_code, 2);
    EXPECT_THAT(truncated.error, HasSubstr("damaged.log"));
    EXPECT_THAT(truncated.error, HasSubstr("ends inside an item"));

    const std::string changed =
        damaged(2, [](std::string& bytes) { bytes[bytes.size() / 2] ^= 4; });
    const auto flipped = merge({log(0), log(1), changed});
    EXPECT_EQ(flipped.exit_code, 2);
    EXPECT_THAT(flipped.error, HasSubstr("damaged.log"));
    EXPECT_THAT(flipped.error, HasSubstr("checksum"));
}

TEST_F(LaneLogs, they_are_asked_for_one_of_each_lane) {
    EXPECT_THAT(merge({log(0), log(1)}).error, HasSubstr("is of a chain of 3 lanes"));
    EXPECT_THAT(merge({log(0), log(1), log(1)}).error, HasSubstr("is of lane 1, and so is"));
    EXPECT_THAT(merge({log(0), log(1), genesis()}).error, HasSubstr("not the log of a lane"));
    EXPECT_EQ(merge({}).exit_code, 2);
    const std::string other = damaged(2, [](std::string& bytes) { bytes[14] = 1; });
    EXPECT_THAT(merge({log(0), log(1), other}).error, HasSubstr("says that lane 1 leads"));
}

TEST_F(LaneLogs, without_object_sets_a_chain_cannot_be_split) {
    const auto result = run_program({"lanes", "split", "--genesis", genesis(),
                                     folder("chain/chain.rlp"), "--out", folder("more")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr("--record-sets"));
    EXPECT_FALSE(std::filesystem::exists(folder("more")));
}

/// Before, it could not be tried again: the folder was there already.
TEST_F(LaneLogs, of_a_chain_that_cannot_be_split_to_its_end_nothing_stays) {
    std::string bytes = read_text(folder("chain/chain.rlp"));
    bytes.resize(bytes.size() - 1);
    const std::string cut = folder_.write("cut.rlp", bytes);
    const auto result = run_program({"lanes", "split", "--genesis", genesis(), cut, "--sets",
                                     folder("sets"), "--out", folder("more/of/them")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr("ends inside an item"));
    EXPECT_FALSE(std::filesystem::exists(folder("more")));
}

}  // namespace
}  // namespace heddle::test
