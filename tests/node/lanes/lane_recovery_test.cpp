// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a node over lanes begins after a stop, and what it keeps for that.
#include "lane_engine_fixture.hpp"

#include <filesystem>

namespace heddle::node {
namespace {

TEST_F(LaneEngineTest, goes_on_from_its_checkpoint_with_what_waited_there) {
    const auto [a, b] = apart();
    const homes::Entry both = transfer(a, b);
    for (const auto& lane : lanes_)
        lane->retain(1);
    const auto whole = start_node("whole");
    {
        const auto node = start_node();
        put(transfer(b, b));
        put(both, home(b));  // the other half comes after the start
        order();
        put(transfer(b, b));  // waits for it
        order();
        node->wait_for_merged(2);
    }
    // Neither the logs here nor, from the next height on, the lanes have what was before.
    for (int lane = 0; lane < kLanes; ++lane)
        std::filesystem::remove(folder_ / "node/lanes/lane-" + std::to_string(lane) + ".log");
    whole->wait_for_merged(2);
    next_[home(b)].push_back(encode(both));
    order();
    const auto node = start_node();
    node->wait_for_merged(3);
    whole->wait_for_merged(3);
    EXPECT_EQ(node->hashes(), whole->hashes());
    EXPECT_EQ(node->transactions(), 3u);
    EXPECT_EQ(node->engine().status().waiting, 0u);

    // Who has no checkpoint cannot begin, and is told why.
    const auto late = start_node("late");
    wait_until([&] { return !late->engine().status().lanes[0].trouble.empty(); });
    EXPECT_THAT(late->engine().status().lanes[0].trouble, HasSubstr("were given up here"));
    EXPECT_EQ(late->engine().status().merged_number, 0u);
}

TEST_F(LaneEngineTest, begins_with_the_data_and_the_checkpoint_of_another_node) {
    const HomeUnit unit{account(apart().second), {}};
    const LaneNumber to = home(apart().first);
    {
        const auto node = start_node("first");
        put(move(apart().second, unit, to));
        put(transfer(0, 1));
        order();
        node->wait_for_merged(1);
    }
    std::filesystem::copy(folder_ / "first", folder_ / "second",
                          std::filesystem::copy_options::recursive);
    for (int lane = 0; lane < kLanes; ++lane)
        std::filesystem::remove(folder_ / "second/lanes/lane-" + std::to_string(lane) + ".log");
    directory_.move(unit, {to, 1});
    put(transfer(apart().second, 3));
    order();
    const auto first = start_node("first");
    const auto second = start_node("second");
    first->wait_for_merged(2);
    second->wait_for_merged(2);
    EXPECT_EQ(first->hashes(), second->hashes());
    EXPECT_EQ(second->transactions(), 3u);
    EXPECT_EQ(second->engine().status().wrong_home, 0u);
}

TEST_F(LaneEngineTest, uses_the_checkpoint_before_where_the_last_one_is_no_good) {
    std::vector<Hash> before;
    {
        LanesNode node(folder_ / "node", lanes_, {.checkpoint_blocks = 2});
        for (int i = 0; i < 7; ++i) {
            put(transfer(0, 1));
            order();
        }
        node.wait_for_merged(7);
        before = node.hashes();
    }
    const std::string last = folder_ / "node/lanes/merge.checkpoint";
    const std::string earlier = last + ".before";
    ASSERT_TRUE(std::filesystem::exists(last));
    ASSERT_TRUE(std::filesystem::exists(earlier));
    for (const std::string& damaged : {last, earlier}) {
        std::filesystem::resize_file(damaged, std::filesystem::file_size(damaged) - 1);
        const auto node = start_node();
        node->wait_for_merged(7);
        EXPECT_EQ(node->hashes(), before) << damaged;
    }
}

TEST_F(LaneEngineTest, keeps_digests_of_logs_as_far_as_they_are_merged_not_as_they_are_offered) {
    const std::string checkpoint = folder_ / "node/lanes/merge.checkpoint";
    for (std::uint64_t round = 0; round < 5; ++round) {
        std::vector<Hash> merged;
        {
            const auto node = start_node();
            put(transfer(0, 1));
            order();
            node->wait_for_merged(2 * round + 1);
            for (const auto& lane : lanes_)
                merged.push_back(lane->store()->digest());
            // The next cut needs a block of lane 1, which is there, and one of lane 2 that is not.
            lanes_[1]->order({});
            lanes_[0]->cut({0, lanes_[1]->height(), lanes_[2]->height() + 1});
            wait_until([&] {
                const auto status = node->engine().status();
                return status.lanes[0].kept == lanes_[0]->height() &&
                       status.lanes[1].kept == lanes_[1]->height();
            });
        }
        const auto kept = lanes::read_checkpoint(checkpoint);
        ASSERT_TRUE(kept.has_value() && kept->has_value());
        EXPECT_EQ((*kept)->log_digests, merged) << "round " << round;
        lanes_[2]->order({});
    }
}

TEST_F(LaneEngineTest, gives_up_blocks_of_its_logs_that_no_checkpoint_needs) {
    LanesNode node(folder_ / "node", lanes_, {.checkpoint_blocks = 2, .retain_blocks = 3});
    for (int i = 0; i < 30; ++i) {
        put(transfer(0, 1));
        order();
    }
    node.wait_for_merged(30);
    const std::string log = folder_ / "node/lanes/lane-0.log";
    const auto is_shortened = [&] {
        const auto reader = homes::LaneLogReader::open(log);
        return !reader.has_value();
    };
    // The thread of the lane does it.
    for (int i = 0; !is_shortened(); ++i) {
        order();
        node.wait_for_merged(31 + static_cast<std::uint64_t>(i));
    }
    EXPECT_EQ(node.transactions(), 30u);
}

}  // namespace
}  // namespace heddle::node
