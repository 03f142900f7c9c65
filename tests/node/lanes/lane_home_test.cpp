// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_home.hpp"

#include <fstream>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/error.hpp"
#include "temporary_folder.hpp"

namespace heddle::node::lanes {
namespace {

using heddle::test::TemporaryFolder;

LaneHome sample() {
    LaneHome home;
    home.head = {1, 3, 2};
    home.comet_chain_id = "heddle-1337-lane-1";
    home.chain_id = 1337;
    home.mover = address_from_low64(7);
    home.min_fee_per_gas = 9;
    home.silence_ms = 700;
    home.abci = "tcp://127.0.0.9:26658";
    home.address = "127.0.0.9";
    home.port = 8601;
    home.lanes = {{"http://a:1"}, {"http://b:2", "http://b:3", "http://b:4"}, {"http://c:3"}};
    home.nodes = {"http://d:4", "http://e:5"};
    return home;
}

void write(const TemporaryFolder& folder, const std::string& text) {
    std::ofstream{folder / "lane.json"} << text;
}

TEST(LaneHome, is_read_as_it_was_written) {
    const TemporaryFolder folder;
    write(folder, print_lane_home(sample()));
    const LaneHome home = LaneHome::load(folder.path());
    EXPECT_EQ(print_lane_home(home), print_lane_home(sample()));
    EXPECT_EQ(home.head, sample().head);
    EXPECT_EQ(home.mover, sample().mover);
    EXPECT_EQ(home.nodes, sample().nodes);
}

TEST(LaneHome, may_name_one_validator_of_a_lane_without_a_list) {
    const TemporaryFolder folder;
    const std::regex list{R"(\[\s*("http://a:1")\s*\])"};
    const std::string text = std::regex_replace(print_lane_home(sample()), list, "$1");
    ASSERT_NE(text, print_lane_home(sample()));
    write(folder, text);
    EXPECT_EQ(LaneHome::load(folder.path()).lanes, sample().lanes);
}

TEST(LaneHome, that_makes_no_sense_is_named_with_the_member) {
    const TemporaryFolder folder;
    const auto refusal = [&](auto change) {
        LaneHome home = sample();
        change(home);
        write(folder, print_lane_home(home));
        try {
            (void)LaneHome::load(folder.path());
        } catch (const InputError& error) {
            return std::string{error.what()};
        }
        return std::string{};
    };
    EXPECT_THAT(refusal([](LaneHome& home) { home.head.lane = 3; }), testing::HasSubstr("count"));
    EXPECT_THAT(refusal([](LaneHome& home) { home.head.leading = 3; }),
                testing::HasSubstr("count"));
    EXPECT_THAT(refusal([](LaneHome& home) { home.head.lane_count = 0; }),
                testing::HasSubstr("count"));
    EXPECT_THAT(refusal([](LaneHome& home) { home.lanes.pop_back(); }),
                testing::HasSubstr("of each lane"));
    EXPECT_THAT(refusal([](LaneHome& home) { home.nodes.assign(17, "http://d:4"); }),
                testing::HasSubstr("at most 16 nodes"));
    EXPECT_THAT(refusal([](LaneHome& home) { home.lanes[1].clear(); }),
                testing::HasSubstr("validators of a lane"));
    EXPECT_THAT(
        refusal([](LaneHome& home) { home.lanes[1].resize(kMostWitnesses + 1, "http://a"); }),
        testing::HasSubstr("validators of a lane"));
    EXPECT_THAT(refusal([](LaneHome& home) { home.lanes[1][2] = home.lanes[1][0]; }),
                testing::HasSubstr("http://b:2 is named twice"));
    write(folder, "{}");
    EXPECT_THROW((void)LaneHome::load(folder.path()), InputError);
}

}  // namespace
}  // namespace heddle::node::lanes
