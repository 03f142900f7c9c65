// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A subscription and a lane that answers what a test says.
#include "lanes/lane_subscription.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../follow/hostile_server.hpp"
#include "temporary_folder.hpp"

namespace heddle::node::lanes {
namespace {

using consensus_adapter::lanes::LaneBlock;
using consensus_adapter::lanes::LaneLogHead;
using consensus_adapter::lanes::LaneStore;

Bytes block(std::uint64_t height, std::vector<Bytes> items = {}) {
    Bytes encoded;
    encode_lane_block(LaneBlock{.lane = 1, .height = height, .cut = {}, .items = std::move(items)},
                      encoded);
    return encoded;
}

/// A lane whose log is what a test says, and a subscription to it that keeps what it takes.
class LaneSubscriptionTest : public testing::Test {
protected:
    void SetUp() override {
        lane_.on("lane_status", [](const rpc::Call&, JsonWriter& out) {
            out.raw(R"({"lane":"0x1","laneCount":"0x3","leading":"0x0","chainId":"0x539",)"
                    R"("height":"0x3","waiting":"0x0","timeUs":"0x1"})");
        });
        lane_.on("lane_blocks", [this](const rpc::Call& call, JsonWriter& out) {
            const std::uint64_t from = call.params.at(0).uint64();
            const std::scoped_lock lock{mutex_};
            ++questions_;
            if (on_question_) on_question_(from);
            std::string blocks;
            const std::uint64_t end = std::min<std::uint64_t>(log_.size(), from - 1 + most_);
            for (std::uint64_t height = from; height <= end; ++height)
                blocks += (blocks.empty() ? "\"" : ",\"") + to_hex(log_[height - 1]) + '"';
            out.raw(R"({"blocks":[)" + blocks +
                    R"(],"height":"0x3","waiting":"0x0",)"
                    R"("timeUs":"0x1"})");
        });
        lane_.start();
    }
    void set_log(std::vector<Bytes> log) {
        const std::scoped_lock lock{mutex_};
        log_ = std::move(log);
    }
    int questions() {
        const std::scoped_lock lock{mutex_};
        return questions_;
    }
    std::unique_ptr<LaneSubscription> follow(std::chrono::milliseconds fault_pause) {
        SubscriptionOptions options;
        options.endpoint = lane_.endpoint(false);
        options.head = head_;
        options.chain_id = 1337;
        options.fault_pause = fault_pause;
        options.clock = [] { return std::uint64_t{1}; };
        options.on_blocks = [this] { told_ = store_->height(); };
        options.on_failure = [](const std::string& why) { ADD_FAILURE() << why; };
        return std::make_unique<LaneSubscription>(std::move(options), *store_);
    }
    static void wait_until(const std::function<bool()>& condition) {
        while (!condition())
            std::this_thread::yield();
    }

    const LaneLogHead head_{1, 3, 0};
    heddle::test::TemporaryFolder folder_;
    const std::unique_ptr<LaneStore> store_ =
        LaneStore::open(folder_ / "lane-1.log", head_).value();
    std::atomic<std::uint64_t> told_ = 0;  // the height that there was when blocks were told of
    std::mutex mutex_;                     // guards the next
    std::vector<Bytes> log_;
    std::uint64_t most_ = 64;  // blocks of an answer
    std::function<void(std::uint64_t)> on_question_;
    int questions_ = 0;
    follow::test::PoliteServer lane_;
};

// Whoever waits for heights to be kept is woken by on_blocks alone. Those of an answer in which a
// later one is wrong were kept, and nobody was told.
TEST_F(LaneSubscriptionTest, blocks_that_were_kept_before_a_wrong_one_are_told_of) {
    set_log({block(1), block(2), {1}});
    const auto subscription = follow(std::chrono::hours{1});
    wait_until([&] { return !subscription->state().fault.empty(); });
    subscription->stop();

    EXPECT_THAT(subscription->state().fault, testing::HasSubstr("as height 3 is no block"));
    EXPECT_EQ(subscription->state().kept, 2u);
    EXPECT_EQ(told_, 2u);
    EXPECT_EQ(questions(), 1);
}

// Until the node was started again, whatever its operator did.
TEST_F(LaneSubscriptionTest, a_lane_that_was_at_fault_is_followed_when_it_is_mended) {
    set_log({block(1), block(2), {1}});
    const auto subscription = follow(std::chrono::milliseconds{1});
    wait_until([&] { return questions() >= 4; });
    EXPECT_THAT(subscription->state().fault, testing::HasSubstr("as height 3 is no block"));
    EXPECT_EQ(subscription->state().kept, 2u);

    set_log({block(1), block(2), block(3)});
    wait_until([&] { return subscription->state().fault.empty(); });
    EXPECT_EQ(subscription->state().kept, 3u);
    subscription->stop();
    EXPECT_EQ(told_, 3u);
}

// A large block is an answer of its own: what follows the last one kept comes with the next one.
// Each time the last one was given right the lane was followed again, for a moment.
TEST_F(LaneSubscriptionTest, a_lane_stays_at_fault_while_it_gives_only_what_is_kept) {
    std::unique_ptr<LaneSubscription> subscription;
    std::vector<std::string> faults;  // when it is asked for the wrong block again
    {
        const std::scoped_lock lock{mutex_};
        log_ = {block(1), block(2), {1}};
        most_ = 1;
        on_question_ = [&](std::uint64_t from) {
            if (from == 3 && subscription) faults.push_back(subscription->state().fault);
        };
    }
    {
        auto followed = follow(std::chrono::milliseconds{1});
        const std::scoped_lock lock{mutex_};
        subscription = std::move(followed);
    }
    wait_until([&] {
        const std::scoped_lock lock{mutex_};
        return faults.size() >= 4;
    });
    for (std::size_t i = 1; i < faults.size(); ++i)
        EXPECT_THAT(faults[i], testing::HasSubstr("as height 3 is no block"));

    set_log({block(1), block(2), block(3)});
    wait_until([&] { return subscription->state().fault.empty(); });
    EXPECT_EQ(subscription->state().kept, 3u);
    subscription->stop();
}

TEST_F(LaneSubscriptionTest, a_lane_that_has_decided_two_things_is_followed_by_what_is_kept_only) {
    set_log({block(1), block(2)});
    const auto subscription = follow(std::chrono::milliseconds{1});
    wait_until([&] { return subscription->state().kept == 2; });
    const Bytes other = block(2, {Bytes{7}});
    lane_.stop();  // only who was away is asked for the last block again
    set_log({block(1), other, block(3)});
    lane_.start();
    wait_until([&] { return !subscription->state().fault.empty(); });
    const int before = questions();
    wait_until([&] { return questions() >= before + 3; });
    EXPECT_THAT(subscription->state().fault, testing::HasSubstr("two blocks of height 2"));
    EXPECT_EQ(subscription->state().kept, 2u);

    set_log({block(1), block(2), block(3)});
    wait_until([&] { return subscription->state().kept == 3; });
    subscription->stop();
    EXPECT_EQ(keccak256(store_->read(2).value()), keccak256(block(2)));
}

}  // namespace
}  // namespace heddle::node::lanes
