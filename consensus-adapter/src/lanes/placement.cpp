// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/placement.hpp>

#include <algorithm>
#include <array>

#include <types/expected.hpp>

#include "lanes/field_reader.hpp"

namespace heddle::consensus_adapter::lanes {

namespace {

/// The fixed fields of a unit: address, an empty first slot, home, moves, flags, count.
constexpr std::size_t kMinUnitBytes = 20 + 1 + 1 + 8 + 1 + 2;

constexpr std::uint8_t kIsMove = 1;
constexpr std::uint8_t kIsWhole = 1;
constexpr std::uint8_t kHasCut = 1;

/// The unit itself, as something to access.
ObjectId object_of(const HomeUnit& unit) {
    return {unit.address, ObjectKind::storage_all, unit.first_slot};
}

/// Whether an object can be of the unit, as far as that is seen without knowing its end.
bool is_inside(const Access& access, const HomeUnit& unit) {
    if (access.object.kind != ObjectKind::storage) return unit.first_slot.is_zero();
    return unit.first_slot <= access.object.slot;
}

std::expected<Access, EntryFault> decode_access(FieldReader& reader, const HomeUnit& unit) {
    const auto packed = reader.integer<std::uint8_t>();
    Access access;
    access.object.address = unit.address;
    access.object.kind = static_cast<ObjectKind>(packed & 0x0f);
    access.mode = static_cast<AccessMode>(packed >> 4);
    if (access.object.kind >= ObjectKind::storage_all || access.mode > AccessMode::write)
        return std::unexpected(EntryFault::malformed);
    if (access.object.kind == ObjectKind::storage) access.object.slot = reader.word();
    if (reader.is_good() && !is_inside(access, unit))
        return std::unexpected(EntryFault::outside_unit);
    return access;
}

/// @param accesses_left  Of what the entry may have.
std::expected<UnitPlacement, EntryFault> decode_unit(FieldReader& reader,
                                                     std::size_t& accesses_left) {
    UnitPlacement result;
    result.unit.address = reader.array<Address>();
    result.unit.first_slot = reader.word();
    result.home = reader.integer<LaneNumber>();
    result.moves = reader.integer<std::uint64_t>();
    const auto flags = reader.integer<std::uint8_t>();
    const auto count = reader.integer<std::uint16_t>();
    if (flags > kIsWhole) return std::unexpected(EntryFault::malformed);
    result.is_whole = flags == kIsWhole;
    if (count > accesses_left) return std::unexpected(EntryFault::too_large);
    accesses_left -= count;
    // Each takes a byte at least, so what is claimed and is not there takes no memory.
    result.accesses.reserve(std::min<std::size_t>(count, reader.left()));
    for (std::size_t i = 0; i < count && reader.is_good(); ++i) {
        HEDDLE_TRY(Access access, decode_access(reader, result.unit));
        if (!reader.is_good()) break;
        if (i != 0 && !(result.accesses.back().object < access.object))
            return std::unexpected(EntryFault::out_of_order);
        result.accesses.push_back(access);
    }
    return result;
}

std::expected<Placement, EntryFault> decode_placement(FieldReader& reader) {
    Placement result;
    result.id.counter = reader.integer<std::uint64_t>();
    result.id.lane = reader.integer<LaneNumber>();
    result.payload_hash = reader.array<Hash>();
    result.insert_at_us = reader.integer<std::uint64_t>();
    const auto flags = reader.integer<std::uint8_t>();
    const auto new_home = reader.integer<LaneNumber>();
    const auto count = reader.integer<std::uint16_t>();
    if (flags > kIsMove || (flags == 0 && new_home != 0))
        return std::unexpected(EntryFault::malformed);
    if (flags == kIsMove) result.new_home = new_home;
    if (count > kMaxEntryUnits) return std::unexpected(EntryFault::too_large);
    if (count == 0 && reader.is_good()) return std::unexpected(EntryFault::empty);
    result.units.reserve(std::min<std::size_t>(count, reader.left() / kMinUnitBytes));
    std::size_t accesses_left = kMaxEntryAccesses;
    for (std::size_t i = 0; i < count && reader.is_good(); ++i) {
        HEDDLE_TRY(UnitPlacement unit, decode_unit(reader, accesses_left));
        if (!reader.is_good()) break;
        if (i != 0 && !(result.units.back().unit < unit.unit))
            return std::unexpected(EntryFault::out_of_order);
        result.units.push_back(std::move(unit));
    }
    if (!reader.is_good())
        return std::unexpected(reader.is_truncated() ? EntryFault::truncated
                                                     : EntryFault::malformed);
    return result;
}

/// What follows from the parts together.
std::expected<void, EntryFault> check(const Entry& entry, LaneNumber lane, std::size_t lane_count) {
    const Placement& placement = entry.placement;
    for (const UnitPlacement& unit : placement.units)
        if (unit.home >= lane_count) return std::unexpected(EntryFault::unknown_lane);
    if (placement.new_home.has_value()) {
        if (*placement.new_home >= lane_count) return std::unexpected(EntryFault::unknown_lane);
        const bool is_good = placement.units.size() == 1 &&
                             placement.units.front().home != *placement.new_home &&
                             placement.units.front().accesses.empty();
        if (!is_good) return std::unexpected(EntryFault::bad_move);
    }
    if (!lanes_of(placement).has(lane)) return std::unexpected(EntryFault::not_of_this_lane);
    if (!entry.payload.empty() && keccak256(entry.payload) != placement.payload_hash)
        return std::unexpected(EntryFault::wrong_payload);
    return {};
}

}  // namespace

std::strong_ordering operator<=>(const HomeUnit& a, const HomeUnit& b) noexcept {
    if (const auto order = a.address <=> b.address; order != 0) return order;
    if (a.first_slot == b.first_slot) return std::strong_ordering::equal;
    return a.first_slot < b.first_slot ? std::strong_ordering::less : std::strong_ordering::greater;
}

std::string_view to_string(EntryFault fault) noexcept {
    switch (fault) {
        case EntryFault::truncated:
            return "ends inside a field";
        case EntryFault::too_large:
            return "larger than an entry may be";
        case EntryFault::malformed:
            return "a field that means nothing";
        case EntryFault::out_of_order:
            return "units or accesses out of order";
        case EntryFault::outside_unit:
            return "an access outside its unit";
        case EntryFault::empty:
            return "about nothing";
        case EntryFault::unknown_lane:
            return "a home in a lane that there is not";
        case EntryFault::not_of_this_lane:
            return "in a lane that is none of its homes";
        case EntryFault::wrong_payload:
            return "not what its hash says";
        case EntryFault::bad_move:
            return "not a move of one unit to another lane";
    }
    return "unknown fault";
}

std::string_view to_string(LaneBlockFault fault) noexcept {
    switch (fault) {
        case LaneBlockFault::truncated:
            return "ends inside a field";
        case LaneBlockFault::trailing_bytes:
            return "bytes after the last field";
        case LaneBlockFault::too_large:
            return "larger than a block of a lane may be";
        case LaneBlockFault::malformed:
            return "a field that means nothing";
    }
    return "unknown fault";
}

LaneSet lanes_of(const Placement& placement) noexcept {
    LaneSet result;
    for (const UnitPlacement& unit : placement.units)
        result.add(unit.home);
    if (placement.new_home.has_value()) result.add(*placement.new_home);
    return result;
}

void append_accesses_in(const Placement& placement, LaneNumber lane, std::vector<LaneAccess>& out) {
    for (const UnitPlacement& unit : placement.units) {
        if (unit.home != lane && placement.new_home != lane) continue;
        out.push_back({object_of(unit.unit), unit.is_whole || placement.new_home.has_value()});
        for (const Access& access : unit.accesses)
            out.push_back({access.object, access.mode != AccessMode::read});
    }
}

Hash digest_of(const Placement& placement) {
    Bytes encoded;
    encode_placement(placement, encoded);
    return keccak256(encoded);
}

void encode_placement(const Placement& placement, Bytes& out) {
    put(placement.id.counter, out);
    put(placement.id.lane, out);
    out.insert(out.end(), placement.payload_hash.bytes.begin(), placement.payload_hash.bytes.end());
    put(placement.insert_at_us, out);
    put(placement.new_home.has_value() ? kIsMove : std::uint8_t{0}, out);
    put(placement.new_home.value_or(0), out);
    put(static_cast<std::uint16_t>(placement.units.size()), out);
    for (const UnitPlacement& unit : placement.units) {
        out.insert(out.end(), unit.unit.address.bytes.begin(), unit.unit.address.bytes.end());
        put_word(unit.unit.first_slot, out);
        put(unit.home, out);
        put(unit.moves, out);
        put(unit.is_whole ? kIsWhole : std::uint8_t{0}, out);
        put(static_cast<std::uint16_t>(unit.accesses.size()), out);
        for (const Access& access : unit.accesses) {
            put(static_cast<std::uint8_t>(static_cast<unsigned>(access.object.kind) |
                                          static_cast<unsigned>(access.mode) << 4),
                out);
            if (access.object.kind == ObjectKind::storage) put_word(access.object.slot, out);
        }
    }
}

void encode_entry(const Entry& entry, Bytes& out) {
    encode_placement(entry.placement, out);
    out.insert(out.end(), entry.payload.begin(), entry.payload.end());
}

std::expected<Entry, EntryFault> decode_entry(BytesView bytes, LaneNumber lane,
                                              std::size_t lane_count) {
    if (bytes.size() > kMaxEntryBytes) return std::unexpected(EntryFault::too_large);
    FieldReader reader{bytes};
    Entry entry;
    HEDDLE_TRY(entry.placement, decode_placement(reader));
    entry.digest = keccak256(bytes.first(bytes.size() - reader.left()));
    entry.payload.assign(reader.rest().begin(), reader.rest().end());
    HEDDLE_CHECK(check(entry, lane, lane_count));
    return entry;
}

void put_word(const Uint256& word, Bytes& out) {
    std::array<std::uint8_t, 32> bytes{};
    store_be(word, bytes.data());
    const auto first = std::ranges::find_if(bytes, [](std::uint8_t byte) { return byte != 0; });
    out.push_back(static_cast<std::uint8_t>(bytes.end() - first));
    out.insert(out.end(), first, bytes.end());
}

Uint256 FieldReader::word() noexcept {
    const auto size = integer<std::uint8_t>();
    if (!expect(size <= 32)) return {};
    const BytesView field = bytes(size);
    if (!expect(field.empty() || field.front() != 0)) return {};
    std::array<std::uint8_t, 32> padded{};
    std::ranges::copy(field, padded.end() - static_cast<std::ptrdiff_t>(field.size()));
    return load_be(padded.data());
}

void encode_lane_block(const LaneBlock& block, Bytes& out) {
    put(block.lane, out);
    put(block.height, out);
    put(block.time_ms, out);
    put(block.cut.has_value() ? kHasCut : std::uint8_t{0}, out);
    if (block.cut.has_value()) {
        put(static_cast<std::uint8_t>(block.cut->heights.size()), out);
        for (const std::uint64_t height : block.cut->heights)
            put(height, out);
        put(block.cut->silent.bits(), out);
    }
    put(static_cast<std::uint32_t>(block.items.size()), out);
    for (const Bytes& item : block.items) {
        put(static_cast<std::uint32_t>(item.size()), out);
        out.insert(out.end(), item.begin(), item.end());
    }
}

std::expected<LaneBlock, LaneBlockFault> decode_lane_block(BytesView bytes) {
    if (bytes.size() > kMaxLaneBlockBytes) return std::unexpected(LaneBlockFault::too_large);
    FieldReader reader{bytes};
    LaneBlock block;
    block.lane = reader.integer<LaneNumber>();
    block.height = reader.integer<std::uint64_t>();
    block.time_ms = reader.integer<std::uint64_t>();
    const auto flags = reader.integer<std::uint8_t>();
    reader.expect(flags <= kHasCut && block.height != 0 && block.lane < kMaxLanes);
    if (flags == kHasCut && reader.is_good()) {
        const auto count = reader.integer<std::uint8_t>();
        reader.expect(count <= kMaxLanes);
        Cut& cut = block.cut.emplace();
        for (std::size_t i = 0; i < count && reader.is_good(); ++i)
            cut.heights.push_back(reader.integer<std::uint64_t>());
        cut.silent = LaneSet{reader.integer<std::uint64_t>()};
    }
    const auto count = reader.integer<std::uint32_t>();
    block.items.reserve(std::min<std::size_t>(count, reader.left() / sizeof count));
    for (std::size_t i = 0; i < count && reader.is_good(); ++i) {
        const BytesView item = reader.bytes(reader.integer<std::uint32_t>());
        block.items.emplace_back(item.begin(), item.end());
    }
    if (!reader.is_good())
        return std::unexpected(reader.is_truncated() ? LaneBlockFault::truncated
                                                     : LaneBlockFault::malformed);
    if (reader.left() != 0) return std::unexpected(LaneBlockFault::trailing_bytes);
    return block;
}

}  // namespace heddle::consensus_adapter::lanes
