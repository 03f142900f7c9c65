// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_validators.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/error.hpp"
#include "temporary_folder.hpp"
#include "test_comet.hpp"
#include "test_lane.hpp"

namespace heddle::node::lanes {
namespace {

namespace cometbft = consensus_adapter::cometbft;
using test::keys_of;
using testing::HasSubstr;

/// A lane of ten heights: a and b sign to 3, b and c to 6, then d.
class LaneValidatorsTest : public testing::Test {
protected:
    LaneValidatorsTest()
        : lane_(folder_.path(), {0, 1, 0}),
          comet_([this] { return lane_.store(); }, "lane", keys_of({"a", "b"})),
          client_(comet_.endpoint(), stop_.get_token()) {
        for (std::uint64_t height = 1; height <= 10; ++height)
            lane_.cut({height});
        comet_.change_after(3, keys_of({"b", "c"}));
        comet_.change_after(6, keys_of({"d"}));
    }
    [[nodiscard]] std::string path() const { return folder_ / "lane-0.validators"; }
    [[nodiscard]] LaneValidators start() { return {comet_.first(), path()}; }
    /// What is wrong with the header; empty: it is believed.
    std::string doubt(LaneValidators& validators, std::uint64_t verified, std::uint64_t height) {
        const auto header = validators.header(client_, verified, height);
        return header.has_value() ? "" : header.error().sentence;
    }
    std::string doubt_of_jump(LaneValidators& validators, std::uint64_t height) {
        const auto header = validators.jump(client_, height);
        return header.has_value() ? "" : header.error().sentence;
    }
    static Hash hash(const cometbft::TrustedValidators& validators) {
        return cometbft::validators_hash(validators);
    }
    [[nodiscard]] static Hash hash_of(const std::vector<std::string>& names) {
        return hash(test::validators_of(keys_of(names), "lane"));
    }

