// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a follower fetches ahead, and what becomes of answers that are not what was asked for.
#include <atomic>
#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "follower_fixture.hpp"
#include "scripted_origin.hpp"

namespace heddle::consensus_adapter::follow {
namespace {

using test::FakeChain;
using test::ScriptedChain;
using namespace std::chrono_literals;

class BlockWindowTest : public test::FollowerFixture {
protected:
    /// Room for three blocks of so many bytes, asked for one by one over two connections.
    [[nodiscard]] FollowOptions three_blocks_of(std::size_t bytes) {
        FollowOptions options = quick();
        options.connections = 2;
        options.batch = 1;
        options.max_ready_bytes = 3 * bytes;
        return options;
    }
    /// With this room: three ready, two on their way, and the one that is being executed.
    static constexpr std::uint64_t kMostAheadOfThree = 3 + 2 + 1;
};

TEST_F(BlockWindowTest, asks_for_the_rest_of_what_came_in_part) {
    ScriptedChain origin(100);
    FakeChain chain(origin);
    origin.on_answer([](std::vector<FetchedBlock>& blocks) {
        if (blocks.size() > 3) blocks.erase(blocks.begin() + 3, blocks.end());
    });
    FollowOptions options = quick();
    options.batch = 8;
    Follower follower(chain, ask(origin), std::move(options));
    ASSERT_TRUE(chain.wait_for(100));
    EXPECT_EQ(chain.hashes(), origin.hashes());
    EXPECT_EQ(follower.counters().fetched_blocks, 100u) << "each of them once";
    EXPECT_EQ(follower.counters().retries, 0u);
}

TEST_F(BlockWindowTest, asks_again_where_more_came_than_was_asked_for) {
    ScriptedChain origin(40);
    FakeChain chain(origin);
    std::atomic<bool> has_given_more = false;
    origin.on_answer([&](std::vector<FetchedBlock>& blocks) {
        if (has_given_more.exchange(true)) return;
        blocks.push_back(blocks.back());
        ++blocks.back().block.start.header.number;
    });
    Follower follower(chain, ask(origin), quick());
    ASSERT_TRUE(chain.wait_for(40));
    EXPECT_EQ(chain.hashes(), origin.hashes());
    EXPECT_EQ(follower.counters().fetched_blocks, 40u);
    EXPECT_EQ(follower.counters().retries, 1u);
}

TEST_F(BlockWindowTest, counts_failures_anew_for_each_part_of_an_answer) {
    ScriptedChain origin(24);
    FakeChain chain(origin);
    std::mutex mutex;
    std::map<std::uint64_t, unsigned> asked;  // by the first block
    origin.on_blocks([&](std::uint64_t first) -> std::optional<FollowError> {
        const std::scoped_lock lock{mutex};
        if (++asked[first] == 4) return std::nullopt;
        return FollowError{FollowFault::unreachable, "not yet"};
    });
    origin.on_answer(
        [](std::vector<FetchedBlock>& blocks) { blocks.erase(blocks.begin() + 1, blocks.end()); });
    FollowOptions options = quick();
    options.batch = 8;
    std::atomic<bool> has_begun_anew = false;
    options.on_retry = [&](const FollowError&, std::chrono::milliseconds) {
        has_begun_anew = true;
    };
    Follower follower(chain, ask(origin), std::move(options));
    ASSERT_TRUE(chain.wait_for(24));
    EXPECT_FALSE(has_begun_anew);
}

TEST_F(BlockWindowTest, does_not_fetch_far_ahead_of_a_slow_executor) {
    ScriptedChain origin(2'000);
    FakeChain chain(origin);
    std::atomic<std::uint64_t> most_ahead = 0;
    origin.on_blocks([&](std::uint64_t first) -> std::optional<FollowError> {
        const std::uint64_t ahead = first - std::min(first, chain.head().number);
        most_ahead = std::max(most_ahead.load(), ahead);
        return std::nullopt;
    });
    chain.set_delay(1ms);
    FollowOptions options = quick();
    options.batch = 8;
    options.max_ready_blocks = 32;
    Follower follower(chain, ask(origin), std::move(options));
    ASSERT_TRUE(chain.wait_for(200));
    EXPECT_LE(most_ahead, 32u + 1u);
    EXPECT_LE(follower.counters().fetched_blocks, 200u + 2 * 40u);
}

TEST_F(BlockWindowTest, does_not_keep_more_bytes_than_it_may) {
    ScriptedChain origin(500);
    FakeChain chain(origin);
    std::atomic<std::uint64_t> most_ahead = 0;
    origin.on_blocks([&](std::uint64_t first) -> std::optional<FollowError> {
        most_ahead = std::max(most_ahead.load(), first - std::min(first, chain.head().number));
        return std::nullopt;
    });
    chain.set_delay(1ms);
    Follower follower(chain, ask(origin), three_blocks_of(600));
    ASSERT_TRUE(chain.wait_for(100));
    EXPECT_LE(most_ahead, kMostAheadOfThree);
}

TEST_F(BlockWindowTest, lets_one_block_at_a_time_through_where_there_is_no_room_for_any) {
    ScriptedChain origin(20);
    FakeChain chain(origin);
    FollowOptions options = quick();
    options.max_ready_bytes = 0;
    Follower follower(chain, ask(origin), std::move(options));
    EXPECT_TRUE(chain.wait_for(20));
}

TEST_F(BlockWindowTest, counts_what_a_block_takes_decoded_and_what_is_said_of_it) {
    const auto with_list = [](executor::OrderedBlock& block) {
        block.start.access_list.resize(600);
    };
    const auto with_sets = [](executor::OrderedBlock& block) {
        std::vector<Access> accesses(1 + 600 / sizeof(Access));
        for (std::size_t i = 0; i < accesses.size(); ++i)
            accesses[i].object.slot = Uint256{i};
        block.object_sets.emplace_back(std::move(accesses));
    };
    const auto with_transactions = [](executor::OrderedBlock& block) {
        block.transactions.resize(1 + 600 / sizeof(Transaction));
    };
    for (void (*const say)(executor::OrderedBlock&) :
         {+with_list, +with_sets, +with_transactions}) {
        ScriptedChain origin(500);
        FakeChain chain(origin);
        std::atomic<std::uint64_t> most_ahead = 0;
        origin.on_answer([&](std::vector<FetchedBlock>& blocks) {
            const std::uint64_t first = blocks.front().block.start.header.number;
            most_ahead = std::max(most_ahead.load(), first - std::min(first, chain.head().number));
            for (FetchedBlock& fetched : blocks) {
                fetched.block.start.encoded_size_bytes = 1;
                say(fetched.block);
            }
        });
        chain.set_delay(1ms);
        Follower follower(chain, ask(origin), three_blocks_of(600));
        ASSERT_TRUE(chain.wait_for(100));
        EXPECT_LE(most_ahead, kMostAheadOfThree);
    }
}

TEST_F(BlockWindowTest, tells_how_much_gas_blocks_may_have) {
    ScriptedChain origin(50);
    // Who says to have any gas raises the bound of no other, whatever becomes of it.
    origin.grow(250, ~std::uint64_t{0});
    FakeChain chain(origin);
    const std::uint64_t most_at_first = 2 * chain.head_gas_limit();  // with the first base fee
    std::atomic<std::uint64_t> most = 0;
    origin.on_bound([&](std::uint64_t first, const GasBound& bound) {
        EXPECT_LT(bound.number, first);
        most = std::max(most.load(), bound.at(bound.number));
    });
    FollowOptions options = quick();
    options.batch = 4;
    options.max_ready_blocks = 16;
    Follower follower(chain, ask(origin), std::move(options));
    ASSERT_TRUE(chain.wait_for(300));
    EXPECT_EQ(most, most_at_first);
}

}  // namespace
}  // namespace heddle::consensus_adapter::follow
