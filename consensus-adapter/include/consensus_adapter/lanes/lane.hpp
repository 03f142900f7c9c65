// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes: ordered logs beside each other, none of which orders for the others (Detock §2). Their
// numbers, sets of them, and the names of transactions. What they hold is placement.hpp, what
// becomes of them merger.hpp.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace heddle::consensus_adapter::lanes {

/// Counted from 0; the same on every node of a chain.
using LaneNumber = std::uint8_t;

/// Most lanes of one chain: a set of them is one word.
inline constexpr std::size_t kMaxLanes = 64;

/// A set of lanes.
class LaneSet {
public:
    constexpr LaneSet() = default;
    constexpr explicit LaneSet(std::uint64_t bits) noexcept : bits_(bits) {}

    constexpr void add(LaneNumber lane) noexcept { bits_ |= bit(lane); }
    [[nodiscard]] constexpr bool has(LaneNumber lane) const noexcept {
        return lane < kMaxLanes && (bits_ & bit(lane)) != 0;
    }
    [[nodiscard]] constexpr bool is_empty() const noexcept { return bits_ == 0; }
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return static_cast<std::size_t>(std::popcount(bits_));
    }
    /// Of a set that is not empty.
    [[nodiscard]] constexpr LaneNumber first() const noexcept {
        return static_cast<LaneNumber>(std::countr_zero(bits_));
    }
    [[nodiscard]] constexpr bool intersects(LaneSet other) const noexcept {
        return (bits_ & other.bits_) != 0;
    }
    [[nodiscard]] constexpr LaneSet without(LaneSet other) const noexcept {
        return LaneSet{bits_ & ~other.bits_};
    }
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
    friend constexpr bool operator==(LaneSet, LaneSet) = default;

private:
    [[nodiscard]] static constexpr std::uint64_t bit(LaneNumber lane) noexcept {
        return std::uint64_t{1} << lane;
    }
    std::uint64_t bits_ = 0;
};

/// Which transaction it is (Detock §3): the number that the node that placed it has counted up to,
/// and that node's lane. Ascending by counter, then lane, so that no lane always comes first.
/// Whoever places two transactions under one id places two transactions: they differ in their
/// digests.
struct TransactionId {
    std::uint64_t counter = 0;
    LaneNumber lane = 0;
    friend constexpr auto operator<=>(const TransactionId&, const TransactionId&) = default;
};

}  // namespace heddle::consensus_adapter::lanes
