// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said of a transaction that goes into lanes: its name, what it is about, where that is at
// home, and what is to be executed. As bytes: entries, and the blocks of lanes that hold them. What
// homes are is directory.hpp.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>
#include <types/uint256.hpp>

#include <consensus_adapter/lanes/lane.hpp>
#include <consensus_adapter/lanes/merger.hpp>

namespace heddle::consensus_adapter::lanes {

/// Of an entry; work and memory follow from its bytes, which its lane was paid for.
inline constexpr std::size_t kMaxEntryBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxEntryUnits = 1024;
inline constexpr std::size_t kMaxEntryAccesses = 8192;
/// Of a block of a lane, encoded.
inline constexpr std::size_t kMaxLaneBlockBytes = std::size_t{16} << 20;

/// What has one home: an account with its code, and its storage from a slot on up to the next unit
/// of the account. An account that is not divided has one, from slot 0 on, to which its fields
/// belong.
struct HomeUnit {
    Address address;
    Uint256 first_slot;
    friend bool operator==(const HomeUnit&, const HomeUnit&) = default;
    friend std::strong_ordering operator<=>(const HomeUnit& a, const HomeUnit& b) noexcept;
};

/// What a transaction accesses of one unit.
struct UnitPlacement {
    HomeUnit unit;
    LaneNumber home = 0;      // as its sender believes
    std::uint64_t moves = 0;  // how often the unit had moved then
    /// Whether all of the unit is meant: an account comes into being or goes.
    bool is_whole = false;
    /// Ascending, each object once, all of this unit and none of kind storage_all.
    std::vector<Access> accesses;
    friend bool operator==(const UnitPlacement&, const UnitPlacement&) = default;
};

/// The same in every lane of the transaction.
struct Placement {
    TransactionId id;
    /// KEC of what is to be executed, which at least one of the entries has with it.
    Hash payload_hash;
    /// When lanes should insert it, in microseconds since 1970 (opportunistic.hpp); 0: at once.
    std::uint64_t insert_at_us = 0;
    /// Moves its only unit there; what it brings to be executed says who allows it (move.hpp).
    std::optional<LaneNumber> new_home;
    std::vector<UnitPlacement> units;  // ascending; not empty
    friend bool operator==(const Placement&, const Placement&) = default;
};
/// That have an entry of it.
[[nodiscard]] LaneSet lanes_of(const Placement& placement) noexcept;
/// What its entry in a lane is about, ascending by unit, behind what is in `out`. Every unit is
/// there as an object of its own, shared by what accesses something of it, exclusive for what moves
/// it or means all of it.
void append_accesses_in(const Placement& placement, LaneNumber lane, std::vector<LaneAccess>& out);
/// By which entries belong together: KEC of its encoding.
[[nodiscard]] Hash digest_of(const Placement& placement);

/// A placement as one lane has it.
struct Entry {
    Placement placement;
    Bytes payload;  // may be empty: another lane has it
    Hash digest;    // of the placement; filled in by decode_entry()
    friend bool operator==(const Entry&, const Entry&) = default;
};

enum class EntryFault : std::uint8_t {
    truncated,         // the bytes end inside a field
    too_large,         // beyond kMaxEntryBytes, kMaxEntryUnits or kMaxEntryAccesses
    malformed,         // a flag, kind, mode or number that means nothing
    out_of_order,      // units or accesses that do not ascend
    outside_unit,      // an access that is not of its unit
    empty,             // no units
    unknown_lane,      // a home beyond the chain's lanes
    not_of_this_lane,  // an entry in a lane where it has nothing
    wrong_payload,     // not what payload_hash says
    bad_move,          // moves more or less than one unit, or to where it is
};
[[nodiscard]] std::string_view to_string(EntryFault fault) noexcept;

void encode_placement(const Placement& placement, Bytes& out);
void encode_entry(const Entry& entry, Bytes& out);
/// Checks all that can be seen without state.
/// @param lane  Whose log has it, of `lane_count`.
[[nodiscard]] std::expected<Entry, EntryFault> decode_entry(BytesView bytes, LaneNumber lane,
                                                            std::size_t lane_count);

/// Up to where logs go into a merged block.
struct Cut {
    std::vector<std::uint64_t> heights;  // by lane
    LaneSet silent;                      // lanes that nothing came of for too long
    friend bool operator==(const Cut&, const Cut&) = default;
};

/// One height of one lane's log, final. Items are whatever the lane has ordered: entries, if they
/// are any.
struct LaneBlock {
    LaneNumber lane = 0;
    std::uint64_t height = 0;   // from 1
    std::uint64_t time_ms = 0;  // since 1970
    std::optional<Cut> cut;     // the leading lane's
    std::vector<Bytes> items;
    friend bool operator==(const LaneBlock&, const LaneBlock&) = default;
};
enum class LaneBlockFault : std::uint8_t {
    truncated,
    trailing_bytes,
    too_large,  // beyond kMaxLaneBlockBytes
    malformed,  // height 0, or a flag or a number of lanes that means nothing
};
[[nodiscard]] std::string_view to_string(LaneBlockFault fault) noexcept;
void encode_lane_block(const LaneBlock& block, Bytes& out);
[[nodiscard]] std::expected<LaneBlock, LaneBlockFault> decode_lane_block(BytesView bytes);

}  // namespace heddle::consensus_adapter::lanes
