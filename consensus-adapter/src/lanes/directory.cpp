// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/directory.hpp>

#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::lanes {

namespace {

std::string name_of(const HomeUnit& unit) {
    if (unit.first_slot.is_zero()) return to_string(unit.address);
    return fmt::format("{} from slot {} on", to_string(unit.address),
                       to_string(to_hash(unit.first_slot)));
}

/// Any object of the unit: what the directory says of this one it says of the unit.
ObjectId object_in(const HomeUnit& unit) {
    if (unit.first_slot.is_zero()) return {unit.address, ObjectKind::balance, {}};
    return {unit.address, ObjectKind::storage, unit.first_slot};
}

std::expected<void, WrongHome> check(const HomeDirectory& directory, const UnitPlacement& claim) {
    const auto wrong = [&](const HomeUnit& unit) {
        return std::unexpected(WrongHome{claim.unit, unit, directory.home_of(unit)});
    };
    if (const HomeUnit unit = directory.unit_of(object_in(claim.unit)); unit != claim.unit)
        return wrong(unit);
    for (const Access& access : claim.accesses)
        if (const HomeUnit unit = directory.unit_of(access.object); unit != claim.unit)
            return wrong(unit);
    if (directory.home_of(claim.unit) != Home{claim.home, claim.moves}) return wrong(claim.unit);
    return {};
}

}  // namespace

std::string to_string(const WrongHome& error) {
    return fmt::format("{} is at home in lane {} since {} moves", name_of(error.unit),
                       error.right.lane, error.right.moves);
}

std::expected<void, WrongHome> settle(const HomeDirectory& directory, const Placement& placement) {
    for (const UnitPlacement& claim : placement.units)
        if (auto checked = check(directory, claim); !checked.has_value()) return checked;
    return {};
}

Placement place(const HomeDirectory& directory, const ObjectSet& objects) {
    std::map<HomeUnit, UnitPlacement> units;
    const auto at = [&](const HomeUnit& unit) -> UnitPlacement& {
        const auto [found, is_new] = units.try_emplace(unit);
        if (is_new) {
            const Home home = directory.home_of(unit);
            found->second.unit = unit;
            found->second.home = home.lane;
            found->second.moves = home.moves;
        }
        return found->second;
    };
    for (const Access& access : objects.accesses()) {
        // Shared, it is the intent that every unit is accessed with; exclusive, all of them.
        if (access.object.kind == ObjectKind::storage_all) {
            if (access.mode == AccessMode::read) continue;
            for (const HomeUnit& unit : directory.units_of(access.object.address))
                at(unit).is_whole = true;
            continue;
        }
        at(directory.unit_of(access.object)).accesses.push_back(access);
    }
    Placement result;
    for (auto& [unit, placed] : units)
        result.units.push_back(std::move(placed));
    return result;
}

Placement place_move(const HomeDirectory& directory, const HomeUnit& unit, LaneNumber new_home) {
    const Home home = directory.home_of(unit);
    Placement result;
    result.new_home = new_home;
    result.units.push_back({unit, home.lane, home.moves, false, {}});
    return result;
}

HomeRanges make_even_ranges(std::size_t lane_count) {
    HEDDLE_ASSERT(lane_count >= 1 && lane_count <= kMaxLanes);
    HomeRanges ranges;
    ranges.lane_count = lane_count;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        Address first;
        first.bytes[0] = static_cast<std::uint8_t>((lane * 256 + lane_count - 1) / lane_count);
        ranges.accounts.emplace(first, static_cast<LaneNumber>(lane));
    }
    return ranges;
}

RangeDirectory::RangeDirectory(HomeRanges ranges) : ranges_(std::move(ranges)) {
    HEDDLE_ASSERT(ranges_.lane_count >= 1 && ranges_.lane_count <= kMaxLanes);
    for (const auto& [address, lane] : ranges_.accounts)
        HEDDLE_ASSERT(lane < ranges_.lane_count);
    for (const auto& [address, parts] : ranges_.divided)
        for (const auto& [slot, lane] : parts)
            HEDDLE_ASSERT(lane < ranges_.lane_count);
}

HomeUnit RangeDirectory::unit_of(const ObjectId& object) const {
    if (object.kind != ObjectKind::storage) return {object.address, {}};
    const auto divided = ranges_.divided.find(object.address);
    if (divided == ranges_.divided.end()) return {object.address, {}};
    const auto after = divided->second.upper_bound(object.slot);
    if (after == divided->second.begin()) return {object.address, {}};
    return {object.address, std::prev(after)->first};
}

std::vector<HomeUnit> RangeDirectory::units_of(const Address& address) const {
    std::vector<HomeUnit> result{{address, {}}};
    if (const auto divided = ranges_.divided.find(address); divided != ranges_.divided.end())
        for (const auto& [slot, lane] : divided->second)
            if (!slot.is_zero()) result.push_back({address, slot});
    return result;
}

Home RangeDirectory::home_of(const HomeUnit& unit) const {
    if (const auto divided = ranges_.divided.find(unit.address); divided != ranges_.divided.end())
        if (const auto part = divided->second.find(unit.first_slot); part != divided->second.end())
            return {part->second, 0};
    const auto after = ranges_.accounts.upper_bound(unit.address);
    return {after == ranges_.accounts.begin() ? LaneNumber{0} : std::prev(after)->second, 0};
}

}  // namespace heddle::consensus_adapter::lanes
