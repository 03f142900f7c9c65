// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who seals where a caller waits for the block of what it brought: the caller or the thread.
#include <consensus_adapter/solo.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake_application.hpp"

namespace heddle::consensus_adapter::test {
namespace {

using namespace std::chrono_literals;

TEST(Solo, whoever_settles_waits_for_blocks_that_come_by_themselves) {
    const auto later = [] { return std::chrono::steady_clock::now() + 60s; };
    FakeApplication application;
    Solo solo{application, options(kOnArrival)};
    for (std::size_t i = 1; i <= 200; ++i) {
        application.add(1);
        solo.transactions_arrived();
        solo.settle([&] { return application.sizes().size() == i; }, later());
        ASSERT_EQ(application.sizes().size(), i);
    }
    // Nothing comes of it: it returns when there is nothing to look at.
    solo.transactions_arrived();
    solo.settle([] { return false; }, later());
    // A block that cannot be made is tried again for ever; the caller's patience ends.
    application.add(1);
    for (int i = 0; i < 100; ++i)
        application.fail_next(BlockErrorCode::execution_halted);
    solo.transactions_arrived();
    solo.settle([] { return false; }, std::chrono::steady_clock::now() + 20ms);
    // Where nothing is sealed by itself, nobody waits.
    solo.set_schedule({});
    application.add(1);
    solo.transactions_arrived();
    solo.settle([] { return false; }, later());
}

std::chrono::steady_clock::time_point in_a_minute() {
    return std::chrono::steady_clock::now() + 60s;
}

/// A caller brings a transaction and settles, within a scope, again and again.
/// @param bring  Calls what it is given, which brings the transaction.
void expect_callers_seal(const std::function<void(Solo&, const std::function<void()>&)>& bring) {
    FakeApplication application;
    SoloOptions made = options(kOnArrival);
    made.has_more = [&] { return application.waiting() != 0; };
    Solo solo{application, std::move(made)};
    for (std::size_t i = 1; i <= 200; ++i) {
        const Solo::SettleScope scope{solo};
        bring(solo, [&] {
            application.add(1);
            solo.transactions_arrived();
        });
        solo.settle([&] { return application.waiting() == 0; }, in_a_minute());
        ASSERT_EQ(application.sizes().size(), i);
    }
    const std::vector<std::thread::id> sealers = application.sealers();
    EXPECT_EQ(std::ranges::count(sealers, std::this_thread::get_id()), 200);
}

TEST(Solo, whoever_settles_in_a_scope_seals_what_it_brought_itself) {
    expect_callers_seal([](Solo& /*solo*/, const std::function<void()>& arrive) { arrive(); });
}

/// The thread is awake for a command when the arrival comes, and looks around once it has done it.
TEST(Solo, what_a_scope_brought_is_left_to_it_by_a_thread_that_is_awake) {
    expect_callers_seal([](Solo& solo, const std::function<void()>& arrive) {
        ASSERT_TRUE(solo.between_blocks(arrive));
    });
}

/// Callers come and go, one of them is always there, and none of them brings anything.
TEST(Solo, scopes_that_overlap_for_ever_keep_no_arrival_from_the_thread) {
    FakeApplication application;
    Solo solo{application, options(kOnArrival)};
    std::optional<Solo::SettleScope> scope{std::in_place, solo};
    for (int i = 0; i < 50; ++i) {
        application.add(1);
        solo.transactions_arrived();
        Solo::SettleScope next{solo};
        scope.emplace(std::move(next));  // the one before ends
        application.wait_until_empty();
    }
    EXPECT_EQ(std::ranges::count(application.sealers(), std::this_thread::get_id()), 0);
}

TEST(Solo, what_a_scope_leaves_behind_is_sealed_by_the_thread) {
    FakeApplication application;
    Solo solo{application, options(kOnArrival)};
    {
        const Solo::SettleScope scope{solo};
        application.add(3);
        solo.transactions_arrived();
    }
    application.wait_until_empty();
    EXPECT_NE(application.sealers().front(), std::this_thread::get_id());
}

TEST(Solo, what_does_not_fit_into_the_block_of_a_scope_is_sealed_too) {
    FakeApplication application;
    application.set_room(2);
    SoloOptions made = options(kOnArrival);
    made.has_more = [&] { return application.waiting() != 0; };
    Solo solo{application, std::move(made)};
    {
        const Solo::SettleScope scope{solo};
        application.add(5);
        solo.transactions_arrived();
        solo.settle([&] { return application.waiting() <= 3; }, in_a_minute());
    }
    application.wait_until_empty();
    EXPECT_EQ(application.sizes(), (std::vector<std::size_t>{2, 2, 1}));
}

TEST(Solo, a_scope_ends_sealing_where_the_storage_fails) {
    FakeApplication application;
    std::atomic<int> failures = 0;
    SoloOptions made = options(kOnArrival);
    made.on_failure = [&](const BlockError&) { ++failures; };
    Solo solo{application, std::move(made)};
    application.fail_next(BlockErrorCode::storage_failed);
    {
        const Solo::SettleScope scope{solo};
        application.add(1);
        solo.transactions_arrived();
        solo.settle([] { return false; }, in_a_minute());
    }
    EXPECT_FALSE(solo.seal().has_value());
    EXPECT_EQ(failures, 1);
    EXPECT_TRUE(application.sizes().empty());
}

TEST(Solo, nobody_waits_for_a_block_that_cannot_be_made_again_and_again) {
    for (const bool has_scope : {false, true}) {
        FakeApplication application;
        Solo solo{application, options(kOnArrival)};
        application.fail_next(BlockErrorCode::system_contract_missing, 8);
        std::optional<Solo::SettleScope> scope;
        if (has_scope) scope.emplace(solo);
        application.add(1);
        solo.transactions_arrived();
        solo.settle([&] { return application.waiting() == 0; }, in_a_minute());
        EXPECT_EQ(application.waiting(), 1U);

        // It is tried again, and once it can be made others are waited for as before.
        scope.reset();
        application.wait_until_empty();
        ASSERT_TRUE(solo.between_blocks([] {}));  // that block is over
        application.add(1);
        solo.transactions_arrived();
        solo.settle([&] { return application.waiting() == 0; }, in_a_minute());
        EXPECT_EQ(application.waiting(), 0U);
    }
}

/// Callers that settle with a scope and without, commands, work between blocks and intervals at
/// once: no block is made twice, none is lost, and nobody waits for ever.
TEST(Solo, one_seals_at_a_time_whoever_wants_to) {
    constexpr std::size_t kCallers = 4;
    constexpr std::size_t kEach = 300;
    FakeApplication application;
    SoloOptions made = options(kOnArrival);
    made.has_more = [&] { return application.waiting() != 0; };
    Solo solo{application, std::move(made)};
    solo.set_schedule({.on_arrival = true, .least_distance = 0ms, .interval = 1ms});
    std::atomic<int> inside = 0;
    {
        std::vector<std::jthread> callers;
        for (std::size_t caller = 0; caller < kCallers; ++caller)
            callers.emplace_back([&, caller] {
                for (std::size_t i = 0; i < kEach; ++i) {
                    std::optional<Solo::SettleScope> scope;
                    if (caller % 2 == 0) scope.emplace(solo);
                    application.add(1);
                    solo.transactions_arrived();
                    if (i % 16 == 3) EXPECT_TRUE(solo.seal().has_value());
                    if (i % 16 == 7)
                        EXPECT_TRUE(solo.between_blocks([&] {
                            EXPECT_EQ(++inside, 1);
                            --inside;
                        }));
                    solo.settle([&] { return application.waiting() == 0; }, in_a_minute());
                }
            });
    }
    application.wait_until_empty();
    const std::vector<std::size_t> sizes = application.sizes();
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), kCallers * kEach);
}

TEST(Solo, stops_after_the_block_that_a_scope_is_making) {
    for (int i = 0; i < 100; ++i) {
        FakeApplication application;
        Solo solo{application, options(kOnArrival)};
        std::jthread caller{[&] {
            const Solo::SettleScope scope{solo};
            application.add(1);
            solo.transactions_arrived();
            solo.settle([&] { return application.waiting() == 0; }, in_a_minute());
        }};
        std::this_thread::yield();
        solo.stop();
        const std::size_t blocks = application.sizes().size();
        caller.join();
        EXPECT_EQ(application.sizes().size(), blocks);
    }
}

}  // namespace
}  // namespace heddle::consensus_adapter::test
