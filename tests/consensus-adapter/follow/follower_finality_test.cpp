// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// By what a follower goes where its origin calls blocks final, does not, or refuses to say.
#include <consensus_adapter/follow/follower.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "follower_fixture.hpp"
#include "scripted_origin.hpp"

namespace heddle::consensus_adapter::follow {
namespace {

using test::FakeChain;
using test::ScriptedChain;
using namespace std::chrono_literals;

class FollowerFinality : public test::FollowerFixture {
protected:
    /// Goes by what the origin calls finalized, and counts what it tells of that.
    FollowOptions by_finality(const char* news_of = "does not say any more") {
        FollowOptions options = quick();
        options.depth.reset();
        options.on_news = [this, news_of](const std::string& news) {
            if (news.find(news_of) != std::string::npos) ++told_;
        };
        return options;
    }

    std::atomic<int> told_ = 0;
};

TEST_F(FollowerFinality, takes_what_the_origin_calls_finalized) {
    ScriptedChain origin(100);
    origin.finalize(70);
    FakeChain chain(origin);
    Follower follower(chain, ask(origin), by_finality());

    ASSERT_TRUE(chain.wait_for(70));
    origin.finalize(75);
    ASSERT_TRUE(chain.wait_for(75));
    origin.wait_for_looks(3);
    EXPECT_EQ(chain.head().number, 75u);
}

TEST_F(FollowerFinality, stays_two_epochs_behind_an_origin_without_finality) {
    ScriptedChain origin(100);
    FakeChain chain(origin);
    Follower follower(chain, ask(origin), by_finality("finalized"));

    ASSERT_TRUE(chain.wait_for(36));
    origin.grow(1);
    ASSERT_TRUE(chain.wait_for(37));
    EXPECT_EQ(chain.head().number, 37u);
    EXPECT_EQ(told_, 1);
}

// A node that is busy may refuse the question: until then blocks were taken by their depth, which
// may be above what is final.
TEST_F(FollowerFinality, takes_nothing_by_its_depth_once_the_origin_has_called_a_block_finalized) {
    ScriptedChain origin(200);
    origin.finalize(70);
    FakeChain chain(origin);
    Follower follower(chain, ask(origin), by_finality());

    ASSERT_TRUE(chain.wait_for(70));
    origin.finalize(std::nullopt);
    origin.grow(1);
    origin.wait_for_looks(3);
    EXPECT_EQ(chain.head().number, 70u);
    EXPECT_LE(told_, 1);
    origin.finalize(75);
    ASSERT_TRUE(chain.wait_for(75));
}

TEST_F(FollowerFinality, tells_of_each_silence_about_finality_once) {
    ScriptedChain origin(200);
    origin.finalize(70);
    FakeChain chain(origin);
    Follower follower(chain, ask(origin), by_finality());
    // What is told of is told before the newest block is known.
    const auto look_at = [&](std::uint64_t newest) {
        origin.grow(1);
        while (follower.status().newest != newest)
            std::this_thread::yield();
    };

    look_at(201);
    EXPECT_EQ(told_, 0);
    origin.finalize(std::nullopt);
    look_at(202);
    look_at(203);
    EXPECT_EQ(told_, 1);
    origin.finalize(75);
    look_at(204);
    origin.finalize(std::nullopt);
    look_at(205);
    EXPECT_EQ(told_, 2);
}

TEST_F(FollowerFinality, takes_nothing_above_the_newest_block_whatever_is_called_finalized) {
    ScriptedChain origin(72);
    origin.finalize(75);
    FakeChain chain(origin);
    Follower follower(chain, ask(origin), by_finality());

    while (follower.status().newest == 0)
        std::this_thread::yield();
    ASSERT_EQ(follower.status().final, 72u);
    ASSERT_TRUE(chain.wait_for(72));
}

// What is 64 blocks deep is not final yet on a chain with finality: an error that passes must not
// have it taken.
TEST_F(FollowerFinality, takes_nothing_by_its_depth_while_the_origin_refuses_for_the_moment) {
    ScriptedChain origin(200);
    origin.refuse_finality("internal");
    FakeChain chain(origin);
    FollowOptions options = by_finality();
    options.pause = 20ms;
    options.max_pause = 200ms;
    std::atomic<int> retries = 0;
    options.on_retry = [&](const FollowError& error, std::chrono::milliseconds) {
        EXPECT_EQ(error.sentence, "internal");
        if (++retries != 3) return;
        origin.finalize(70);
        origin.refuse_finality("");
    };
    Follower follower(chain, ask(origin), std::move(options));

    ASSERT_TRUE(chain.wait_for(70));
    origin.wait_for_looks(3);
    EXPECT_EQ(chain.head().number, 70u);
    EXPECT_EQ(retries, 3);
}

TEST_F(FollowerFinality, goes_by_depth_where_the_origin_always_refuses_until_it_names_a_block) {
    ScriptedChain origin(200);
    origin.refuse_finality("what is that");
    FakeChain chain(origin);
    FollowOptions options = by_finality();
    std::atomic<int> retries = 0;
    options.on_retry = [&](const FollowError&, std::chrono::milliseconds) { ++retries; };
    Follower follower(chain, ask(origin), std::move(options));

    ASSERT_TRUE(chain.wait_for(136));
    EXPECT_EQ(retries, 7);
    origin.finalize(140);
    origin.refuse_finality("");
    origin.grow(20);
    ASSERT_TRUE(chain.wait_for(140));
    origin.wait_for_looks(3);
    EXPECT_EQ(chain.head().number, 140u);
}

}  // namespace
}  // namespace heddle::consensus_adapter::follow
