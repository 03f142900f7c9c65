// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Integers modulo the order of secp256k1's group (SEC 2, 2.4.1), as far as recovering public keys
// needs them. For public values only.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <types/uint256.hpp>

namespace heddle::recovery {

inline constexpr Uint256 kGroupOrder{0xbfd25e8cd0364141, 0xbaaedce6af48a03b, 0xfffffffffffffffe,
                                     ~0ull};

/// Of factors below the order.
[[nodiscard]] Uint256 multiply_scalars(const Uint256& a, const Uint256& b) noexcept;
/// order - a, for a below the order; 0 for 0.
[[nodiscard]] Uint256 negate_scalar(const Uint256& a) noexcept;

/// Replaces each by its inverse. None is zero. One inversion is computed for all of them
/// (Montgomery's trick). At most kMostInverses.
inline constexpr std::size_t kMostInverses = 64;
void invert_scalars(std::span<Uint256> scalars) noexcept;

/// Bits of what split_scalar() gives, as many windows of 5 or 10 bits have.
inline constexpr unsigned kSplitBits = 130;

/// Two integers v below 2^kSplitBits that stand for a scalar u:
///
///     u = signed(v[0]) + signed(v[1]) * lambda    modulo the order
///
/// where lambda is the scalar with lambda * (x, y) = (beta * x, y), and signed(v) is the sum of
/// +2^i for each bit i of v that is set and -2^i for each that is not (Hamburg, ePrint 2012/309).
/// So a window of w bits has an odd digit, 2 * window - (2^w - 1), and never zero: all lanes have
/// something to add at every window.
[[nodiscard]] std::array<Uint256, 2> split_scalar(const Uint256& u) noexcept;

/// beta of above: a cube root of one modulo the field's prime.
inline constexpr Uint256 kBeta{0xc1396c28719501ee, 0x9cf0497512f58995, 0x6e64479eac3434e9,
                               0x7ae96a2b657c0710};

}  // namespace heddle::recovery
