// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Multi-word division for uint256.cpp: Knuth's algorithm D with the reciprocals of Möller and
// Granlund ("Improved division by invariant integers", IEEE TC 60, 2011), so that each quotient
// word costs multiplications only.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <types/uint256.hpp>

namespace heddle::detail {

constexpr std::uint64_t low_word(uint128 value) noexcept {
    return static_cast<std::uint64_t>(value);
}
constexpr std::uint64_t high_word(uint128 value) noexcept {
    return static_cast<std::uint64_t>(value >> 64);
}
constexpr uint128 join(std::uint64_t high, std::uint64_t low) noexcept {
    return uint128{high} << 64 | low;
}

constexpr bool is_power_of_two(const Uint256& a) noexcept {
    return (a & (a - Uint256{1})).is_zero() && !a.is_zero();
}

/// All eight words of the product.
constexpr void multiply_full(const Uint256& a, const Uint256& b, std::uint64_t (&out)[8]) noexcept {
    for (std::size_t i = 0; i < 8; ++i)
        out[i] = 0;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) {
        std::uint64_t carry = 0;
#pragma GCC unroll 4
        for (std::size_t j = 0; j < 4; ++j) {
            const uint128 t = uint128{a.words[i]} * b.words[j] + out[i + j] + carry;
            out[i + j] = low_word(t);
            carry = high_word(t);
        }
        out[i + 4] = carry;
    }
}

/// First guesses for reciprocal_by_table() by the top nine bits of the divisor.
inline constexpr auto kReciprocalTable = [] {
    std::array<std::uint16_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i)
        table[i] = static_cast<std::uint16_t>(0x7fd00 / (256 + i));
    return table;
}();

/// floor((2^128 - 1) / d) - 2^64 for a normalised d, in multiplications only (Möller–Granlund,
/// algorithm 2).
constexpr std::uint64_t reciprocal_by_table(std::uint64_t d) noexcept {
    const std::uint64_t d9 = d >> 55;
    const std::uint64_t v0 = kReciprocalTable[d9 - 256];
    const std::uint64_t d40 = (d >> 24) + 1;
    const std::uint64_t v1 = (v0 << 11) - (v0 * v0 * d40 >> 40) - 1;
    const std::uint64_t v2 = (v1 << 13) + (v1 * ((std::uint64_t{1} << 60) - v1 * d40) >> 47);
    const std::uint64_t d0 = d & 1;
    const std::uint64_t d63 = (d >> 1) + d0;
    const std::uint64_t e = ((v2 >> 1) & (0 - d0)) - v2 * d63;
    const std::uint64_t v3 = (high_word(uint128{v2} * e) >> 1) + (v2 << 31);
    return v3 - high_word(uint128{v3} * d + d) - d;
}

#if defined(__x86_64__)
/// Quotient of (u1, u0) by d > u1; `u1` becomes the remainder. Compilers have no other way to ask
/// for this instruction, which CPUs of the last years do in fewer cycles than the table takes.
[[gnu::always_inline]] inline std::uint64_t divide_native(std::uint64_t& u1, std::uint64_t u0,
                                                          std::uint64_t d) noexcept {
    std::uint64_t quotient;
    asm("divq %[d]" : "=a"(quotient), "+d"(u1) : "a"(u0), [d] "r"(d) : "cc");
    return quotient;
}
#endif

/// floor((2^128 - 1) / d) - 2^64 for a normalised d.
[[gnu::always_inline]] inline std::uint64_t reciprocal_2by1(std::uint64_t d) noexcept {
#if defined(__x86_64__)
    std::uint64_t high = ~d;
    return divide_native(high, ~std::uint64_t{0}, d);
#else
    return reciprocal_by_table(d);
#endif
}

/// floor((2^192 - 1) / d) - 2^64 for a normalised two-word d (Möller–Granlund, algorithm 6).
[[gnu::always_inline]] inline std::uint64_t reciprocal_3by2(std::uint64_t d1,
                                                            std::uint64_t d0) noexcept {
    std::uint64_t v = reciprocal_2by1(d1);
    std::uint64_t p = d1 * v + d0;
    if (p < d0) {
        --v;
        if (p >= d1) {
            --v;
            p -= d1;
        }
        p -= d1;
    }
    const uint128 t = uint128{v} * d0;
    p += high_word(t);
    if (p < high_word(t)) {
        --v;
        if (join(p, low_word(t)) >= join(d1, d0)) --v;
    }
    return v;
}

