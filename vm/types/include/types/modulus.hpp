// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Multiplication by one modulus many times, as contracts over elliptic curves do: the reciprocal is
// computed once. For a single operation mulmod() of uint256.hpp is faster.
#pragma once

#include <cstdint>

#include <types/uint256.hpp>

namespace heddle {

/// A modulus with its reciprocal (Barrett's reduction).
/// Thread safety: a value.
class Modulus {
public:
    Modulus() = default;
    /// Any value. Making one costs about as much as two of mulmod().
    explicit Modulus(const Uint256& value) noexcept;

    [[nodiscard]] const Uint256& value() const noexcept { return value_; }

    /// The same as mulmod(a, b, value()).
    [[nodiscard]] Uint256 multiply(const Uint256& a, const Uint256& b) const noexcept;

private:
    Uint256 value_;
    // floor(2^512 / value); zero where mulmod() does as well or better.
    std::uint64_t reciprocal_[5] = {};
};

}  // namespace heddle
