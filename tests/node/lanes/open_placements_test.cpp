// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/open_placements.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::node::lanes {
namespace {

namespace homes = consensus_adapter::lanes;
using homes::LaneSet;
using testing::ElementsAre;
using testing::IsEmpty;

Hash hash_of(std::uint64_t number) {
    Hash hash;
    for (std::size_t i = 0; i < 8; ++i)
        hash.bytes[i] = static_cast<std::uint8_t>(number >> 8 * i);
    return hash;
}

class OpenPlacementsTest : public testing::Test {
protected:
    static constexpr std::uint64_t kDigests = 1'000'000;  // added to numbers of placements

    static PlacedOne one(std::uint64_t transaction, std::uint64_t nonce = 0,
                         std::uint8_t sender = 1) {
        return {hash_of(transaction), address_from_low64(sender), nonce};
    }
    static LaneSet lanes() { return LaneSet{3}; }
    static Hash digest(std::uint64_t placement) { return hash_of(kDigests + placement); }
    static SentEntry entry(std::uint64_t placement) {
        return {digest(placement), Bytes(100, 1), lanes()};
    }
    OpenPlacements::Due block(std::uint64_t number, const std::vector<Hash>& decided = {}) {
        return open_.on_block(number, decided,
                              [this](const Hash& hash) { return !gone_.contains(hash); });
    }

