// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_placer.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <consensus_adapter/lanes/move.hpp>

#include "../cometbft/test_node.hpp"
#include "chain/dev_chain.hpp"
#include "temporary_folder.hpp"

namespace heddle::node::lanes {
namespace {

namespace homes = consensus_adapter::lanes;
using consensus_adapter::cometbft::BroadcastResult;
using consensus_adapter::cometbft::CometError;
using homes::Entry;
using homes::LaneNumber;
using testing::ElementsAre;

constexpr std::size_t kLanes = 3;

class LanePlacerTest : public testing::Test {
protected:
    LanePlacerTest()
        : node_(folder_ / "data"),
          merged_(node_.chain(), node_.application(), {homes::make_even_ranges(kLanes), {}}) {
        PlacerOptions options;
        options.clock = [this] { return now_us_; };
        options.offset_us = [](LaneNumber lane) { return 1'000 * std::int64_t{lane}; };
        options.silent = [this] { return silent_; };
        placer_ = std::make_unique<LanePlacer>(
            PlacerParts{node_.chain(), node_.mempool(), merged_, placed_, open_},
            std::move(options),
            [this](LaneNumber lane, std::span<const Bytes> entries)
                -> std::expected<std::vector<BroadcastResult>, CometError> {
                if (stops_at_ == lane) placer_->stop();
                if (away_.has(lane)) return std::unexpected(CometError{{}, "away"});
                for (const Bytes& entry : entries)
                    if (!full_.has(lane)) sent_[lane].push_back(read(entry, lane));
                return std::vector<BroadcastResult>(
                    entries.size(),
                    full_.has(lane) ? BroadcastResult::mempool_full : BroadcastResult::accepted);
            });
    }
    static Entry read(const Bytes& bytes, LaneNumber lane) {
        auto entry = homes::decode_entry(bytes, lane, kLanes);
        EXPECT_TRUE(entry.has_value());
        return *std::move(entry);
    }
    /// Takes it into the pool. @return its network form.
    Bytes pool(Transaction tx) {
        Bytes encoded;
        encode_transaction(tx, encoded);
        EXPECT_TRUE(node_.mempool().add(encoded, Origin::submitted).has_value());
        return encoded;
    }
    [[nodiscard]] LaneNumber home(std::size_t account) const {
        return merged_.home_of({dev_accounts()[account].address, {}}).lane;
    }
    [[nodiscard]] static Address address(std::size_t account) {
        return dev_accounts()[account].address;
    }
    /// A development account at home elsewhere.
    [[nodiscard]] std::size_t far_from(std::size_t account) const {
        for (std::size_t other = 0; other < 10; ++other)
            if (home(other) != home(account)) return other;
        ADD_FAILURE();
        return 0;
    }
    [[nodiscard]] BroadcastResult place(const Bytes& encoded) {
        const auto results = placer_->broadcast({&encoded, 1});
        EXPECT_TRUE(results.has_value());
        return results.has_value() ? results->front() : BroadcastResult::refused;
    }
    [[nodiscard]] std::size_t at_home_in(LaneNumber lane) const {
        for (std::size_t account = 0; account < 10; ++account)
            if (home(account) == lane) return account;
        ADD_FAILURE();
        return 0;
    }
    [[nodiscard]] OpenPlacements::Due due(std::uint64_t block) {
        return open_.on_block(block, {}, [](const Hash&) { return true; });
    }
    [[nodiscard]] std::size_t sent() const {
        std::size_t count = 0;
        for (const auto& [lane, entries] : sent_)
            count += entries.size();
        return count;
    }
    static void add(homes::LaneSet& set, LaneNumber lane) { set.add(lane); }

    const heddle::test::TemporaryFolder folder_;
    test::TestNode node_;
    MergedChain merged_;
    PlacedTransactions placed_;
    OpenPlacements open_;
    std::uint64_t now_us_ = 1'700'000'000'000'000;
    homes::LaneSet away_;
    homes::LaneSet silent_;
    homes::LaneSet full_;
    std::optional<LaneNumber> stops_at_;  // while this one is asked
    std::map<LaneNumber, std::vector<Entry>> sent_;
    std::unique_ptr<LanePlacer> placer_;
};

TEST_F(LanePlacerTest, sends_a_transaction_to_the_homes_of_what_it_accesses) {
    const std::size_t to = far_from(0);
    const Bytes encoded = pool(test::call(0, 0, address(to)));
    EXPECT_EQ(place(encoded), BroadcastResult::accepted);
    ASSERT_EQ(sent(), 2u);
    const Entry& one = sent_[home(0)].at(0);
    EXPECT_EQ(one, sent_[home(to)].at(0)) << "the same in both";
    EXPECT_EQ(one.payload, encoded);
    EXPECT_EQ(one.placement.insert_at_us, now_us_ + 1'000 * std::max(home(0), home(to)) + 2'000);
    const auto said = placed_.find(keccak256(encoded));
    ASSERT_TRUE(said.has_value());
    EXPECT_EQ(said->lanes.size(), 2u);
    EXPECT_EQ(said->outcome, "");
    placed_.note_failed(one.digest, "was rejected");
    EXPECT_EQ(placed_.find(keccak256(encoded))->outcome, "was rejected");
}

TEST_F(LanePlacerTest, executes_what_comes_before_in_the_pool_to_know_what_is_accessed) {
    const std::size_t to = far_from(0);
    (void)pool(test::call(0, 0, address(0)));
    const Bytes second = pool(test::call(0, 1, address(to)));
    EXPECT_EQ(place(second), BroadcastResult::accepted);
    ASSERT_EQ(sent_[home(0)].size(), 1u);
    EXPECT_EQ(sent_[home(to)].size(), 1u);
}

TEST_F(LanePlacerTest, keeps_the_order_of_a_sender_whatever_homes_its_transactions_have) {
    const std::size_t to = far_from(0);
    const std::vector<Bytes> both{pool(test::call(0, 0, address(to))),
                                  pool(test::call(0, 1, address(0)))};
    ASSERT_TRUE(placer_->broadcast(both).has_value());
    const auto& entries = sent_[home(0)];
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_LE(entries[0].placement.insert_at_us, entries[1].placement.insert_at_us);
    EXPECT_LT(entries[0].placement.id, entries[1].placement.id);
}

TEST_F(LanePlacerTest, finishes_what_a_lane_had_no_room_for_with_the_same_entry) {
    const std::size_t to = far_from(0);
    const Bytes encoded = pool(test::call(0, 0, address(to)));
    add(full_, home(to));
    EXPECT_EQ(place(encoded), BroadcastResult::mempool_full);
    full_ = {};
    EXPECT_EQ(place(encoded), BroadcastResult::accepted);
    ASSERT_EQ(sent_[home(0)].size(), 1u);
    EXPECT_EQ(sent_[home(0)], sent_[home(to)]);
}

TEST_F(LanePlacerTest, sends_no_half_while_a_lane_is_away_and_others_go_on) {
    // Lanes are asked in their order, so the one that is away is found out first.
    const std::size_t from = at_home_in(0);
    const std::size_t to = at_home_in(1);
    const Bytes far = pool(test::call(from, 0, address(to)));
    const Bytes near = pool(test::call(to, 0, address(to)));
    add(away_, 0);
    // Who is the first to find out has no lane at all to go on with.
    EXPECT_FALSE(placer_->broadcast({&far, 1}).has_value());
    EXPECT_EQ(place(far), BroadcastResult::refused);
    EXPECT_EQ(sent(), 0u);
    EXPECT_EQ(open_.size(), 0u);
    EXPECT_EQ(place(near), BroadcastResult::accepted);
    EXPECT_EQ(sent(), 1u);
    // What comes after it waits with it.
    const Bytes next = pool(test::call(from, 1, address(from)));
    EXPECT_EQ(place(next), BroadcastResult::refused);
    EXPECT_THAT(due(1).place, ElementsAre(keccak256(far), keccak256(next)));
}

TEST_F(LanePlacerTest, has_what_a_lane_took_while_another_is_away_open) {
    const std::size_t from = at_home_in(0);
    const std::size_t to = at_home_in(1);
    const Bytes far = pool(test::call(from, 0, address(to)));
    add(away_, 1);
    EXPECT_EQ(place(far), BroadcastResult::accepted);
    ASSERT_EQ(sent_[0].size(), 1u);
    ASSERT_TRUE(open_.find(keccak256(far)).has_value());
    EXPECT_EQ(open_.find(keccak256(far))->lanes, homes::LaneSet{2}) << "what is left";
    EXPECT_EQ(place(far), BroadcastResult::accepted);
    EXPECT_EQ(sent(), 1u) << "no other placement, and nothing to a lane that has not answered";
    open_.lane_answered(1);
    const auto due_now = due(1);
    ASSERT_EQ(due_now.send.size(), 1u);
    EXPECT_EQ(read(due_now.send.front().entry, 1), sent_[0].front());
}

// A lane does not answer - the node stops - each other lane was asked first, for as long as that
// may take.
TEST_F(LanePlacerTest, asks_no_other_lane_once_it_is_stopped) {
    const std::size_t from = at_home_in(0);
    const std::size_t to = at_home_in(1);
    const Bytes far = pool(test::call(from, 0, address(to)));
    const Bytes near = pool(test::call(to, 0, address(to)));
    stops_at_ = LaneNumber{0};

    EXPECT_EQ(place(far), BroadcastResult::accepted) << "a lane has it, and others complete it";
    EXPECT_FALSE(placer_->broadcast({&near, 1}).has_value());

    EXPECT_EQ(sent_[0].size(), 1u);
    EXPECT_EQ(sent(), 1u);
    EXPECT_EQ(open_.failing(), homes::LaneSet{}) << "nobody failed";
}

TEST_F(LanePlacerTest, places_nothing_of_several_homes_in_a_silent_lane) {
    const std::size_t from = at_home_in(0);
    const std::size_t to = at_home_in(1);
    add(silent_, 1);
    EXPECT_EQ(place(pool(test::call(from, 0, address(to)))), BroadcastResult::refused);
    EXPECT_EQ(sent(), 0u);
    EXPECT_EQ(place(pool(test::call(to, 0, address(to)))), BroadcastResult::accepted);
    EXPECT_EQ(sent_[1].size(), 1u);
}

TEST_F(LanePlacerTest, gives_a_transaction_another_placement_when_the_first_is_decided) {
    const Bytes encoded = pool(test::call(0, 0, address(far_from(0))));
    EXPECT_EQ(place(encoded), BroadcastResult::accepted);
    const Entry first = sent_[home(0)].at(0);
    EXPECT_EQ(place(encoded), BroadcastResult::accepted);
    EXPECT_EQ(sent_[home(0)].at(1), first) << "until then it is the same entry";
    const std::vector<Hash> decided{first.digest};
    const auto placed_again = open_.on_block(1, decided, [](const Hash&) { return true; }).place;
    EXPECT_THAT(placed_again, ElementsAre(keccak256(encoded)));
    EXPECT_EQ(place(encoded), BroadcastResult::accepted);
    EXPECT_NE(sent_[home(0)].at(2).digest, first.digest);
}

TEST_F(LanePlacerTest, places_a_move_where_the_unit_is_and_where_it_goes) {
    const std::size_t to = far_from(0);
    Transaction tx = test::call(0, 0, homes::homes_address(),
                                homes::encode_move({{address(0), {}}, home(to), 0}));
    EXPECT_EQ(place(pool(tx)), BroadcastResult::accepted);
    ASSERT_EQ(sent_[home(0)].size(), 1u);
    ASSERT_EQ(sent_[home(to)].size(), 1u);
    EXPECT_EQ(sent_[home(to)].front().placement.new_home, home(to));
}

TEST_F(LanePlacerTest, refuses_what_has_left_the_pool) {
    Bytes encoded;
    encode_transaction(test::call(0, 0, address(1)), encoded);
    const auto results = placer_->broadcast({&encoded, 1});
    ASSERT_TRUE(results.has_value());
    EXPECT_EQ(results->front(), BroadcastResult::refused);
    EXPECT_EQ(sent(), 0u);
}

TEST(PlacedTransactions, remembers_only_so_many_and_those_that_came_last) {
    PlacedTransactions placed{3};
    const auto hash = [](std::uint8_t i) {
        Hash result;
        result.bytes[0] = i;
        return result;
    };
    for (std::uint8_t i = 1; i <= 5; ++i)
        placed.note_placed(hash(i), hash(static_cast<std::uint8_t>(100 + i)), {});
    EXPECT_FALSE(placed.find(hash(2)).has_value());
    EXPECT_TRUE(placed.find(hash(3)).has_value());
    // Placed again: what becomes of the first placing is of no interest any more.
    placed.note_placed(hash(5), hash(99), {});
    placed.note_failed(hash(105), "was rejected");
    EXPECT_EQ(placed.find(hash(5))->outcome, "");
    placed.note_failed(hash(50), "unknown");
}

}  // namespace
}  // namespace heddle::node::lanes
