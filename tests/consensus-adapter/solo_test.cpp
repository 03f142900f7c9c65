// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The embedded engine against an application that only counts.
#include <consensus_adapter/solo.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake_application.hpp"

namespace heddle::consensus_adapter::test {
namespace {

using namespace std::chrono_literals;

TEST(Solo, seals_what_arrives_on_demand_and_nothing_else) {
    FakeApplication application;
    Solo solo{application, options(kOnArrival)};
    solo.transactions_arrived();  // a false alarm makes no block

    application.add(3);
    solo.transactions_arrived();
    application.wait_until_empty();
    solo.stop();

    EXPECT_EQ(application.sizes(), std::vector<std::size_t>{3});
}

TEST(Solo, loses_no_arrival_whenever_it_comes) {
    FakeApplication application;
    Solo solo{application, options(kOnArrival)};
    constexpr int kThreads = 4;
    constexpr int kEach = 500;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i)
            threads.emplace_back([&] {
                for (int j = 0; j < kEach; ++j) {
                    application.add(1);
                    solo.transactions_arrived();
                }
            });
    }

    application.wait_until_empty();  // hangs where one was lost

    std::size_t total = 0;
    for (const std::size_t size : application.sizes())
        total += size;
    EXPECT_EQ(total, std::size_t{kThreads} * kEach);
}

TEST(Solo, goes_on_until_everything_is_in_a_block) {
    FakeApplication application;
    application.set_room(4);
    application.add(10);
    Solo solo{application, options(kOnArrival)};

    solo.transactions_arrived();  // once
    application.wait_until_empty();
    solo.stop();

    EXPECT_EQ(application.sizes(), (std::vector<std::size_t>{4, 4, 2}));
}

TEST(Solo, tries_again_on_demand_after_a_block_that_could_not_be_made) {
    FakeApplication application;
    application.add(5);
    application.fail_next(BlockErrorCode::invalid_transaction);
    Solo solo{application, options(kOnArrival)};

    solo.transactions_arrived();  // once
    application.wait_until_empty();
    solo.stop();

    EXPECT_EQ(application.sizes(), std::vector<std::size_t>{5});
}

TEST(Solo, seals_empty_blocks_at_intervals) {
    FakeApplication application;
    Solo solo{application, options({.interval = 1ms})};

    application.wait_for_blocks(3);
    solo.stop();

    EXPECT_GE(application.sizes().size(), 3u);
}

TEST(Solo, seals_on_command_also_without_transactions_and_waits_for_it) {
    FakeApplication application;
    Solo solo{application, options(kOnCommand)};
    application.add(2);
    solo.transactions_arrived();

    const auto sealed = solo.seal();

    ASSERT_TRUE(sealed.has_value());
    EXPECT_EQ(sealed->number, 1u);
    EXPECT_EQ(application.sizes(), std::vector<std::size_t>{2});
    ASSERT_TRUE(solo.seal().has_value());
    EXPECT_EQ(application.sizes(), (std::vector<std::size_t>{2, 0}));
}

