// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/placement.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::consensus_adapter::lanes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Address kFirst = address_from_low64(0x11);
constexpr Address kSecond = address_from_low64(0x22);
constexpr std::size_t kLanes = 3;

ObjectId slot_of(const Address& address, std::uint64_t slot) {
    return {address, ObjectKind::storage, Uint256{slot}};
}

/// Of lanes 0 and 2.
Entry sample_entry() {
    Entry entry;
    entry.payload = {1, 2, 3};
    Placement& placement = entry.placement;
    placement.id = {7, 1};
    placement.payload_hash = keccak256(entry.payload);
    placement.insert_at_us = 1'000;
    placement.units.push_back({{kFirst, {}},
                               0,
                               5,
                               false,
                               {{{kFirst, ObjectKind::balance, {}}, AccessMode::debit},
                                {{kFirst, ObjectKind::nonce, {}}, AccessMode::write}}});
    placement.units.push_back(
        {{kSecond, Uint256{16}},
         2,
         0,
         false,
         {{slot_of(kSecond, 16), AccessMode::read}, {slot_of(kSecond, 300), AccessMode::write}}});
    entry.digest = digest_of(placement);
    return entry;
}

Entry sample_move() {
    Entry entry;
    entry.placement.id = {8, 0};
    entry.placement.new_home = 2;
    entry.placement.units.push_back({{kFirst, {}}, 1, 4, false, {}});
    entry.digest = digest_of(entry.placement);
    return entry;
}

Bytes encode(const Entry& entry) {
    Bytes bytes;
    encode_entry(entry, bytes);
    return bytes;
}

/// What decode_entry() says of an entry in lane 0; nothing where it is taken.
std::optional<EntryFault> fault_of(const Entry& entry) {
    const auto decoded = decode_entry(encode(entry), 0, kLanes);
    return decoded.has_value() ? std::nullopt : std::optional{decoded.error()};
}

TEST(Placement, entries_come_back_as_they_were) {
    for (const Entry& entry : {sample_entry(), sample_move()})
        for (const LaneNumber lane : {LaneNumber{0}, LaneNumber{2}}) {
            if (!lanes_of(entry.placement).has(lane)) continue;
            const auto decoded = decode_entry(encode(entry), lane, kLanes);
            ASSERT_TRUE(decoded.has_value());
            EXPECT_EQ(*decoded, entry);
        }
}

TEST(Placement, bytes_are_pinned) {
    EXPECT_EQ(to_hex(encode(sample_move())),
              "0x0800000000000000"                                                // counter
              "00"                                                                // its lane
              "0000000000000000000000000000000000000000000000000000000000000000"  // payload hash
              "0000000000000000"                                                  // insert at
              "0102"                                                              // move to 2
              "0100"                                                              // units
              "0000000000000000000000000000000000000011"                          // address
              "00"                                                                // first slot
              "01"                                                                // home
              "0400000000000000"                                                  // moves
              "00"                                                                // whole
              "0000");                                                            // accesses
    Bytes placement;
    encode_placement(sample_entry().placement, placement);
    EXPECT_EQ(to_hex(BytesView{placement}.subspan(51)),
              "0x0200"
              "0000000000000000000000000000000000000011"
              "00000500000000000000000200"
              "2031"
              "0000000000000000000000000000000000000022"
              "0110"
              "02000000000000000000"
              "0200"
              "030110"
              "3302012c");
}

std::vector<LaneAccess> accesses_in(const Placement& placement, LaneNumber lane) {
    std::vector<LaneAccess> result;
    append_accesses_in(placement, lane, result);
    return result;
}

