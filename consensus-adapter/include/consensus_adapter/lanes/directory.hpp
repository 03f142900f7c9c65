// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where objects are at home: which lane orders what concerns them (Detock §2, §4). Homes change
// only by transactions in the merged order, so every node has the same directory after the same
// block. Where moves are kept is homes_contract.hpp, who may move what move.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include <types/address.hpp>
#include <types/object.hpp>
#include <types/uint256.hpp>

#include <consensus_adapter/lanes/lane.hpp>
#include <consensus_adapter/lanes/placement.hpp>

namespace heddle::consensus_adapter::lanes {

struct Home {
    LaneNumber lane = 0;
    std::uint64_t moves = 0;  // how often it has changed; tells a home from the same one later
    friend bool operator==(const Home&, const Home&) = default;
};

/// What every node must answer alike at one place of the merged order.
class HomeDirectory {
public:
    virtual ~HomeDirectory() = default;

    [[nodiscard]] virtual HomeUnit unit_of(const ObjectId& object) const = 0;
    [[nodiscard]] virtual std::vector<HomeUnit> units_of(const Address& address) const = 0;
    [[nodiscard]] virtual Home home_of(const HomeUnit& unit) const = 0;
};

/// The first claim of a placement that does not hold, and what does.
struct WrongHome {
    HomeUnit claimed;
    HomeUnit unit;  // what there is in its place; the same, unless the claim names no unit
    Home right;     // of that
    friend bool operator==(const WrongHome&, const WrongHome&) = default;
};
/// One sentence.
[[nodiscard]] std::string to_string(const WrongHome& error);

/// Judges a transaction by the homes before its merged block. What moves a home is executed first,
/// and counts from the next merged block on.
/// Errors: WrongHome. The same on every node, whoever sent it where.
[[nodiscard]] std::expected<void, WrongHome> settle(const HomeDirectory& directory,
                                                    const Placement& placement);

/// What a sender asks for: each object by its unit, with the home that the directory has.
/// @param objects  What the transaction will access; what is missing is not ordered by lanes, but
///                 the merged order is total, so results are the same everywhere even then.
/// @return         Without a payload hash, an id and a time.
[[nodiscard]] Placement place(const HomeDirectory& directory, const ObjectSet& objects);
/// To move a unit to another lane.
[[nodiscard]] Placement place_move(const HomeDirectory& directory, const HomeUnit& unit,
                                   LaneNumber new_home);

/// Homes as they are in the beginning.
struct HomeRanges {
    std::size_t lane_count = 1;
    /// Accounts from this address on, up to the next entry; from zero on, lane 0 unless it says
    /// otherwise.
    std::map<Address, LaneNumber> accounts;
    /// Accounts whose storage is divided: from this slot on, up to the next entry. The part from
    /// slot zero on is the account's own, in the lane of its address unless it says otherwise.
    std::map<Address, std::map<Uint256, LaneNumber>> divided;
};
/// Addresses divided evenly among the lanes, by their first byte.
[[nodiscard]] HomeRanges make_even_ranges(std::size_t lane_count);

/// Homes where nothing has moved. Memory: what is configured.
///
/// Thread safety: concurrent reads.
class RangeDirectory final : public HomeDirectory {
public:
    /// Homes in lanes beyond `lane_count` are a programming error.
    explicit RangeDirectory(HomeRanges ranges);

    [[nodiscard]] HomeUnit unit_of(const ObjectId& object) const override;
    [[nodiscard]] std::vector<HomeUnit> units_of(const Address& address) const override;
    [[nodiscard]] Home home_of(const HomeUnit& unit) const override;
    [[nodiscard]] std::size_t lane_count() const noexcept { return ranges_.lane_count; }

private:
    const HomeRanges ranges_;
};

}  // namespace heddle::consensus_adapter::lanes