/// Quotient of (u1, u0) by a normalised d > u1; `u1` becomes the remainder.
[[gnu::always_inline]] inline std::uint64_t divide_2by1(std::uint64_t& u1, std::uint64_t u0,
                                                        std::uint64_t d,
                                                        std::uint64_t reciprocal) noexcept {
    const uint128 q = uint128{reciprocal} * u1 + join(u1, u0);
    std::uint64_t q1 = high_word(q) + 1;
    std::uint64_t r = u0 - q1 * d;
    // As likely as not, so without a branch.
    const std::uint64_t correction = 0 - static_cast<std::uint64_t>(r > low_word(q));
    q1 += correction;
    r += d & correction;
    if (r >= d) [[unlikely]] {
        ++q1;
        r -= d;
    }
    u1 = r;
    return q1;
}

/// Quotient of (u2, u1, u0) by a normalised (d1, d0) > (u2, u1); (u2, u1) becomes the remainder.
// NOLINTNEXTLINE(readability-function-size): three words, two, and the reciprocal
[[gnu::always_inline]] inline std::uint64_t divide_3by2(std::uint64_t& u2, std::uint64_t& u1,
                                                        std::uint64_t u0, std::uint64_t d1,
                                                        std::uint64_t d0,
                                                        std::uint64_t reciprocal) noexcept {
    const uint128 q = uint128{reciprocal} * u2 + join(u2, u1);
    std::uint64_t q1 = high_word(q);
    const std::uint64_t r1 = u1 - q1 * d1;
    const uint128 d = join(d1, d0);
    uint128 r = join(r1, u0) - uint128{d0} * q1 - d;
    ++q1;
    // As likely as not, so without a branch.
    const std::uint64_t correction = 0 - static_cast<std::uint64_t>(high_word(r) >= low_word(q));
    q1 += correction;
    r += join(d1 & correction, d0 & correction);
    if (r >= d) [[unlikely]] {
        ++q1;
        r -= d;
    }
    u2 = high_word(r);
    u1 = low_word(r);
    return q1;
}

/// u -= q * d over `N` words; returns the borrow out of them, up to a whole word.
template <std::size_t N>
[[gnu::always_inline]] inline std::uint64_t subtract_multiple(std::uint64_t* u,
                                                              const std::uint64_t* d,
                                                              std::uint64_t q) noexcept {
    std::uint64_t borrow = 0;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < N; ++i) {
        const uint128 t = uint128{q} * d[i] + borrow;
        borrow = high_word(t) + (u[i] < low_word(t) ? 1 : 0);
        u[i] -= low_word(t);
    }
    return borrow;
}

/// u += d over `N` words, dropping the carry.
template <std::size_t N>
[[gnu::always_inline]] inline void add_back(std::uint64_t* u, const std::uint64_t* d) noexcept {
    std::uint64_t carry = 0;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < N; ++i) {
        const uint128 t = uint128{u[i]} + d[i] + carry;
        u[i] = low_word(t);
        carry = high_word(t);
    }
}

/// One quotient word of Knuth's algorithm D for a normalised divisor of N >= 2 words. `r` is the
/// running remainder, below d; `next` is the dividend's word below it.
template <std::size_t N>
[[gnu::always_inline]] inline std::uint64_t divide_step(std::uint64_t (&r)[N], std::uint64_t next,
                                                        const std::uint64_t* d,
                                                        std::uint64_t reciprocal) noexcept {
    std::uint64_t u[N + 1];  // `r` shifted up by one word, in registers once this is inlined
    u[0] = next;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < N; ++i)
        u[i + 1] = r[i];
    std::uint64_t q = ~std::uint64_t{0};
    if (N > 2 && u[N] == d[N - 1] && u[N - 1] == d[N - 2]) [[unlikely]] {
        // The estimate would overflow; the quotient word is exactly the largest one, because d is
        // normalised.
        static_cast<void>(subtract_multiple<N>(u, d, q));
    } else {
        // The estimate takes the two upper words of d into account; what is left of them is the
        // upper end of the remainder, up to a borrow from the lower words.
        q = divide_3by2(u[N], u[N - 1], u[N - 2], d[N - 1], d[N - 2], reciprocal);
        const uint128 upper = join(u[N], u[N - 1]);
        const std::uint64_t borrow = subtract_multiple<N - 2>(u, d, q);
        u[N - 1] = high_word(upper - borrow);
        u[N - 2] = low_word(upper - borrow);
        if (upper < borrow) [[unlikely]] {
            --q;
            add_back<N>(u, d);
        }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < N; ++i)
        r[i] = u[i];
    return q;
}

