// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole nodes over lanes whose validators sign, or do not.
#include "lane_engine_fixture.hpp"

namespace heddle::node {
namespace {

class SignedLanes : public LaneEngineTest {
protected:
    void SetUp() override {
        LaneEngineTest::SetUp();
        start_comets();
    }
    [[nodiscard]] std::unique_ptr<LanesNode> start_signed(const std::string& name = "node") {
        return start_node(name, {.comets = &comets_});
    }
    static std::string fault(LanesNode& node, LaneNumber lane) {
        return node.engine().status().lanes[lane].fault;
    }
    static std::string wait_for_fault(LanesNode& node, LaneNumber lane) {
        wait_until([&] { return !fault(node, lane).empty(); });
        return fault(node, lane);
    }
    /// The others go on, once the leading lane names this one as silent.
    void expect_others_go_on(LanesNode& node, LaneNumber without) {
        const std::uint64_t merged = node.engine().status().merged_number;
        LaneSet silent;
        silent.add(without);
        std::size_t from = 0;
        while (home(from) == without)
            ++from;
        const std::size_t before = node.transactions();
        put(transfer(from, from));
        order(silent);
        node.wait_for_merged(merged + 1);
        EXPECT_EQ(node.transactions(), before + 1);
        for (LaneNumber lane = 0; lane < kLanes; ++lane)
            if (lane != without) EXPECT_EQ(fault(node, lane), "");
    }
};

TEST_F(SignedLanes, make_one_chain_with_nodes_that_check_and_those_that_do_not) {
    const auto checks = start_signed("checks");
    const auto believes = start_node("believes");
    for (int round = 0; round < 3; ++round) {
        put(transfer(0, 1));
        order();
    }
    checks->wait_for_merged(3);
    believes->wait_for_merged(3);
    EXPECT_EQ(checks->hashes(), believes->hashes());
    EXPECT_EQ(checks->transactions(), 3u);
}

TEST_F(SignedLanes, name_one_that_gives_what_nobody_has_signed_and_follow_it_no_more) {
    const auto node = start_signed();
    order();
    node->wait_for_merged(1);
    comets_[1]->sign_by(2, {});
    lanes_[1]->order({Bytes(3, 3)});
    EXPECT_THAT(wait_for_fault(*node, 1), HasSubstr("height 2 of lane 1 as http://127.0.0.1:"));
    EXPECT_THAT(fault(*node, 1), HasSubstr("is not signed: validators with 0 of a power of 20"));
    // It is none of its blocks, whatever it says later.
    comets_[1]->sign_by(2, test::keys_of({"lane-1 a", "lane-1 b"}));
    EXPECT_EQ(node->engine().status().lanes[1].kept, 1u);
    last_[1] = 1;
    expect_others_go_on(*node, 1);
    EXPECT_EQ(node->engine().status().lanes[1].kept, 1u);
    EXPECT_EQ(node->failure(), "");
}

TEST_F(SignedLanes, name_one_whose_block_others_have_signed) {
    const auto node = start_signed();
    order();
    node->wait_for_merged(1);
    comets_[2]->sign_by(2, test::keys_of({"somebody", "else"}));
    lanes_[2]->order({});
    EXPECT_THAT(wait_for_fault(*node, 2), HasSubstr("height 2 of lane 2"));
    EXPECT_THAT(fault(*node, 2), HasSubstr("validators with 0 of a power of 20"));
    last_[2] = 1;
    expect_others_go_on(*node, 2);
}

TEST_F(SignedLanes, name_one_that_gives_other_items_than_its_validators_have_signed) {
    const auto node = start_signed();
    order();
    node->wait_for_merged(1);
    comets_[1]->change(2, [](auto& header) { header.header.data_hash[5] ^= 1; });
    lanes_[1]->order({Bytes(3, 3)});
    EXPECT_THAT(wait_for_fault(*node, 1), HasSubstr("its validators have signed other items"));
    last_[1] = 1;
    expect_others_go_on(*node, 1);
}

TEST_F(SignedLanes, name_one_whose_earlier_blocks_are_others_than_those_signed) {
    comets_[1]->change(3, [](auto& header) { header.header.app_hash[5] ^= 1; });
    LaneSet silent;
    silent.add(1);
    for (int height = 0; height < 3; ++height) {
        lanes_[1]->order({});
        order(silent);  // a cut that named its blocks would be waited for
    }
    const auto node = start_signed();
    node->wait_for_merged(3);
    EXPECT_THAT(wait_for_fault(*node, 1), HasSubstr("have signed another log before it"));
    EXPECT_EQ(node->engine().status().lanes[1].kept, 0u) << "nothing of the batch is kept";
    expect_others_go_on(*node, 1);
}

TEST_F(SignedLanes, wait_for_signatures_that_come_later) {
    const auto node = start_signed();
    order();
    node->wait_for_merged(1);
    comets_[1]->forget_below(1'000);
    order();
    wait_until([&] { return !node->engine().status().lanes[1].trouble.empty(); });
    EXPECT_EQ(fault(*node, 1), "");
    EXPECT_EQ(node->engine().status().lanes[1].kept, 1u);
    comets_[1]->forget_below(1);
    node->wait_for_merged(2);
}

TEST_F(SignedLanes, say_of_two_blocks_of_a_height_whether_both_are_signed) {
    const auto node = start_signed();
    order();
    order();
    node->wait_for_merged(2);
    lanes_[1]->start_anew(folder_ / "other-1.log");
    lanes_[1]->order({});
    lanes_[1]->order({Bytes(3, 3)});
    EXPECT_THAT(wait_for_fault(*node, 1), HasSubstr("; its validators have signed both"));
}

TEST_F(SignedLanes, are_followed_when_their_validators_change) {
    comets_[1]->change_after(2, test::keys_of({"c", "d", "e"}));
    comets_[1]->change_after(5, test::keys_of({"e", "f"}));
    {
        const auto node = start_signed();
        for (int height = 0; height < 4; ++height)
            order();
        node->wait_for_merged(4);
    }
    // A start knows who signs now, and comes over the second change.
    const auto node = start_signed();
    for (int height = 0; height < 4; ++height)
        order();
    node->wait_for_merged(8);
    // Who has nothing yet is led from the genesis file to the validators of now.
    const auto late = start_signed("late");
    late->wait_for_merged(8);
    EXPECT_EQ(late->hashes(), node->hashes());
    // Those that have left sign nothing any more.
    comets_[1]->sign_by(9, test::keys_of({"lane-1 a", "lane-1 b"}));
    lanes_[1]->order({});
    EXPECT_THAT(wait_for_fault(*node, 1), HasSubstr("validators with 0 of a power of 20"));
    EXPECT_THAT(wait_for_fault(*late, 1), HasSubstr("validators with 0 of a power of 20"));
}

}  // namespace
}  // namespace heddle::node
