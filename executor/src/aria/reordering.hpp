// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which units of a batch commit, and in which order, where the order is free: Aria's deterministic
// reordering (Aria §5). Decided from what they read and change, and from nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aria/reservations.hpp"

namespace heddle::executor {

enum class TouchMode : std::uint8_t {
    read,
    write,  // reads and changes
    move,   // changes by an amount, whatever was there: moves commute
};
/// What a unit does with one object; a unit may touch an object several times.
struct Touch {
    std::uint32_t object = 0;
    bool is_slot = false;  // the numbers of slots and of accounts' objects are apart
    TouchMode mode = TouchMode::read;
};
using Footprint = std::vector<Touch>;

[[nodiscard]] constexpr bool reads(TouchMode mode) noexcept {
    return mode != TouchMode::move;
}
[[nodiscard]] constexpr bool changes(TouchMode mode) noexcept {
    return mode != TouchMode::read;
}

/// Who of a batch reads, and who changes, each object first.
///
/// Thread safety: reserve() any; the rest while nobody reserves.
class FirstTouches {
public:
    void begin_batch() noexcept;
    void reserve(std::uint32_t unit, const Footprint& footprint);
    /// Rule 2 (Aria §5.2): it does not both read what an earlier one changes and change what an
    /// earlier one reads. Two that write one object do both, so that writes need no rule of their
    /// own; moves of one object do neither.
    [[nodiscard]] bool commits(std::uint32_t unit, const Footprint& footprint) const noexcept;
    /// Whether it has to stand before an earlier one, if both commit.
    [[nodiscard]] bool goes_ahead(std::uint32_t unit, const Footprint& footprint) const noexcept;

private:
    struct Table {
        Reservations accounts;
        Reservations slots;
        [[nodiscard]] Reservations& of(bool is_slot) noexcept { return is_slot ? slots : accounts; }
        [[nodiscard]] const Reservations& of(bool is_slot) const noexcept {
            return is_slot ? slots : accounts;
        }
    };
    Table readers_;
    Table changers_;
};

/// An order of units in which nobody reads what one before it changes. Of those that could be next,
/// the one with the smallest number is.
/// @param footprints  Of units that commits() lets through, in ascending order.
/// @return indices in `footprints`.
/// Complexity: n log n in touches.
[[nodiscard]] std::vector<std::uint32_t> order_units(std::span<const Footprint* const> footprints);

}  // namespace heddle::executor
