// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/directory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "moved_homes.hpp"

namespace heddle::consensus_adapter::lanes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Address address_of(std::uint8_t first_byte) {
    Address address;
    address.bytes[0] = first_byte;
    address.bytes[19] = 1;
    return address;
}

const Address kLow = address_of(0x10);   // lane 0
const Address kHigh = address_of(0xf0);  // lane 3

/// Four lanes; the storage of kLow is in lanes 0, 1 and 2.
HomeRanges sample_ranges() {
    HomeRanges ranges = make_even_ranges(4);
    ranges.divided[kLow] = {{Uint256{100}, 1}, {Uint256{200}, 2}};
    return ranges;
}

ObjectId slot_of(const Address& address, std::uint64_t slot) {
    return {address, ObjectKind::storage, Uint256{slot}};
}

TEST(RangeDirectory, addresses_are_divided_evenly) {
    for (const std::size_t count : {1u, 2u, 3u, 5u, 64u}) {
        const RangeDirectory directory(make_even_ranges(count));
        std::vector<int> accounts(count, 0);
        for (int byte = 0; byte < 256; ++byte)
            ++accounts[directory.home_of({address_of(std::uint8_t(byte)), {}}).lane];
        for (const int here : accounts)
            EXPECT_NEAR(here, 256 / double(count), 1) << count;
    }
}

TEST(RangeDirectory, a_divided_account_has_a_unit_for_each_part) {
    const RangeDirectory directory(sample_ranges());
    const auto home_of_slot = [&](std::uint64_t slot) {
        return directory.home_of(directory.unit_of(slot_of(kLow, slot))).lane;
    };
    EXPECT_EQ(home_of_slot(0), 0);
    EXPECT_EQ(home_of_slot(99), 0);
    EXPECT_EQ(home_of_slot(100), 1);
    EXPECT_EQ(home_of_slot(199), 1);
    EXPECT_EQ(home_of_slot(200), 2);
    EXPECT_EQ(directory.home_of(directory.unit_of({kLow, ObjectKind::nonce, {}})).lane, 0);
    EXPECT_EQ(directory.units_of(kLow).size(), 3u);
    EXPECT_THAT(directory.units_of(kHigh), ElementsAre(HomeUnit{kHigh, {}}));
}

TEST(Place, objects_stand_with_their_unit_and_its_home) {
    const RangeDirectory directory(sample_ranges());
    const ObjectSet objects({{{kHigh, ObjectKind::balance, {}}, AccessMode::debit},
                             {{kLow, ObjectKind::storage_all, {}}, AccessMode::read},
                             {slot_of(kLow, 5), AccessMode::read},
                             {slot_of(kLow, 250), AccessMode::write}});

    const Placement placement = place(directory, objects);

    ASSERT_EQ(placement.units.size(), 3u);
    EXPECT_EQ(placement.units[0].unit, (HomeUnit{kLow, {}}));
    EXPECT_EQ(placement.units[1].unit, (HomeUnit{kLow, Uint256{200}}));
    EXPECT_EQ(placement.units[2].unit, (HomeUnit{kHigh, {}}));
    EXPECT_EQ(lanes_of(placement).bits(), 0b1101u);
    EXPECT_FALSE(placement.units[0].is_whole);
}

TEST(Place, creating_an_account_means_all_of_it) {
    const RangeDirectory directory(sample_ranges());
    const ObjectSet objects({{{kLow, ObjectKind::storage_all, {}}, AccessMode::write}});

    const Placement placement = place(directory, objects);

    ASSERT_EQ(placement.units.size(), 3u);
    for (const UnitPlacement& unit : placement.units)
        EXPECT_TRUE(unit.is_whole);
}

TEST(Settle, what_was_placed_holds) {
    const RangeDirectory directory(sample_ranges());
    const ObjectSet objects({{{kHigh, ObjectKind::balance, {}}, AccessMode::write},
                             {slot_of(kLow, 150), AccessMode::write}});
    EXPECT_TRUE(settle(directory, place(directory, objects)).has_value());
}

TEST(Settle, a_wrong_home_is_told_the_right_one) {
    const RangeDirectory directory(sample_ranges());
    Placement placement =
        place(directory, ObjectSet({{{kHigh, ObjectKind::balance, {}}, AccessMode::write}}));
    placement.units[0].home = 1;

    const auto settled = settle(directory, placement);

    ASSERT_FALSE(settled.has_value());
    EXPECT_EQ(settled.error(), (WrongHome{{kHigh, {}}, {kHigh, {}}, {3, 0}}));
    EXPECT_THAT(to_string(settled.error()), HasSubstr("at home in lane 3"));
}

TEST(Settle, an_object_under_a_unit_that_is_not_its_own_is_told_which_is) {
    const RangeDirectory directory(sample_ranges());
    Placement placement;
    placement.units.push_back({{kLow, {}}, 0, 0, false, {{slot_of(kLow, 150), AccessMode::write}}});

    const auto settled = settle(directory, placement);

    ASSERT_FALSE(settled.has_value());
    EXPECT_EQ(settled.error().unit, (HomeUnit{kLow, Uint256{100}}));
    EXPECT_EQ(settled.error().right, (Home{1, 0}));
}

TEST(Settle, a_unit_that_there_is_not_is_told_the_one_around_it) {
    const RangeDirectory directory(sample_ranges());
    Placement placement;
    placement.units.push_back({{kHigh, Uint256{7}}, 3, 0, false, {}});

    const auto settled = settle(directory, placement);

    ASSERT_FALSE(settled.has_value());
    EXPECT_EQ(settled.error().unit, (HomeUnit{kHigh, {}}));
}

TEST(Settle, after_a_move_the_old_home_fails_and_the_new_one_holds) {
    test::MovedHomes directory(sample_ranges());
    const HomeUnit unit{kHigh, {}};
    const ObjectSet objects({{{kHigh, ObjectKind::balance, {}}, AccessMode::write}});
    const Placement before = place(directory, objects);

    ASSERT_TRUE(settle(directory, place_move(directory, unit, 1)).has_value());
    EXPECT_TRUE(settle(directory, before).has_value()) << "in the merged block of the move";
    directory.move(unit, {1, 1});

    const auto settled = settle(directory, before);
    ASSERT_FALSE(settled.has_value());
    EXPECT_EQ(settled.error().right, (Home{1, 1}));
    EXPECT_TRUE(settle(directory, place(directory, objects)).has_value());
}

/// The lane alone would be right again.
TEST(Settle, a_home_that_was_left_and_came_back_is_another_one) {
    test::MovedHomes directory(sample_ranges());
    const HomeUnit unit{kHigh, {}};
    const Placement before =
        place(directory, ObjectSet({{{kHigh, ObjectKind::balance, {}}, AccessMode::write}}));
    directory.move(unit, {1, 1});
    directory.move(unit, {3, 2});

    const auto settled = settle(directory, before);

    ASSERT_FALSE(settled.has_value());
    EXPECT_EQ(settled.error().right, (Home{3, 2}));
}

TEST(Settle, of_two_moves_of_one_home_the_second_fails_in_a_later_block) {
    test::MovedHomes directory(sample_ranges());
    const HomeUnit unit{kHigh, {}};
    const Placement second = place_move(directory, unit, 2);
    directory.move(unit, {1, 1});

    EXPECT_FALSE(settle(directory, second).has_value());
    EXPECT_TRUE(settle(directory, place_move(directory, unit, 2)).has_value());
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