    OpenPlacements open_;
    std::set<Hash> gone_;  // from the pool
};

TEST_F(OpenPlacementsTest, places_again_at_once_what_is_decided_and_in_no_block) {
    open_.placed(one(1), entry(1));
    const auto due = block(3, {digest(1)});
    EXPECT_THAT(due.place, ElementsAre(hash_of(1)));
    EXPECT_THAT(due.send, IsEmpty());
    EXPECT_FALSE(open_.find(hash_of(1)).has_value()) << "its entry is never sent again";
    EXPECT_EQ(open_.bytes(), 0u);
}

TEST_F(OpenPlacementsTest, forgets_what_is_in_a_block) {
    open_.placed(one(1), entry(1));
    gone_.insert(hash_of(1));
    EXPECT_THAT(block(3, {digest(1)}).place, IsEmpty());
    EXPECT_EQ(open_.size(), 0u);
}

TEST_F(OpenPlacementsTest,
       sends_the_same_entry_again_when_nothing_comes_of_it_less_and_less_often) {
    open_.placed(one(1), entry(1));
    std::vector<std::uint64_t> sent;
    std::uint64_t number = 0;
    OpenPlacements::Due due;
    while (due.place.empty() && number < 1'000) {
        due = block(++number);
        for (const SentEntry& again : due.send) {
            EXPECT_EQ(again.digest, digest(1));
            EXPECT_EQ(again.lanes, lanes());
            sent.push_back(number);
        }
    }
    EXPECT_THAT(sent, ElementsAre(6, 18, 42, 90, 186));
    EXPECT_EQ(number, 378u) << "no lane wants it: it is placed anew";
    EXPECT_THAT(due.place, ElementsAre(hash_of(1)));
    EXPECT_EQ(open_.size(), 0u);
}

TEST_F(OpenPlacementsTest, stops_sending_what_has_left_the_pool) {
    open_.placed(one(1), entry(1));
    gone_.insert(hash_of(1));
    for (std::uint64_t number = 1; number <= 20; ++number)
        EXPECT_THAT(block(number).send, IsEmpty());
    EXPECT_EQ(open_.size(), 0u);
    EXPECT_EQ(open_.bytes(), 0u);
}

TEST_F(OpenPlacementsTest, gives_lanes_that_have_not_taken_it_and_all_when_all_have) {
    open_.placed(one(1), entry(1));
    open_.taken(digest(1), LaneSet{1});
    EXPECT_EQ(open_.find(hash_of(1))->lanes, LaneSet{2});
    open_.taken(digest(1), LaneSet{2});
    EXPECT_EQ(open_.find(hash_of(1))->lanes, lanes());
}

TEST_F(OpenPlacementsTest, sends_all_of_a_lane_again_when_it_is_back) {
    open_.placed(one(1), entry(1));
    open_.placed(one(2, 1), {digest(2), Bytes(100, 1), LaneSet{4}});
    open_.lane_failed(0);
    EXPECT_THAT(block(1).send, IsEmpty());
    open_.lane_answered(0);
    const auto due = block(2);
    ASSERT_EQ(due.send.size(), 1u);
    EXPECT_EQ(due.send.front().digest, digest(1));
    EXPECT_THAT(block(3).send, IsEmpty());
}

// Each return of a lane doubled the time until the next sending: after five of them what the lane
// lost then was sent again after 192 blocks, and held up all of its sender's for so long.
TEST_F(OpenPlacementsTest, does_not_wait_longer_for_lanes_that_went_and_came) {
    open_.placed(one(1), entry(1));
    std::uint64_t number = 0;
    for (int i = 0; i < 8; ++i) {
        open_.lane_failed(0);
        open_.lane_answered(0);
        EXPECT_EQ(block(++number).send.size(), 1u);
    }
    const std::uint64_t last = number;
    while (block(++number).send.empty())
        ASSERT_LT(number, last + 100);
    EXPECT_EQ(number, last + 6);
}

TEST_F(OpenPlacementsTest, holds_up_later_nonces_and_hands_all_in_by_nonce) {
    open_.wait(one(5, 5), LaneSet{1});
    EXPECT_TRUE(open_.is_held_up(one(6, 6)));
    EXPECT_FALSE(open_.is_held_up(one(4, 4)));
    EXPECT_FALSE(open_.is_held_up(one(6, 6, 2))) << "of another sender";
    open_.wait(one(7, 7), {});
    open_.wait(one(6, 6), {});
    EXPECT_THAT(block(1).place, ElementsAre(hash_of(5), hash_of(6), hash_of(7)));
    EXPECT_FALSE(open_.is_held_up(one(8, 8)));
}

TEST_F(OpenPlacementsTest, hands_in_what_waits_for_a_lane_as_soon_as_it_is_back) {
    std::uint64_t number = 0;
    for (int failed = 0; failed < 8; ++failed) {
        open_.wait(one(1), LaneSet{2});
        while (block(++number).place.empty()) {
        }
    }
    open_.wait(one(1), LaneSet{2});
    EXPECT_THAT(block(++number).place, IsEmpty()) << "it pauses by now";
    EXPECT_EQ(open_.failing(), LaneSet{2});
    open_.lane_answered(1);
    EXPECT_THAT(block(++number).place, ElementsAre(hash_of(1)));
}

/// Trigger: a client whose transaction is always decided and never in a block. Symptom: its nodes
/// would place it in every merged block.
TEST_F(OpenPlacementsTest, places_what_always_comes_to_nothing_once_in_32_blocks_at_most) {
    constexpr std::uint64_t kBlocks = 3'200;
    constexpr std::size_t kOfSender = 8;
    std::uint64_t placements = 0;
    std::vector<Hash> decided;
    const auto place = [&](std::uint64_t transaction) {
        open_.placed(one(transaction, transaction), entry(++placements));
        decided.push_back(digest(placements));
    };
    for (std::uint64_t i = 0; i < kOfSender; ++i)
        place(i);
    for (std::uint64_t number = 1; number <= kBlocks; ++number) {
        const auto due = block(number, std::exchange(decided, {}));
        for (std::uint64_t i = 0; i < due.place.size(); ++i)
            place(i);
    }
    EXPECT_LE(placements, kOfSender * (kBlocks / 32 + 8));
    EXPECT_GE(placements, kOfSender * (kBlocks / 32 - 8)) << "and is not given up";
}

TEST_F(OpenPlacementsTest, begins_anew_with_pauses_after_one_that_went_into_a_block) {
    std::uint64_t number = 0;
    for (std::uint64_t i = 1; i <= 6; ++i) {
        open_.placed(one(1), entry(i));
        auto due = block(++number, {digest(i)});
        while (due.place.empty())
            due = block(++number);
    }
    open_.placed(one(2, 1), entry(7));
    gone_.insert(hash_of(2));
    EXPECT_THAT(block(++number, {digest(7)}).place, IsEmpty());
    open_.placed(one(1), entry(8));
    EXPECT_THAT(block(++number, {digest(8)}).place, ElementsAre(hash_of(1)));
}

TEST_F(OpenPlacementsTest, keeps_no_more_than_it_may) {
    OpenPlacementsOptions options;
    options.most_bytes = 250;
    options.most_senders = 2;
    options.most_sent = 1;
    OpenPlacements open{options};
    for (std::uint64_t i = 1; i <= 5; ++i)
        open.placed(one(i, i), entry(i));
    EXPECT_EQ(open.size(), 2u);
    EXPECT_EQ(open.bytes(), 200u);
    for (std::uint8_t sender = 1; sender <= 5; ++sender)
        open.wait(one(sender, 0, sender), {});
    const auto always = [](const Hash&) { return true; };
    EXPECT_EQ(open.on_block(7, {}, always).place.size(), 2u);
    EXPECT_EQ(open.on_block(8, {}, always).send.size(), 1u);
    EXPECT_EQ(open.on_block(9, {}, always).send.size(), 0u) << "both were due, one a block";
}

}  // namespace
}  // namespace heddle::node::lanes
