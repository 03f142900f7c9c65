// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is left to be taken of a block that is executed from its list, in one word. What is done
// with it is in listed_executor.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace heddle::executor {

/// From below: how many are left of what is taken in order, a bit for each that is left of what is
/// set apart, the block's serial number.
class Ticket {
public:
    static constexpr unsigned kMostApart = 8;

    explicit Ticket(std::uint64_t word) noexcept : word_(word) {}
    Ticket(std::uint32_t serial, std::size_t apart, std::size_t left) noexcept
        : word_(std::uint64_t{serial} << (kLeftBits + kMostApart) |
                ((std::uint64_t{1} << apart) - 1) << kLeftBits | left) {}

    [[nodiscard]] std::uint64_t word() const noexcept { return word_; }
    /// Its lowest 24 bits.
    [[nodiscard]] std::uint32_t serial() const noexcept {
        return static_cast<std::uint32_t>(word_ >> (kLeftBits + kMostApart));
    }
    [[nodiscard]] std::uint32_t left_in_order() const noexcept {
        return static_cast<std::uint32_t>(word_);
    }
    [[nodiscard]] bool has_apart() const noexcept { return apart() != 0; }
    [[nodiscard]] bool has_apart(unsigned place) const noexcept {
        return (apart() >> place & 1) != 0;
    }
    /// nullopt: there is none.
    [[nodiscard]] std::optional<unsigned> first_place_apart() const noexcept {
        if (!has_apart()) return std::nullopt;
        return static_cast<unsigned>(std::countr_zero(apart()));
    }
    [[nodiscard]] bool is_over() const noexcept { return left_in_order() == 0 && !has_apart(); }

    [[nodiscard]] Ticket without_apart(unsigned place) const noexcept {
        return Ticket{word_ & ~(std::uint64_t{1} << (kLeftBits + place))};
    }
    [[nodiscard]] Ticket without_next(std::uint32_t count) const noexcept {
        return Ticket{word_ - count};
    }

private:
    static constexpr unsigned kLeftBits = 32;

    [[nodiscard]] std::uint8_t apart() const noexcept {
        return static_cast<std::uint8_t>(word_ >> kLeftBits);
    }

    std::uint64_t word_;
};

}  // namespace heddle::executor