    const heddle::test::TemporaryFolder folder_;
    std::stop_source stop_;
    test::TestLane lane_;
    test::TestComet comet_;
    CommitClient client_;
};

TEST_F(LaneValidatorsTest, ask_for_one_header_where_nobody_changes) {
    LaneValidators validators = start();
    EXPECT_EQ(doubt(validators, 0, 2), "");
    EXPECT_EQ(comet_.asked(), 1u);
    EXPECT_EQ(validators.changes(), 0u);
    EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(LaneValidatorsTest, learn_from_a_header_who_signs_the_next) {
    LaneValidators validators = start();
    EXPECT_EQ(doubt(validators, 0, 3), "");
    EXPECT_EQ(comet_.asked(), 1u);
    EXPECT_EQ(hash(validators.at(3)), hash_of({"a", "b"}));
    EXPECT_EQ(hash(validators.at(4)), hash_of({"b", "c"}));
    EXPECT_EQ(doubt(validators, 3, 5), "");
    EXPECT_EQ(comet_.asked(), 2u);
}

TEST_F(LaneValidatorsTest, go_through_every_header_where_they_have_changed) {
    LaneValidators validators = start();
    EXPECT_EQ(doubt(validators, 0, 10), "");
    EXPECT_EQ(comet_.asked(), 10u) << "each height once";
    EXPECT_EQ(hash(validators.at(10)), hash_of({"d"}));
    EXPECT_EQ(hash(validators.at(6)), hash_of({"b", "c"}));
}

TEST_F(LaneValidatorsTest, doubt_whatever_a_header_between_does_not_lead_to) {
    comet_.sign_by(4, keys_of({"c"}));
    LaneValidators validators = start();
    EXPECT_THAT(doubt(validators, 0, 10),
                HasSubstr("height 4: validators with 10 of a power of 20"));
    EXPECT_EQ(hash(validators.at(10)), hash_of({"b", "c"})) << "as far as it was signed";
    EXPECT_FALSE(validators.header(client_, 0, 10).error().sentence.empty());
    EXPECT_TRUE(validators.header(client_, 0, 10).error().is_fault);
}

TEST_F(LaneValidatorsTest, doubt_a_header_that_names_others_than_the_one_before) {
    comet_.change(5, [](cometbft::SignedHeader& header) {
        header.header.validators_hash = test::bytes_of(hash_of({"evil"}));
    });
    comet_.sign_by(5, keys_of({"b", "c", "evil"}));
    LaneValidators validators = start();
    EXPECT_THAT(doubt(validators, 0, 10), HasSubstr("height 5: the header names other validators"));
}

TEST_F(LaneValidatorsTest, take_no_list_but_the_one_whose_hash_was_signed) {
    comet_.lie_about(4, keys_of({"b", "evil"}));
    LaneValidators validators = start();
    EXPECT_THAT(doubt(validators, 0, 3), HasSubstr("gives for height 4 are not those that were"));
    EXPECT_EQ(hash(validators.at(4)), hash_of({"a", "b"}));
}

TEST_F(LaneValidatorsTest, are_known_again_after_a_start) {
    {
        LaneValidators validators = start();
        EXPECT_EQ(doubt(validators, 0, 3), "");
        // Blocks may not be kept yet: what is asked for again is believed as well.
    }
    LaneValidators validators = start();
    EXPECT_EQ(hash(validators.at(4)), hash_of({"b", "c"}));
    EXPECT_EQ(doubt(validators, 0, 3), "");
    EXPECT_EQ(doubt(validators, 0, 2), "");
    EXPECT_EQ(doubt(validators, 3, 10), "");
    EXPECT_EQ(doubt(validators, 10, 10), "");
    LaneValidators again = start();
    EXPECT_EQ(hash(again.at(11)), hash_of({"d"}));
    EXPECT_LE(again.changes(), 2u) << "what nobody needs any more is not kept";
}

TEST_F(LaneValidatorsTest, refuse_a_file_that_is_damaged_or_of_another_network) {
    {
        LaneValidators validators = start();
        EXPECT_EQ(doubt(validators, 0, 3), "");
    }
    EXPECT_THROW(LaneValidators(test::validators_of(keys_of({"a"}), "other"), path()), InputError);
    std::string text;
    std::getline(std::ifstream{path()}, text, '\0');
    const auto place = text.rfind("\"power\"");
    ASSERT_NE(place, std::string::npos);
    text.replace(text.find("10", place), 2, "11");
    std::ofstream{path()} << text;
    EXPECT_THROW((void)start(), InputError);
}

TEST_F(LaneValidatorsTest, jump_over_what_is_not_there_by_a_third_of_those_who_are_known) {
    comet_.forget_below(5);
    LaneValidators validators = start();
    // b, of a and b, has signed height 5 with c.
    EXPECT_EQ(doubt_of_jump(validators, 5), "");
    EXPECT_EQ(hash(validators.at(5)), hash_of({"b", "c"}));
    EXPECT_EQ(doubt(validators, 5, 10), "");

    // Of b and c nobody signs height 7; of a and b neither.
    LaneValidators other(test::validators_of(keys_of({"a", "b"}), "lane"), "");
    EXPECT_THAT(doubt_of_jump(other, 7), HasSubstr("0 of a power of 20 have signed it"));
    EXPECT_THAT(doubt_of_jump(other, 7), HasSubstr("lanes.genesis"));
}

TEST_F(LaneValidatorsTest, jump_to_no_header_that_its_own_validators_have_not_signed) {
    comet_.sign_by(5, keys_of({"b"}));
    LaneValidators validators = start();
    EXPECT_THAT(doubt_of_jump(validators, 5), HasSubstr("validators with 10 of a power of 20"));
}

TEST_F(LaneValidatorsTest, ask_again_for_what_is_not_there_yet) {
    LaneValidators validators = start();
    const auto header = validators.header(client_, 10, 11);
    ASSERT_FALSE(header.has_value());
    EXPECT_FALSE(header.error().is_fault);
}

}  // namespace
}  // namespace heddle::node::lanes
