// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A subscription and a lane that answers what a test says.
#include "lanes/lane_subscription.hpp"

#include <atomic>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../follow/hostile_server.hpp"
#include "program/temporary_folder.hpp"

namespace heddle::node::lanes {
namespace {

using consensus_adapter::lanes::LaneBlock;
using consensus_adapter::lanes::LaneLogHead;
using consensus_adapter::lanes::LaneStore;

Bytes block(std::uint64_t height) {
    Bytes encoded;
    encode_lane_block(LaneBlock{.lane = 1, .height = height, .cut = {}, .items = {}}, encoded);
    return encoded;
}

// Whoever waits for heights to be kept is woken by on_blocks alone. Those of an answer in which a
// later one is wrong were kept, and nobody was told.
TEST(LaneSubscription, blocks_that_were_kept_before_a_wrong_one_are_told_of) {
    const LaneLogHead head{1, 3, 0};
    follow::test::PoliteServer lane;
    lane.on("lane_status", [&](const rpc::Call&, JsonWriter& out) {
        out.raw(R"({"lane":"0x1","laneCount":"0x3","leading":"0x0","chainId":"0x539",)"
                R"("height":"0x3","waiting":"0x0","timeUs":"0x1"})");
    });
    lane.on("lane_blocks", [&](const rpc::Call&, JsonWriter& out) {
        out.raw(R"({"blocks":[")" + to_hex(block(1)) + R"(",")" + to_hex(block(2)) +
                R"(","0x01"],"height":"0x3","waiting":"0x0","timeUs":"0x1"})");
    });
    lane.start();
    TemporaryFolder folder{"heddle-test-", "a log needs a place"};
    const auto store = LaneStore::open(folder.path() + "/lane-1.log", head).value();
    std::atomic<std::uint64_t> told = 0;  // the height that there was then
    SubscriptionOptions options;
    options.endpoint = lane.endpoint(false);
    options.head = head;
    options.chain_id = 1337;
    options.clock = [] { return std::uint64_t{1}; };
    options.on_blocks = [&] { told = store->height(); };
    options.on_failure = [](const std::string& why) { ADD_FAILURE() << why; };
    LaneSubscription subscription(std::move(options), *store);

    while (subscription.state().fault.empty())
        std::this_thread::yield();
    subscription.stop();

    EXPECT_THAT(subscription.state().fault, testing::HasSubstr("as height 3 is no block"));
    EXPECT_EQ(subscription.state().kept, 2u);
    EXPECT_EQ(told, 2u);
}

}  // namespace
}  // namespace heddle::node::lanes
