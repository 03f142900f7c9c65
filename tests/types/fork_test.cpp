// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/fork.hpp>

#include <string_view>

#include <gtest/gtest.h>

namespace heddle {
namespace {

bool builds_on(std::string_view fork, std::string_view ancestor) {
    return heddle::builds_on(*find_fork(fork), *find_fork(ancestor));
}

std::size_t row(std::string_view name) {
    return static_cast<std::size_t>(find_fork(name) - kForks.data());
}

TEST(Forks, each_begins_its_revision_where_its_member_says) {
    for (const Fork& fork : kForks) {
        if (!fork.revision || fork.member == nullptr) continue;
        const bool by_time = fork.activation == ForkActivation::timestamp;
        ChainConfig config;
        config.*fork.member = 1'000;

        EXPECT_EQ(config.revision(by_time ? 0 : 1'000, by_time ? 1'000 : 0, by_time),
                  *fork.revision)
            << fork.name;
        EXPECT_LT(config.revision(by_time ? 0 : 999, by_time ? 999 : 0, by_time), *fork.revision)
            << fork.name;
    }
}

TEST(Forks, of_those_that_are_active_the_latest_counts) {
    ChainConfig config;
    for (const Fork& fork : kForks)
        if (fork.member != nullptr) config.*fork.member = 0;

    EXPECT_EQ(config.revision(0, 0, false), Revision::london);
    EXPECT_EQ(config.revision(0, 0, true), kLatestRevision);
}

TEST(Forks, a_revision_is_called_as_its_fork) {
    EXPECT_EQ(fork_of(Revision::tangerine_whistle).name, "Tangerine Whistle");
    EXPECT_EQ(to_string(Revision::tangerine_whistle), "Tangerine Whistle");
    EXPECT_EQ(to_string(kLatestRevision), fork_of(kLatestRevision).name);
    EXPECT_EQ(find_fork("tangerine whistle"), nullptr);
}

TEST(Forks, some_are_branches) {
    EXPECT_TRUE(builds_on("BPO5", "Osaka"));
    EXPECT_FALSE(builds_on("BPO5", "Amsterdam"));
    EXPECT_TRUE(builds_on("London", "Muir Glacier"));
    EXPECT_TRUE(builds_on("DAO", "Homestead"));
    EXPECT_TRUE(builds_on("DAO", "DAO"));
    EXPECT_FALSE(builds_on("Osaka", "BPO1"));
    EXPECT_FALSE(builds_on("Byzantium", "DAO"));
    EXPECT_FALSE(builds_on("Paris", "merge netsplit"));
}

TEST(Forks, have_keys_where_they_begin_by_time) {
    EXPECT_EQ(find_fork("Cancun")->key(), "cancun");
    EXPECT_EQ(find_fork("BPO1")->key(), "bpo1");
    EXPECT_EQ(find_fork("London")->key(), "");
    EXPECT_EQ(find_fork("Spurious Dragon")->field(), "eip158Block");
}

TEST(BlobSchedule, takes_the_parameters_of_each_fork) {
    ChainConfig config;
    config.cancun_time = 10;
    config.prague_time = 20;
    config.osaka_time = 30;
    BlobForkTimes times = blob_fork_times(config);
    times[row("BPO1")] = 40;

    const std::vector<BlobParameters> expected = {{10, 3, 6, 3'338'477},     // EIP-4844
                                                  {20, 6, 9, 5'007'716},     // EIP-7691
                                                  {30, 6, 9, 5'007'716},     // as before
                                                  {40, 10, 15, 8'346'193}};  // EIP-7892
    EXPECT_EQ(make_blob_schedule(times), expected);
}

TEST(BlobSchedule, a_chain_may_have_its_own_parameters) {
    BlobForkTimes times;
    times[row("Cancun")] = 10;
    times[row("Osaka")] = 30;
    BlobOverrides overrides;
    overrides[row("Cancun")] = BlobParameters{99, 1, 2, 3};

    const std::vector<BlobParameters> kept = {{10, 1, 2, 3}, {30, 1, 2, 3}};
    EXPECT_EQ(make_blob_schedule(times, overrides), kept);
    overrides[row("Osaka")] = BlobParameters{99, 4, 5, 6};
    const std::vector<BlobParameters> own = {{10, 1, 2, 3}, {30, 4, 5, 6}};
    EXPECT_EQ(make_blob_schedule(times, overrides), own);
}

TEST(BlobSchedule, a_fork_keeps_what_is_in_force_when_it_begins) {
    BlobForkTimes times;
    times[row("Osaka")] = 30;
    EXPECT_TRUE(make_blob_schedule(times).empty());

    times[row("Cancun")] = 40;
    ASSERT_EQ(make_blob_schedule(times).size(), 1u);
    EXPECT_EQ(make_blob_schedule(times)[0].activation_time, 40u);
}

/// A chain with these times, the first of which is 10.
ChainConfig blobs_from_ten(const BlobForkTimes& times) {
    ChainConfig config;
    config.cancun_time = 10;
    config.blob_schedule = make_blob_schedule(times);
    return config;
}

// Trigger - BPO3, of a row behind Amsterdam, begins before it, as geth demands.
// Symptom - Amsterdam went back to the parameters of the rows before its own.
TEST(BlobSchedule, a_fork_keeps_what_is_in_force_of_whichever_row) {
    BlobForkTimes times;
    times[row("Cancun")] = 10;
    times[row("BPO2")] = 20;
    times[row("BPO3")] = 30;
    times[row("Amsterdam")] = 40;
    const ChainConfig config = blobs_from_ten(times);

    ASSERT_EQ(config.blob_schedule.size(), 4u);
    EXPECT_EQ(config.blob_parameters(39)->max, 32u);
    EXPECT_EQ(config.blob_parameters(40)->max, 32u);
}

TEST(BlobSchedule, is_sorted_and_of_forks_at_once_the_last_row_counts) {
    BlobForkTimes times;
    times[row("Cancun")] = 10;
    times[row("BPO3")] = 20;
    times[row("BPO2")] = 30;
    times[row("BPO1")] = 30;
    const ChainConfig config = blobs_from_ten(times);

    ASSERT_EQ(config.blob_schedule.size(), 4u);
    EXPECT_EQ(config.blob_schedule[1].max, 32u);
    EXPECT_EQ(config.blob_parameters(30)->max, 21u);
}

}  // namespace
}  // namespace heddle