/// Number of words without leading zeros.
constexpr std::size_t count_words(const std::uint64_t* words, std::size_t count) noexcept {
    while (count != 0 && words[count - 1] == 0)
        --count;
    return count;
}

/// out[0..Size] = in << shift with shift below 64.
template <std::size_t Size>
[[gnu::always_inline]] inline void shift_left(const std::uint64_t* in, unsigned shift,
                                              std::uint64_t* out) noexcept {
    // In two steps, as a shift by 64 is undefined.
    const unsigned rest = 63 - shift;
    out[0] = in[0] << shift;
#pragma GCC unroll 8
    for (std::size_t i = 1; i < Size; ++i)
        out[i] = in[i] << shift | in[i - 1] >> 1 >> rest;
    out[Size] = in[Size - 1] >> 1 >> rest;
}

/// Divides the `Size`-word a, of which the lower `used` words are not zero at the top, by the
/// N-word b (2 <= N <= used, top word not zero). Writes used - N + 1 words of the quotient and
/// returns the remainder.
template <std::size_t N, std::size_t Size>
[[gnu::always_inline]] inline Uint256 divide_words(const std::uint64_t* a, std::size_t used,
                                                   const Uint256& b,
                                                   std::uint64_t* quotient) noexcept {
    const auto shift = static_cast<unsigned>(std::countl_zero(b.words[N - 1]));
    std::uint64_t d[N + 1];
    shift_left<N>(b.words, shift, d);
    const std::uint64_t reciprocal = reciprocal_3by2(d[N - 1], d[N - 2]);
    std::uint64_t u[Size + 1];
    shift_left<Size>(a, shift, u);
    // The first quotient word is zero when the upper words alone say so, as they do for products of
    // operands below the modulus.
    std::size_t i = used - N + 1;
    if (u[used] == 0 && u[used - 1] < d[N - 1]) quotient[--i] = 0;
    std::uint64_t r[N];
    for (std::size_t j = 0; j < N; ++j)
        r[j] = u[i + j];
    while (i-- > 0)
        quotient[i] = divide_step<N>(r, u[i], d, reciprocal);
    Uint256 remainder;
    for (std::size_t j = 0; j + 1 < N; ++j)
        remainder.words[j] = r[j] >> shift | r[j + 1] << 1 << (63 - shift);
    remainder.words[N - 1] = r[N - 1] >> shift;
    return remainder;
}

/// Divides the `Size`-word a, of which the lower `used` words are not zero at the top, by one word.
/// Writes `used` words of the quotient and returns the remainder.
template <std::size_t Size>
[[gnu::always_inline]] inline std::uint64_t divide_by_word(const std::uint64_t* a, std::size_t used,
                                                           std::uint64_t b,
                                                           std::uint64_t* quotient) noexcept {
#if defined(__x86_64__)
    // For up to three words a reciprocal does not pay.
    if (used <= 3) {
        std::uint64_t rest = 0;
        for (std::size_t i = used; i-- > 0;)
            quotient[i] = divide_native(rest, a[i], b);
        return rest;
    }
#endif
    const auto shift = static_cast<unsigned>(std::countl_zero(b));
    const std::uint64_t d = b << shift;
    const std::uint64_t reciprocal = reciprocal_2by1(d);
    std::uint64_t u[Size + 1];
    shift_left<Size>(a, shift, u);
    std::uint64_t remainder = u[used];
    for (std::size_t i = used; i-- > 0;)
        quotient[i] = divide_2by1(remainder, u[i], d, reciprocal);
    return remainder >> shift;
}

/// Remainder of the `Size`-word a by any b but zero.
template <std::size_t Size>
[[gnu::always_inline]] inline Uint256 remainder_of(const std::uint64_t (&a)[Size],
                                                   const Uint256& b) noexcept {
    const std::size_t used = count_words(a, Size);
    std::uint64_t quotient[Size];
    if (used <= 4 && Uint256{a[0], a[1], a[2], a[3]} < b) return {a[0], a[1], a[2], a[3]};
    if (b.words[3] != 0) return divide_words<4, Size>(a, used, b, quotient);
    if (b.words[2] != 0) return divide_words<3, Size>(a, used, b, quotient);
    if (b.words[1] != 0) return divide_words<2, Size>(a, used, b, quotient);
    return Uint256{divide_by_word<Size>(a, used, b.low64(), quotient)};
}

}  // namespace heddle::detail
