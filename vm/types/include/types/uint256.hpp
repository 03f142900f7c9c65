// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The EVM's word: a 256-bit unsigned integer as four 64-bit words, with the two's-complement and
// modular operations that instructions need. Everything wraps modulo 2^256.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <types/keyed_hash.hpp>

namespace heddle {

// Two-word arithmetic is what both compilers turn into mul, adc and sbb; ISO C++ has no such type.
__extension__ using uint128 = unsigned __int128;
#if defined(__clang__)
// The only type whose comparison clang turns into one chain of cmp and sbb. Its division is slow
// and g++ lacks it, so it appears nowhere else.
__extension__ using ComparisonWord = unsigned _BitInt(256);
#endif

struct Uint256 {
    std::uint64_t words[4] = {0, 0, 0, 0};  // least significant first

    constexpr Uint256() noexcept = default;
    constexpr Uint256(std::uint64_t low) noexcept : words{low, 0, 0, 0} {}  // NOLINT: widening
    constexpr Uint256(std::uint64_t w0, std::uint64_t w1, std::uint64_t w2,
                      std::uint64_t w3) noexcept
        : words{w0, w1, w2, w3} {}

    [[nodiscard]] static constexpr Uint256 max() noexcept { return {~0ull, ~0ull, ~0ull, ~0ull}; }

    [[nodiscard]] constexpr bool is_zero() const noexcept {
        return (words[0] | words[1] | words[2] | words[3]) == 0;
    }
    [[nodiscard]] constexpr bool fits_uint64() const noexcept {
        return (words[1] | words[2] | words[3]) == 0;
    }
    [[nodiscard]] constexpr std::uint64_t low64() const noexcept { return words[0]; }
    [[nodiscard]] constexpr bool is_negative() const noexcept { return (words[3] >> 63) != 0; }