TEST(Solo, gives_each_block_a_later_time_than_its_parent) {
    FakeApplication application;
    application.set_head(2'000, 30'000'000);  // ahead of the clock
    Solo solo{application, options(kOnCommand, 1'000)};

    ASSERT_TRUE(solo.seal().has_value());
    ASSERT_TRUE(solo.seal(5'000).has_value());
    ASSERT_TRUE(solo.seal(4'000).has_value());

    const auto headers = application.headers();
    EXPECT_EQ(headers.at(0).timestamp, 2'001u);
    EXPECT_EQ(headers.at(1).timestamp, 5'000u);
    EXPECT_EQ(headers.at(2).timestamp, 5'001u);
}

TEST(Solo, does_not_run_ahead_of_the_clock_where_timestamps_may_repeat) {
    FakeApplication application;
    application.allow_equal_timestamps();
    std::atomic<std::uint64_t> now = 1'000;
    SoloOptions wanted = options(kOnCommand);
    wanted.clock = [&now] { return now.load(); };
    Solo solo{application, std::move(wanted)};

    for (int i = 0; i < 50; ++i)
        ASSERT_TRUE(solo.seal().has_value());
    EXPECT_EQ(application.headers().back().timestamp, 1'000u);
    now = 999;  // the machine's clock was set back
    ASSERT_TRUE(solo.seal().has_value());
    EXPECT_EQ(application.headers().back().timestamp, 1'000u);
    now = 1'001;
    ASSERT_TRUE(solo.seal().has_value());
    EXPECT_EQ(application.headers().back().timestamp, 1'001u);
}

TEST(Solo, stays_ahead_of_the_clock_as_it_was_told) {
    FakeApplication application;
    application.allow_equal_timestamps();
    std::atomic<std::uint64_t> now = 1'000;
    SoloOptions wanted = options(kOnCommand);
    wanted.clock = [&now] { return now.load(); };
    Solo solo{application, std::move(wanted)};

    ASSERT_TRUE(solo.seal(5'000).has_value());
    now = 1'007;
    ASSERT_TRUE(solo.seal().has_value());

    EXPECT_EQ(application.headers().at(0).timestamp, 5'000u);
    EXPECT_EQ(application.headers().at(1).timestamp, 5'007u);
}

TEST(Solo, moves_the_gas_limit_no_faster_than_the_rules_allow) {
    FakeApplication application;
    application.set_head(100, 30'000'000);
    SoloOptions wanted = options(kOnCommand);
    wanted.gas_limit = 60'000'000;
    Solo solo{application, std::move(wanted)};

    ASSERT_TRUE(solo.seal().has_value());

    EXPECT_EQ(application.headers().at(0).gas_limit, 30'000'000u + 30'000'000u / 1024 - 1);
}

TEST(Solo, moves_the_gas_limit_to_no_value_that_a_header_may_not_have) {
    constexpr std::uint64_t kMost = INT64_MAX;  // EIP-1985
    const auto sealed = [](std::uint64_t parent, std::uint64_t wish) {
        FakeApplication application;
        application.set_head(1, parent);
        SoloOptions wanted = options(kOnCommand);
        wanted.gas_limit = wish;
        Solo solo{application, std::move(wanted)};
        EXPECT_TRUE(solo.seal().has_value());
        return application.headers().at(0).gas_limit;
    };

    EXPECT_EQ(sealed(5'001, 1), 5'000u);
    EXPECT_EQ(sealed(kMost - 1, ~std::uint64_t{0}), kMost);
}

TEST(Solo, randomness_follows_from_the_parent_alone) {
    FakeApplication first;
    FakeApplication second;
    for (FakeApplication* application : {&first, &second}) {
        Solo solo{*application, options(kOnCommand)};
        ASSERT_TRUE(solo.seal().has_value());
        ASSERT_TRUE(solo.seal().has_value());
    }

    // The Keccak-256 of the parent's hash (zero) and of the number 1.
    Bytes input(40, 0);
    input.back() = 1;
    EXPECT_EQ(first.headers().at(0).prev_randao, keccak256(input));
    EXPECT_EQ(first.headers().at(1).prev_randao, second.headers().at(1).prev_randao);
    EXPECT_NE(first.headers().at(0).prev_randao, first.headers().at(1).prev_randao);
}

TEST(Solo, goes_on_after_a_block_that_could_not_be_made) {
    FakeApplication application;
    std::atomic<int> failures = 0;
    SoloOptions wanted = options(kOnCommand);
    wanted.on_failure = [&](const BlockError&) { ++failures; };
    Solo solo{application, std::move(wanted)};
    application.fail_next(BlockErrorCode::invalid_transaction);

    const auto failed = solo.seal();
    const auto sealed = solo.seal();

    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, BlockErrorCode::invalid_transaction);
    EXPECT_TRUE(sealed.has_value());
    EXPECT_EQ(failures, 1);
}

TEST(Solo, ends_when_the_storage_has_failed) {
    FakeApplication application;
    Solo solo{application, options(kOnCommand)};
    application.fail_next(BlockErrorCode::storage_failed);

    const auto failed = solo.seal();
    const auto after = solo.seal();

    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, BlockErrorCode::storage_failed);
    ASSERT_FALSE(after.has_value());
    EXPECT_EQ(after.error().code, BlockErrorCode::execution_halted);
    EXPECT_TRUE(application.sizes().empty());
}

TEST(Solo, answers_everybody_who_waits_when_it_is_stopped) {
    for (int round = 0; round < 50; ++round) {
        FakeApplication application;
        Solo solo{application, options(kOnCommand)};
        std::atomic<int> answered = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 3; ++i)
                threads.emplace_back([&] {
                    (void)solo.seal();
                    ++answered;
                });
            solo.stop();
        }
        EXPECT_EQ(answered, 3);
    }
}

TEST(Solo, seals_by_another_schedule_as_soon_as_it_has_one) {
    FakeApplication application;
    Solo solo{application, options(kOnCommand)};
    application.add(1);
    solo.transactions_arrived();
    EXPECT_FALSE(solo.schedule().on_arrival);

    // What has come before is sealed as well.
    solo.set_schedule({.on_arrival = true, .interval = {}});
    application.wait_until_empty();
    EXPECT_EQ(application.sizes(), std::vector<std::size_t>{1});
    solo.set_schedule({.on_arrival = true, .interval = 1ms});
    application.wait_for_blocks(4);
    solo.set_schedule({});
    (void)solo.seal();
    const std::size_t count = application.sizes().size();
    application.add(1);
    solo.transactions_arrived();
    std::this_thread::sleep_for(20ms);

    EXPECT_EQ(application.sizes().size(), count);
}

TEST(Solo, draws_each_interval_anew_where_it_may_be_longer) {
    constexpr std::size_t kBlocks = 5;
    FakeApplication application;
    Solo solo{application, options(kOnCommand)};
    // Of a year no 20 ms are drawn, but once in a billion times.
    solo.set_schedule({.interval = 1ms, .spread = std::chrono::hours{24 * 365}});
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(application.sizes().size(), 0U);

    const auto begin = std::chrono::steady_clock::now();
    solo.set_schedule({.interval = 1ms, .spread = 20ms});
    application.wait_for_blocks(kBlocks);
    solo.stop();

    EXPECT_GE(std::chrono::steady_clock::now() - begin, kBlocks * 1ms);
}

TEST(Solo, adjusts_what_it_plans_but_no_time_before_the_earliest) {
    FakeApplication application;
    SoloOptions wanted = options(kOnCommand);
    std::uint64_t time = 5'000;
    wanted.adjust = [&](const Committed& committed, BlockPlan& plan) {
        EXPECT_EQ(plan.timestamp, std::max<std::uint64_t>(1'000, committed.head_timestamp + 1));
        plan.timestamp = time;
        plan.base_fee_per_gas = 7;
    };
    Solo solo{application, std::move(wanted)};

    ASSERT_TRUE(solo.seal().has_value());
    time = 4'000;
    ASSERT_TRUE(solo.seal().has_value());
    solo.stop();

    EXPECT_EQ(application.headers()[0].timestamp, 5'000U);
    EXPECT_EQ(application.headers()[0].base_fee_per_gas, Uint256{7});
    EXPECT_EQ(application.headers()[1].timestamp, 5'001U);
}

TEST(Solo, does_work_between_blocks_until_it_has_ended) {
    FakeApplication application;
    Solo solo{application, options({.interval = 0ms})};
    std::thread::id first;
    std::thread::id second;

    EXPECT_TRUE(solo.between_blocks([&] { first = std::this_thread::get_id(); }));
    EXPECT_TRUE(solo.between_blocks([&] { second = std::this_thread::get_id(); }));
    solo.stop();

    EXPECT_EQ(first, second);
    EXPECT_NE(first, std::this_thread::get_id());
    EXPECT_FALSE(solo.between_blocks([] { ADD_FAILURE() << "it has ended"; }));
}

}  // namespace
}  // namespace heddle::consensus_adapter::test
