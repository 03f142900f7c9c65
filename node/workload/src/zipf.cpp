// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "zipf.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <types/assert.hpp>

namespace heddle::workload {
namespace {

constexpr unsigned kFractionBits = 32;

/// log2(value) with 32 bits behind the point, `value` at least 1: the mantissa is squared, and each
/// time that it passes 2 gives a bit.
std::uint64_t log2_fixed(std::uint32_t value) noexcept {
    const auto whole = static_cast<unsigned>(std::bit_width(value)) - 1;
    double mantissa = static_cast<double>(value) / static_cast<double>(std::uint64_t{1} << whole);
    std::uint64_t result = whole;
    for (unsigned i = 0; i < kFractionBits; ++i) {
        mantissa *= mantissa;
        result <<= 1;
        if (mantissa < 2) continue;
        mantissa /= 2;
        result |= 1;
    }
    return result;
}

/// 2^-(1/2), 2^-(1/4), …
std::array<double, kFractionBits> inverse_roots() noexcept {
    std::array<double, kFractionBits> roots{};
    double root = 0.5;
    for (double& entry : roots)
        entry = root = std::sqrt(root);
    return roots;
}

/// 2^-exponent in units of 2^-40, at least 1: every rank has to come up some time.
std::uint64_t weight(std::uint64_t exponent, const std::array<double, kFractionBits>& roots) {
    constexpr unsigned kUnits = 40;
    const std::uint64_t whole = exponent >> kFractionBits;
    double part = 1;
    for (unsigned i = 0; i < kFractionBits; ++i)
        if ((exponent >> (kFractionBits - 1 - i) & 1) != 0) part *= roots[i];
    if (whole >= kUnits) return 1;
    const double scaled = part * static_cast<double>(std::uint64_t{1} << (kUnits - whole));
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(scaled), 1);
}

}  // namespace

Zipf::Zipf(std::uint32_t count, std::uint32_t skew_ppm) : count_(count) {
    HEDDLE_ASSERT(count > 0 && skew_ppm <= 4'000'000);
    if (skew_ppm == 0) return;
    const auto roots = inverse_roots();
    sums_.reserve(count);
    std::uint64_t sum = 0;
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        sum += weight(log2_fixed(rank + 1) * skew_ppm / 1'000'000, roots);
        sums_.push_back(sum);
    }
}

std::uint32_t Zipf::draw(Random& random) const noexcept {
    if (sums_.empty()) return random.below(count_);
    const std::uint64_t at = random.next() % sums_.back();
    return static_cast<std::uint32_t>(std::ranges::upper_bound(sums_, at) - sums_.begin());
}

}  // namespace heddle::workload