    friend constexpr bool operator==(const Uint256& a, const Uint256& b) noexcept {
        return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1]) | (a.words[2] ^ b.words[2]) |
                (a.words[3] ^ b.words[3])) == 0;
    }
    friend constexpr bool operator<(const Uint256& a, const Uint256& b) noexcept {
#if defined(__clang__)
        if !consteval {
            return __builtin_bit_cast(ComparisonWord, a) < __builtin_bit_cast(ComparisonWord, b);
        }
#endif
        const uint128 a_high = uint128{a.words[3]} << 64 | a.words[2];
        const uint128 b_high = uint128{b.words[3]} << 64 | b.words[2];
        const uint128 a_low = uint128{a.words[1]} << 64 | a.words[0];
        const uint128 b_low = uint128{b.words[1]} << 64 | b.words[0];
        return (a_high < b_high) | ((a_high == b_high) & (a_low < b_low));
    }
    friend constexpr bool operator>(const Uint256& a, const Uint256& b) noexcept { return b < a; }
    friend constexpr bool operator<=(const Uint256& a, const Uint256& b) noexcept {
        return !(b < a);
    }
    friend constexpr bool operator>=(const Uint256& a, const Uint256& b) noexcept {
        return !(a < b);
    }

    friend constexpr Uint256 operator+(const Uint256& a, const Uint256& b) noexcept {
        Uint256 r;
        uint128 sum = uint128{a.words[0]} + b.words[0];
        r.words[0] = static_cast<std::uint64_t>(sum);
        sum = uint128{a.words[1]} + b.words[1] + static_cast<std::uint64_t>(sum >> 64);
        r.words[1] = static_cast<std::uint64_t>(sum);
        sum = uint128{a.words[2]} + b.words[2] + static_cast<std::uint64_t>(sum >> 64);
        r.words[2] = static_cast<std::uint64_t>(sum);
        r.words[3] = a.words[3] + b.words[3] + static_cast<std::uint64_t>(sum >> 64);
        return r;
    }
    friend constexpr Uint256 operator-(const Uint256& a, const Uint256& b) noexcept {
        Uint256 r;
        std::uint64_t borrow = 0;
        // In this form, and not in two-word arithmetic, compilers see sub and sbb.
        for (int i = 0; i < 4; ++i) {
            const std::uint64_t difference = a.words[i] - b.words[i];
            r.words[i] = difference - borrow;
            borrow = static_cast<std::uint64_t>(a.words[i] < b.words[i]) |
                     static_cast<std::uint64_t>(difference < borrow);
        }
        return r;
    }
    friend constexpr Uint256 operator-(const Uint256& a) noexcept { return Uint256{} - a; }
    friend constexpr Uint256 operator~(const Uint256& a) noexcept {
        return {~a.words[0], ~a.words[1], ~a.words[2], ~a.words[3]};
    }
    friend constexpr Uint256 operator&(const Uint256& a, const Uint256& b) noexcept {
        return {a.words[0] & b.words[0], a.words[1] & b.words[1], a.words[2] & b.words[2],
                a.words[3] & b.words[3]};
    }
    friend constexpr Uint256 operator|(const Uint256& a, const Uint256& b) noexcept {
        return {a.words[0] | b.words[0], a.words[1] | b.words[1], a.words[2] | b.words[2],
                a.words[3] | b.words[3]};
    }
    friend constexpr Uint256 operator^(const Uint256& a, const Uint256& b) noexcept {
        return {a.words[0] ^ b.words[0], a.words[1] ^ b.words[1], a.words[2] ^ b.words[2],
                a.words[3] ^ b.words[3]};
    }
    /// Low 256 bits of the product.
    friend constexpr Uint256 operator*(const Uint256& a, const Uint256& b) noexcept {
        uint128 t = uint128{a.words[0]} * b.words[0];
        const auto r0 = static_cast<std::uint64_t>(t);
        t = uint128{a.words[0]} * b.words[1] + static_cast<std::uint64_t>(t >> 64);
        auto r1 = static_cast<std::uint64_t>(t);
        t = uint128{a.words[0]} * b.words[2] + static_cast<std::uint64_t>(t >> 64);
        auto r2 = static_cast<std::uint64_t>(t);
        std::uint64_t r3 = a.words[0] * b.words[3] + static_cast<std::uint64_t>(t >> 64);

        t = uint128{a.words[1]} * b.words[0] + r1;
        r1 = static_cast<std::uint64_t>(t);
        t = uint128{a.words[1]} * b.words[1] + r2 + static_cast<std::uint64_t>(t >> 64);
        r2 = static_cast<std::uint64_t>(t);
        r3 += a.words[1] * b.words[2] + static_cast<std::uint64_t>(t >> 64);

        t = uint128{a.words[2]} * b.words[0] + r2;
        r2 = static_cast<std::uint64_t>(t);
        r3 += a.words[2] * b.words[1] + static_cast<std::uint64_t>(t >> 64);
        r3 += a.words[3] * b.words[0];
        return {r0, r1, r2, r3};
    }
    /// Shifts by 256 or more give zero.
    friend constexpr Uint256 operator<<(const Uint256& a, std::uint64_t shift) noexcept {
        if (shift >= 256) return {};
        // Two words, one word, then bits: selections instead of branches, which shifts by different
        // distances at one place of an interpreter would mispredict.
        const bool by_two = (shift & 128) != 0;
        const std::uint64_t b3 = by_two ? a.words[1] : a.words[3];
        const std::uint64_t b2 = by_two ? a.words[0] : a.words[2];
        const std::uint64_t b1 = by_two ? 0 : a.words[1];
        const std::uint64_t b0 = by_two ? 0 : a.words[0];
        const bool by_one = (shift & 64) != 0;
        const std::uint64_t c3 = by_one ? b2 : b3;
        const std::uint64_t c2 = by_one ? b1 : b2;
        const std::uint64_t c1 = by_one ? b0 : b1;
        const std::uint64_t c0 = by_one ? 0 : b0;
        const auto bits = static_cast<unsigned>(shift & 63);
        const unsigned rest = 63 - bits;  // and one more: a shift by 64 is undefined
        return {c0 << bits, c1 << bits | c0 >> 1 >> rest, c2 << bits | c1 >> 1 >> rest,
                c3 << bits | c2 >> 1 >> rest};
    }
    friend constexpr Uint256 operator>>(const Uint256& a, std::uint64_t shift) noexcept {
        return shift < 256 ? a.shift_right(shift, 0) : Uint256{};
    }
    /// SAR: arithmetic shift right; shifts of 256 or more give 0 or -1.
    friend constexpr Uint256 arithmetic_shift_right(const Uint256& a,
                                                    std::uint64_t shift) noexcept {
        const std::uint64_t fill = 0 - (a.words[3] >> 63);
        return shift < 256 ? a.shift_right(shift, fill) : Uint256{fill, fill, fill, fill};
    }

    constexpr Uint256& operator+=(const Uint256& b) noexcept { return *this = *this + b; }
    constexpr Uint256& operator-=(const Uint256& b) noexcept { return *this = *this - b; }
    constexpr Uint256& operator*=(const Uint256& b) noexcept { return *this = *this * b; }

private:
    // For shift < 256; words from above are `fill`. As operator<<.
    [[nodiscard]] constexpr Uint256 shift_right(std::uint64_t shift,
                                                std::uint64_t fill) const noexcept {
        const bool by_two = (shift & 128) != 0;
        const std::uint64_t b0 = by_two ? words[2] : words[0];
        const std::uint64_t b1 = by_two ? words[3] : words[1];
        const std::uint64_t b2 = by_two ? fill : words[2];
        const std::uint64_t b3 = by_two ? fill : words[3];
        const bool by_one = (shift & 64) != 0;
        const std::uint64_t c0 = by_one ? b1 : b0;
        const std::uint64_t c1 = by_one ? b2 : b1;
        const std::uint64_t c2 = by_one ? b3 : b2;
        const std::uint64_t c3 = by_one ? fill : b3;
        const auto bits = static_cast<unsigned>(shift & 63);
        const unsigned rest = 63 - bits;
        return {c0 >> bits | c1 << 1 << rest, c1 >> bits | c2 << 1 << rest,
                c2 >> bits | c3 << 1 << rest, c3 >> bits | fill << 1 << rest};
    }
};

