// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <types/modulus.hpp>

#include "division.hpp"

namespace heddle {

Modulus::Modulus(const Uint256& value) noexcept : value_(value) {
    // Narrow moduli take few steps of division anyway; the others have a shortcut in mulmod().
    if (value.words[3] == 0 || detail::is_power_of_two(value) || value == Uint256::max()) return;
    const std::uint64_t dividend[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    std::uint64_t quotient[6];
    static_cast<void>(detail::divide_words<4, 9>(dividend, 9, value, quotient));
    // The value is above 2^192, so the quotient is below 2^320.
    for (std::size_t i = 0; i < 5; ++i)
        reciprocal_[i] = quotient[i];
}

namespace {

// Words 5 to 9 of a * b, too small by at most one: the lowest three columns are left out, whose sum
// carries at most one that far.
[[gnu::always_inline]] inline void multiply_upper(const std::uint64_t* a, const std::uint64_t* b,
                                                  std::uint64_t (&out)[5]) noexcept {
    std::uint64_t product[10] = {};
#pragma GCC unroll 5
    for (std::size_t i = 0; i < 5; ++i) {
        std::uint64_t carry = 0;
#pragma GCC unroll 5
        for (std::size_t j = i < 3 ? 3 - i : 0; j < 5; ++j) {
            const uint128 t = uint128{a[i]} * b[j] + product[i + j] + carry;
            product[i + j] = detail::low_word(t);
            carry = detail::high_word(t);
        }
        product[i + 5] = carry;
    }
#pragma GCC unroll 5
    for (std::size_t i = 0; i < 5; ++i)
        out[i] = product[5 + i];
}

// Words 0 to 4 of a * m.
[[gnu::always_inline]] inline void multiply_lower(const std::uint64_t (&a)[5], const Uint256& m,
                                                  std::uint64_t (&out)[5]) noexcept {
    for (std::uint64_t& word : out)
        word = 0;
#pragma GCC unroll 5
    for (std::size_t i = 0; i < 5; ++i) {
        std::uint64_t carry = 0;
#pragma GCC unroll 4
        for (std::size_t j = 0; j < 4 && i + j < 5; ++j) {
            const uint128 t = uint128{a[i]} * m.words[j] + out[i + j] + carry;
            out[i + j] = detail::low_word(t);
            carry = detail::high_word(t);
        }
        if (i == 0) out[4] = carry;
    }
}

}  // namespace

Uint256 Modulus::multiply(const Uint256& a, const Uint256& b) const noexcept {
    if (reciprocal_[4] == 0) return mulmod(a, b, value_);
    std::uint64_t product[8];
    detail::multiply_full(a, b, product);
    std::uint64_t quotient[5];
    multiply_upper(product + 3, reciprocal_, quotient);
    std::uint64_t multiple[5];
    multiply_lower(quotient, value_, multiple);
    // The quotient is too small by three at most, so the remainder is below 2^258 and five words
    // hold it.
    Uint256 rest;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint64_t difference = product[i] - multiple[i];
        rest.words[i] = difference - borrow;
        borrow = static_cast<std::uint64_t>(product[i] < multiple[i]) |
                 static_cast<std::uint64_t>(difference < borrow);
    }
    std::uint64_t top = product[4] - multiple[4] - borrow;
    while (top != 0 || rest >= value_) {
        top -= rest < value_ ? 1u : 0u;
        rest -= value_;
    }
    return rest;
}

}  // namespace heddle