TEST(Placement, a_lane_sees_what_is_at_home_there) {
    const Placement placement = sample_entry().placement;

    EXPECT_EQ(lanes_of(placement).bits(), 0b101u);
    EXPECT_THAT(accesses_in(placement, 0),
                ElementsAre(LaneAccess{{kFirst, ObjectKind::storage_all, {}}, false},
                            LaneAccess{{kFirst, ObjectKind::balance, {}}, true},
                            LaneAccess{{kFirst, ObjectKind::nonce, {}}, true}));
    EXPECT_THAT(accesses_in(placement, 1), IsEmpty());
    EXPECT_THAT(accesses_in(placement, 2),
                ElementsAre(LaneAccess{{kSecond, ObjectKind::storage_all, Uint256{16}}, false},
                            LaneAccess{slot_of(kSecond, 16), false},
                            LaneAccess{slot_of(kSecond, 300), true}));
}

TEST(Placement, a_move_is_exclusive_in_both_of_its_lanes) {
    const Placement move = sample_move().placement;

    EXPECT_EQ(lanes_of(move).bits(), 0b110u);
    for (const LaneNumber lane : {LaneNumber{1}, LaneNumber{2}})
        EXPECT_THAT(accesses_in(move, lane),
                    ElementsAre(LaneAccess{{kFirst, ObjectKind::storage_all, {}}, true}));
}

TEST(Placement, other_code_is_another_transaction) {
    Entry other = sample_entry();
    other.payload = {1, 2, 4};
    other.placement.payload_hash = keccak256(other.payload);

    EXPECT_NE(digest_of(other.placement), sample_entry().digest);
    EXPECT_EQ(fault_of(other), std::nullopt);
}

TEST(Placement, every_truncation_of_a_placement_is_refused) {
    Entry entry = sample_entry();
    entry.payload.clear();
    const Bytes whole = encode(entry);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto decoded = decode_entry(BytesView{whole}.first(size), 0, kLanes);
        ASSERT_FALSE(decoded.has_value()) << size;
        EXPECT_EQ(decoded.error(), EntryFault::truncated) << size;
    }
}

TEST(Placement, every_wrong_bit_makes_another_transaction_or_none) {
    const Entry entry = sample_entry();
    const Bytes whole = encode(entry);
    for (std::size_t place = 0; place < whole.size(); ++place)
        for (int bit = 0; bit < 8; ++bit) {
            Bytes damaged = whole;
            damaged[place] ^= static_cast<std::uint8_t>(1 << bit);
            const auto decoded = decode_entry(damaged, 0, kLanes);
            if (decoded.has_value()) {
                EXPECT_NE(decoded->digest, entry.digest) << place;
                EXPECT_EQ(encode(*decoded), damaged);
            }
        }
}

TEST(Placement, says_what_is_wrong_with_an_entry) {
    const auto changed = [](auto change) {
        Entry entry = sample_entry();
        change(entry);
        return fault_of(entry);
    };
    EXPECT_EQ(changed([](Entry& e) { e.payload[0] ^= 1; }), EntryFault::wrong_payload);
    EXPECT_EQ(changed([](Entry& e) { e.placement.units.clear(); }), EntryFault::empty);
    EXPECT_EQ(changed([](Entry& e) { e.placement.units[1].home = kLanes; }),
              EntryFault::unknown_lane);
    EXPECT_EQ(changed([](Entry& e) { e.placement.units[0].home = 1; }),
              EntryFault::not_of_this_lane);
    EXPECT_EQ(changed([](Entry& e) { std::swap(e.placement.units[0], e.placement.units[1]); }),
              EntryFault::out_of_order);
    EXPECT_EQ(changed([](Entry& e) {
                  std::swap(e.placement.units[0].accesses[0], e.placement.units[0].accesses[1]);
              }),
              EntryFault::out_of_order);
    EXPECT_EQ(changed([](Entry& e) { e.placement.units[1].unit.first_slot = Uint256{17}; }),
              EntryFault::outside_unit);
    EXPECT_EQ(changed([](Entry& e) {
                  e.placement.units[0].accesses[1].object.kind = ObjectKind::storage_all;
              }),
              EntryFault::malformed);
    EXPECT_EQ(changed([](Entry& e) { e.placement.new_home = 1; }), EntryFault::bad_move);
}