constexpr Uint256 arithmetic_shift_right(const Uint256& a, std::uint64_t shift) noexcept;

/// Number of bits up to the highest one set; 0 for zero.
[[nodiscard]] constexpr unsigned bit_width(const Uint256& a) noexcept {
    for (unsigned i = 4; i-- > 0;)
        if (a.words[i] != 0) return 64 * i + static_cast<unsigned>(std::bit_width(a.words[i]));
    return 0;
}
/// Number of bytes without leading zeros; 0 for zero.
[[nodiscard]] constexpr unsigned byte_width(const Uint256& a) noexcept {
    return (bit_width(a) + 7) / 8;
}

struct DivModResult {
    Uint256 quotient;
    Uint256 remainder;
};
/// Division by zero gives zero for both, as the EVM's DIV and MOD do (YP App. H).
[[nodiscard]] DivModResult divmod(const Uint256& a, const Uint256& b) noexcept;
[[nodiscard]] Uint256 operator/(const Uint256& a, const Uint256& b) noexcept;
[[nodiscard]] Uint256 operator%(const Uint256& a, const Uint256& b) noexcept;
/// SDIV, SMOD: truncating, sign of the dividend for the remainder; zero for a zero divisor.
[[nodiscard]] Uint256 sdiv(const Uint256& a, const Uint256& b) noexcept;
[[nodiscard]] Uint256 smod(const Uint256& a, const Uint256& b) noexcept;
/// ADDMOD, MULMOD: over unbounded intermediates; zero for a zero modulus.
[[nodiscard]] Uint256 addmod(const Uint256& a, const Uint256& b, const Uint256& modulus) noexcept;
[[nodiscard]] Uint256 mulmod(const Uint256& a, const Uint256& b, const Uint256& modulus) noexcept;
/// EXP: modulo 2^256, 0^0 = 1.
[[nodiscard]] Uint256 exp(const Uint256& base, const Uint256& exponent) noexcept;

/// Sum and whether it left 256 bits.
[[nodiscard]] constexpr bool add_overflow(const Uint256& a, const Uint256& b,
                                          Uint256& sum) noexcept {
    Uint256 r;
    uint128 t = 0;
    for (int i = 0; i < 4; ++i) {
        t = uint128{a.words[i]} + b.words[i] + static_cast<std::uint64_t>(t >> 64);
        r.words[i] = static_cast<std::uint64_t>(t);
    }
    sum = r;
    return (t >> 64) != 0;
}
/// Low 256 bits of the product and whether it left 256 bits.
[[nodiscard]] bool mul_overflow(const Uint256& a, const Uint256& b, Uint256& product) noexcept;

/// Big-endian, exactly 32 bytes.
[[nodiscard]] inline Uint256 load_be(const std::uint8_t* bytes) noexcept {
    std::uint64_t w[4];
    std::memcpy(w, bytes, 32);
    return {__builtin_bswap64(w[3]), __builtin_bswap64(w[2]), __builtin_bswap64(w[1]),
            __builtin_bswap64(w[0])};
}
inline void store_be(const Uint256& value, std::uint8_t* bytes) noexcept {
    const std::uint64_t w[4] = {
        __builtin_bswap64(value.words[3]), __builtin_bswap64(value.words[2]),
        __builtin_bswap64(value.words[1]), __builtin_bswap64(value.words[0])};
    std::memcpy(bytes, w, 32);
}
/// Big-endian, at most 32 bytes, zero-extended.
[[nodiscard]] Uint256 load_be_partial(std::span<const std::uint8_t> bytes) noexcept;

/// `0x` and the shortest digits (`0x0` for zero): JSON-RPC's quantity.
[[nodiscard]] std::string to_hex(const Uint256& value);
[[nodiscard]] std::string to_decimal(const Uint256& value);
/// One to 64 hexadecimal digits with `0x`, leading zeros allowed, or decimal digits without it.
/// @return nullopt on any other character, no digits, or a value beyond 256 bits.
[[nodiscard]] std::optional<Uint256> uint256_from_string(std::string_view text) noexcept;

/// @param owner  Tells apart equal values of different owners, such as slots of accounts.
[[nodiscard]] inline HashedWords hashed_words(const Uint256& value,
                                              std::uint64_t owner = 0) noexcept {
    return {{value.words[0], value.words[1], value.words[2], value.words[3]}, owner};
}

/// For hash tables only; never reaches a result.
struct Uint256Hasher {
    [[nodiscard]] std::size_t operator()(const Uint256& value,
                                         std::uint64_t owner = 0) const noexcept {
        return keyed_hash(kHashKey, hashed_words(value, owner));
    }
};

}  // namespace heddle
