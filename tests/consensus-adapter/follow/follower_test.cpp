// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The follower against an origin that does what a test says.
#include <consensus_adapter/follow/follower.hpp>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "comes_true.hpp"
#include "follow/pauses.hpp"
#include "follower_fixture.hpp"
#include "scripted_origin.hpp"

namespace heddle::consensus_adapter::follow {
namespace {

using heddle::test::comes_true;
using test::FakeChain;
using test::ScriptedChain;
using testing::HasSubstr;
using namespace std::chrono_literals;

class FollowerTest : public test::FollowerFixture {};

TEST_F(FollowerTest, takes_every_block_once_and_in_order) {
    ScriptedChain origin(1'000);
    FakeChain chain(origin);
    Follower follower(chain, ask(origin), quick());

    ASSERT_TRUE(chain.wait_for(1'000));
    origin.grow(5);
    ASSERT_TRUE(chain.wait_for(1'005));
    follower.stop();

    EXPECT_EQ(chain.hashes(), origin.hashes());
    EXPECT_EQ(follower.counters().fetched_blocks, 1'005u);
    EXPECT_EQ(follower.counters().retries, 0u);
    EXPECT_EQ(follower.status().newest, 1'005u);
    EXPECT_EQ(follower.status().client, "scripted");
}

TEST_F(FollowerTest, goes_on_where_the_chain_stands) {
    ScriptedChain origin(40);
    FakeChain chain(origin);
    {
        Follower follower(chain, ask(origin), quick());
        ASSERT_TRUE(chain.wait_for(40));
    }
    origin.grow(40);
    Follower follower(chain, ask(origin), quick());
    ASSERT_TRUE(chain.wait_for(80));
    EXPECT_EQ(follower.status().starting, 40u);
    EXPECT_EQ(follower.counters().fetched_blocks, 40u);
}

TEST_F(FollowerTest, leaves_what_is_not_deep_enough) {
    ScriptedChain origin(100);
    FakeChain chain(origin);
    FollowOptions options = quick();
    options.depth = 12;
    Follower follower(chain, ask(origin), std::move(options));

    ASSERT_TRUE(chain.wait_for(88));
    origin.wait_for_looks(3);
    EXPECT_EQ(chain.head().number, 88u);
    origin.grow(2);
    ASSERT_TRUE(chain.wait_for(90));
    EXPECT_EQ(follower.status().final, 90u);
}

/// Whatever goes wrong on the way, by chance: the chain comes out the same.
TEST_F(FollowerTest, comes_through_drops_delays_and_wrong_answers) {
    const std::uint64_t seed = heddle::test::announced_seed();
    for (std::uint64_t round = 0; round < 20; ++round) {
        std::mt19937_64 random(seed + round);
        std::mutex mutex;
        const auto chance = [&](unsigned percent) {
            const std::scoped_lock lock{mutex};
            return random() % 100 < percent;
        };
        ScriptedChain origin(150);
        origin.on_blocks([&](std::uint64_t) -> std::optional<FollowError> {
            if (chance(20)) std::this_thread::sleep_for(1ms);
            if (chance(10)) return FollowError{FollowFault::timed_out, "too late"};
            if (chance(10)) return FollowError{FollowFault::unreachable, "gone"};
            return std::nullopt;
        });
        origin.on_answer([&](std::vector<FetchedBlock>& blocks) {
            if (chance(5)) blocks.clear();
            if (chance(5) && !blocks.empty()) blocks.front().block.start.header.number += 1;
            if (chance(5) && blocks.size() > 1) std::swap(blocks.front(), blocks.back());
            if (chance(5) && blocks.size() > 1) blocks.push_back(blocks.front());
            if (chance(30) && blocks.size() > 1) blocks.resize(1);
        });
        FakeChain chain(origin);
        FollowOptions options = quick();
        options.batch = 1 + round % 7;
        options.connections = 1 + static_cast<unsigned>(round % 5);
        options.seed = seed + round;
        Follower follower(chain, ask(origin), std::move(options));
        ASSERT_TRUE(chain.wait_for(150)) << "round " << round;
        follower.stop();
        EXPECT_EQ(chain.hashes(), origin.hashes());
        EXPECT_GT(follower.counters().retries, 0u);
    }
}

TEST_F(FollowerTest, follows_a_reorganisation_above_what_is_final) {
    ScriptedChain origin(50);
    FakeChain chain(origin);
    FollowOptions options = quick();
    options.depth = 10;
    Follower follower(chain, ask(origin), std::move(options));
    ASSERT_TRUE(chain.wait_for(40));

    origin.reorganise(40, 15);

    ASSERT_TRUE(chain.wait_for(45));
    follower.stop();
    const std::vector<Hash> theirs = origin.hashes();
    EXPECT_EQ(chain.hashes(), std::vector<Hash>(theirs.begin(), theirs.begin() + 46));
    EXPECT_EQ(follower.counters().refused_blocks, 0u);
}

TEST_F(FollowerTest, counts_reorganisations_that_it_sees) {
    ScriptedChain origin(50);
    FakeChain chain(origin);
    FollowOptions options = quick();
    options.depth = 10;
    Follower follower(chain, ask(origin), std::move(options));
    ASSERT_TRUE(chain.wait_for(40));
    origin.reorganise(48, 2);  // as long as before: only hashes tell
    EXPECT_TRUE(comes_true([&] { return follower.counters().reorganisations != 0; }));
    EXPECT_EQ(follower.counters().reorganisations, 1u);
}

/// Trigger: behind the origin's address are several nodes, one of which is on another branch.
TEST_F(FollowerTest, begins_anew_when_a_block_is_not_on_the_one_before) {
    ScriptedChain origin(60);
    std::atomic<int> strangers = 0;
    origin.on_answer([&](std::vector<FetchedBlock>& blocks) {
        for (FetchedBlock& fetched : blocks) {
            BlockHeader& header = fetched.block.start.header;
            if (header.number != 31 || ++strangers > 2) continue;
            header.parent_hash.bytes[0] ^= 1;
            fetched.hash = header_hash(header);
        }
    });
    FakeChain chain(origin);
    Follower follower(chain, ask(origin), quick());

    ASSERT_TRUE(chain.wait_for(60));
    follower.stop();
    EXPECT_EQ(chain.hashes(), origin.hashes());
    EXPECT_EQ(follower.counters().reorganisations, 2u);
    EXPECT_EQ(follower.counters().refused_blocks, 0u) << "it never got to the executor";
    const auto error = wait_for_retry(FollowFault::disconnected);
    ASSERT_TRUE(error.has_value());
    EXPECT_THAT(error->sentence, HasSubstr("not on block 30"));
}

TEST_F(FollowerTest, ends_when_a_block_that_was_final_is_taken_back) {
    ScriptedChain origin(30);
    FakeChain chain(origin);
    Follower follower(chain, ask(origin), quick());
    ASSERT_TRUE(chain.wait_for(30));
    const std::vector<Hash> before = chain.hashes();

    origin.reorganise(25, 10);

    const auto failure = wait_for_failure();
    ASSERT_TRUE(failure.has_value());
    EXPECT_EQ(failure->fault, FollowFault::reorganised);
    EXPECT_THAT(failure->sentence, HasSubstr("block 30 is " + to_string(before[30])));
    EXPECT_THAT(failure->sentence, HasSubstr("db rollback"));
    EXPECT_EQ(chain.hashes(), before) << "nothing of the other branch was taken";
}

/// Trigger: what was final is taken back, and the chain that takes its place is shorter, down to
/// the genesis block alone. Before, the follower took the origin for one that is behind, and showed
/// the other branch until the origin's had come as far.
TEST_F(FollowerTest, ends_when_what_was_final_is_taken_back_for_a_shorter_chain) {
    for (const auto& [branch, blocks] : {std::pair{25u, 2u}, {0u, 20u}, {0u, 1u}})
        for (const bool is_there_at_start : {false, true}) {
            ScriptedChain origin(30);
            FakeChain chain(origin);
            std::optional<Follower> follower(std::in_place, chain, ask(origin), quick());
            ASSERT_TRUE(chain.wait_for(30));
            if (is_there_at_start) follower.reset();
            const std::vector<Hash> before = chain.hashes();

            origin.reorganise(branch, blocks);

            if (is_there_at_start) follower.emplace(chain, ask(origin), quick());
            const auto failure = wait_for_failure();
            ASSERT_TRUE(failure.has_value());
            EXPECT_EQ(failure->fault, FollowFault::reorganised);
            EXPECT_THAT(failure->sentence, HasSubstr("block " + std::to_string(branch + blocks)));
            EXPECT_EQ(chain.hashes(), before);
            follower.reset();
            forget_failure();
        }
}

/// The same by what the origin calls finalized: blocks above that may be others.
TEST_F(FollowerTest, a_shorter_chain_is_another_one_by_what_is_finalized_in_it) {
    ScriptedChain origin(30);
    origin.finalize(20);
    FakeChain chain(origin);
    FollowOptions options = quick();
    options.depth.reset();
    {
        Follower follower(chain, ask(origin), std::move(options));
        ASSERT_TRUE(chain.wait_for(20));
    }
    origin.reorganise(15, 1);
    const auto begin = [&](std::uint64_t finalized, std::uint64_t first_kept) {
        origin.finalize(finalized);
        chain.forget_up_to(first_kept);
        FollowOptions again = quick();
        again.depth.reset();
        return std::make_unique<Follower>(chain, ask(origin), std::move(again));
    };
    const auto wait_for_connection = [](const Follower& follower) {
        while (!follower.status().is_connected)
            std::this_thread::yield();
    };
    wait_for_connection(*begin(16, 17));  // it is not kept here any more
    const auto follower = begin(15, 0);
    wait_for_connection(*follower);  // 16 is not final there
    origin.finalize(16);
    EXPECT_EQ(wait_for_failure().value().fault, FollowFault::reorganised);
}

TEST_F(FollowerTest, ends_when_the_origin_has_another_chain) {
    ScriptedChain origin(3);
    FakeChain chain(origin);
    origin.set_chain_id(8);
    Follower follower(chain, ask(origin), quick());
    const auto failure = wait_for_failure();
    ASSERT_TRUE(failure.has_value());
    EXPECT_EQ(failure->fault, FollowFault::other_chain);
    EXPECT_THAT(failure->sentence, HasSubstr("has chain 8, this node has chain 7"));
    EXPECT_EQ(chain.head().number, 0u);
}

TEST_F(FollowerTest, forgives_an_origin_that_was_another_one_for_a_moment) {
    ScriptedChain origin(3);
    FakeChain chain(origin);
    origin.set_chain_id(8);
    FollowOptions options = quick();
    options.on_retry = [&](const FollowError&, auto) { origin.set_chain_id(7); };
    Follower follower(chain, ask(origin), std::move(options));
    EXPECT_TRUE(chain.wait_for(3));
}

TEST_F(FollowerTest, waits_for_an_origin_that_is_behind) {
    ScriptedChain origin(10);
    FakeChain chain(origin);
    {
        Follower follower(chain, ask(origin), quick());
        ASSERT_TRUE(chain.wait_for(10));
    }
    ScriptedChain late(4);  // the same chain
    Follower follower(chain, ask(late), quick());
    late.wait_for_looks(3);
    EXPECT_EQ(chain.head().number, 10u);
    EXPECT_FALSE(follower.status().final > 10);
    late.grow(8);
    EXPECT_TRUE(chain.wait_for(12));
}

TEST_F(FollowerTest, asks_again_for_a_block_that_is_not_what_it_claims) {
    ScriptedChain origin(40);
    FakeChain chain(origin);
    chain.refuse(20, 3);
    Follower follower(chain, ask(origin), quick());
    ASSERT_TRUE(chain.wait_for(40));
    EXPECT_EQ(follower.counters().refused_blocks, 3u);
    const auto error = wait_for_retry(FollowFault::invalid_block);
    ASSERT_TRUE(error.has_value());
    EXPECT_THAT(error->sentence, HasSubstr("block 20"));
    EXPECT_EQ(chain.begun(), 4u) << "each time on a stream of its own";
}

TEST_F(FollowerTest, says_so_while_the_origin_is_away) {
    ScriptedChain origin(40);
    origin.on_blocks([](std::uint64_t) -> std::optional<FollowError> {
        return FollowError{FollowFault::unreachable, "nobody is there"};
    });
    FakeChain chain(origin);
    Follower follower(chain, ask(origin), quick());
    ASSERT_TRUE(wait_for_retry(FollowFault::unreachable).has_value());
    // At the beginning of each conversation, for a moment, it has just answered.
    EXPECT_TRUE(comes_true([&] { return follower.status().error == "nobody is there"; }));
    origin.on_blocks(nullptr);
    EXPECT_TRUE(chain.wait_for(40));
}

TEST_F(FollowerTest, asks_no_sooner_again_than_the_origin_wants) {
    using Clock = std::chrono::steady_clock;
    ScriptedChain origin(3);
    std::vector<Clock::time_point> asked;
    origin.on_blocks([&](std::uint64_t) -> std::optional<FollowError> {
        asked.push_back(Clock::now());
        if (asked.size() > 4) return std::nullopt;
        return FollowError{FollowFault::too_fast, "later", 50ms};
    });
    FakeChain chain(origin);
    FollowOptions options = quick();
    options.connections = 1;
    options.max_pause = 50ms;  // of which the first ones are a small part
    std::vector<std::chrono::milliseconds> pauses;
    options.on_retry = [&](const FollowError&, std::chrono::milliseconds pause) {
        pauses.push_back(pause);
    };
    Follower follower(chain, ask(origin), std::move(options));

    ASSERT_TRUE(chain.wait_for(3));
    follower.stop();
    EXPECT_EQ(pauses, std::vector{50ms});  // between two conversations
    ASSERT_EQ(asked.size(), 5u);
    for (std::size_t i = 1; i < asked.size(); ++i)
        EXPECT_GE(asked[i] - asked[i - 1], 50ms);
}

TEST_F(FollowerTest, ends_when_a_block_cannot_be_kept) {
    ScriptedChain origin(40);
    FakeChain chain(origin);
    chain.refuse(7, 1, BlockErrorCode::storage_failed);
    Follower follower(chain, ask(origin), quick());
    const auto failure = wait_for_failure();
    ASSERT_TRUE(failure.has_value());
    EXPECT_EQ(failure->fault, FollowFault::storage_failed);
    EXPECT_EQ(chain.head().number, 6u);
}

TEST_F(FollowerTest, ends_while_it_waits_for_anything) {
    ScriptedChain origin(10);
    FakeChain chain(origin);
    FollowOptions options = quick();
    options.poll = 1h;
    options.pause = 1h;
    options.max_pause = 1h;
    options.on_retry = nullptr;
    {
        Follower waiting(chain, ask(origin), options);  // for a head
        ASSERT_TRUE(chain.wait_for(10));
    }
    origin.grow(1);
    origin.on_blocks([](std::uint64_t) -> std::optional<FollowError> {
        return FollowError{FollowFault::unreachable, "gone"};
    });
    {
        Follower pausing(chain, ask(origin), options);  // between two tries
        EXPECT_TRUE(comes_true([&] { return pausing.counters().retries != 0; }));
        pausing.stop();
        pausing.stop();
    }
}

TEST(Pauses, are_as_long_as_somebody_wants_within_their_bound) {
    Pauses pauses(1ms, 100ms, 1);
    EXPECT_EQ(pauses.next(50ms), 50ms);
    EXPECT_EQ(pauses.next(1h), 100ms);
    EXPECT_LE(pauses.next(0ms), 4ms);
}

TEST(Pauses, grow_to_their_bound_and_differ_by_chance) {
    Pauses pauses(100ms, 1'000ms, 1);
    Pauses others(100ms, 1'000ms, 2);
    bool differ = false;
    for (int i = 0; i < 100; ++i) {
        const auto full = std::min(100ms * (1 << std::min(i, 10)), 1'000ms);
        const auto pause = pauses.next();
        EXPECT_LE(pause, full);
        EXPECT_GE(pause, full / 2);
        differ = differ || others.next() != pause;
    }
    EXPECT_TRUE(differ);
    pauses.reset();
    EXPECT_LE(pauses.next(), 100ms);
}

}  // namespace
}  // namespace heddle::consensus_adapter::follow