TEST(Placement, a_move_to_where_it_is_is_none) {
    Entry move = sample_move();
    move.placement.units[0].home = 2;
    const auto decoded = decode_entry(encode(move), 2, kLanes);
    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error(), EntryFault::bad_move);
}

TEST(Placement, counts_beyond_the_limits_are_refused_before_memory_is_taken) {
    Entry entry = sample_entry();
    entry.payload.clear();
    Bytes units = encode(entry);
    units[51] = 0xff;  // units
    units[52] = 0xff;
    const auto many_units = decode_entry(units, 0, kLanes);
    ASSERT_FALSE(many_units.has_value());
    EXPECT_EQ(many_units.error(), EntryFault::too_large);
    Bytes accesses = encode(entry);
    accesses[84] = 0xff;
    accesses[85] = 0xff;
    const auto many_accesses = decode_entry(accesses, 0, kLanes);
    ASSERT_FALSE(many_accesses.has_value());
    EXPECT_EQ(many_accesses.error(), EntryFault::too_large);
    const auto large = decode_entry(Bytes(kMaxEntryBytes + 1, 0), 0, kLanes);
    ASSERT_FALSE(large.has_value());
    EXPECT_EQ(large.error(), EntryFault::too_large);
}

TEST(Placement, the_largest_entry_is_taken) {
    Entry entry;
    entry.payload = {1};
    entry.placement.payload_hash = keccak256(entry.payload);
    for (std::uint64_t i = 0; i < kMaxEntryUnits; ++i) {
        UnitPlacement& unit = entry.placement.units.emplace_back();
        unit.unit.address = address_from_low64(i + 1);
        for (std::uint64_t slot = 0; slot < kMaxEntryAccesses / kMaxEntryUnits; ++slot)
            unit.accesses.push_back({slot_of(unit.unit.address, slot), AccessMode::write});
    }
    EXPECT_EQ(fault_of(entry), std::nullopt);
    entry.placement.units.back().accesses.push_back(
        {slot_of(entry.placement.units.back().unit.address, 99), AccessMode::write});
    EXPECT_EQ(fault_of(entry), EntryFault::too_large);
}

LaneBlock sample_block() {
    return {1, 9, 1'234, Cut{{3, 9, 4}, LaneSet{4}}, {{1, 2}, {}, encode(sample_entry())}};
}

TEST(LaneBlock, comes_back_as_it_was) {
    Bytes bytes;
    encode_lane_block(sample_block(), bytes);
    EXPECT_EQ(decode_lane_block(bytes), sample_block());
    LaneBlock bare{0, 1, 0, std::nullopt, {}};
    bytes.clear();
    encode_lane_block(bare, bytes);
    EXPECT_EQ(decode_lane_block(bytes), bare);
    EXPECT_EQ(to_hex(bytes),
              "0x000100000000000000000000000000000000"
              "00000000");
}

TEST(LaneBlock, every_truncation_and_everything_behind_it_is_refused) {
    Bytes bytes;
    encode_lane_block(sample_block(), bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto decoded = decode_lane_block(BytesView{bytes}.first(size));
        ASSERT_FALSE(decoded.has_value()) << size;
        EXPECT_EQ(decoded.error(), LaneBlockFault::truncated) << size;
    }
    bytes.push_back(0);
    EXPECT_EQ(decode_lane_block(bytes).error(), LaneBlockFault::trailing_bytes);
}

TEST(LaneBlock, a_count_that_nobody_has_written_costs_no_memory) {
    Bytes bytes;
    encode_lane_block({0, 1, 0, std::nullopt, {}}, bytes);
    for (std::size_t i = bytes.size() - 4; i < bytes.size(); ++i)
        bytes[i] = 0xff;
    EXPECT_EQ(decode_lane_block(bytes).error(), LaneBlockFault::truncated);
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
