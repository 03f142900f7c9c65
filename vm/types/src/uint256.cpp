// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/uint256.hpp>

#include <algorithm>
#include <array>

#include "division.hpp"

namespace heddle {

namespace {

DivModResult divmod_by_word(const Uint256& a, std::uint64_t b) noexcept {
    if (b == 0) return {};
    if (a.fits_uint64()) return {Uint256{a.low64() / b}, Uint256{a.low64() % b}};
    if ((b & (b - 1)) == 0)
        return {a >> static_cast<unsigned>(std::countr_zero(b)), Uint256{a.low64() & (b - 1)}};
    DivModResult result;
    const std::size_t size = detail::count_words(a.words, 4);
    result.remainder = Uint256{detail::divide_by_word<4>(a.words, size, b, result.quotient.words)};
    return result;
}

// The cases that contracts use, cheapest first: a divisor of one word (decimals, percentages), one
// that is larger than the dividend, a power of two (fixed point), and then by width. A part of each
// caller, which then calculates only what it needs of both results.
[[gnu::always_inline]] inline DivModResult divide(const Uint256& a, const Uint256& b) noexcept {
    if (b.fits_uint64()) return divmod_by_word(a, b.low64());
    if (a < b) return {Uint256{}, a};
    if (detail::is_power_of_two(b)) return {a >> (bit_width(b) - 1), a & (b - Uint256{1})};
    DivModResult result;
    const std::size_t size = detail::count_words(a.words, 4);
    std::uint64_t* const quotient = result.quotient.words;
    if (b.words[3] != 0)
        result.remainder = detail::divide_words<4, 4>(a.words, size, b, quotient);
    else if (b.words[2] != 0)
        result.remainder = detail::divide_words<3, 4>(a.words, size, b, quotient);
    else
        result.remainder = detail::divide_words<2, 4>(a.words, size, b, quotient);
    return result;
}

}  // namespace

DivModResult divmod(const Uint256& a, const Uint256& b) noexcept {
    return divide(a, b);
}

Uint256 operator/(const Uint256& a, const Uint256& b) noexcept {
    return divide(a, b).quotient;
}

Uint256 operator%(const Uint256& a, const Uint256& b) noexcept {
    return divide(a, b).remainder;
}

namespace {

Uint256 absolute(const Uint256& a) noexcept {
    return a.is_negative() ? -a : a;
}

}  // namespace

Uint256 sdiv(const Uint256& a, const Uint256& b) noexcept {
    const Uint256 quotient = absolute(a) / absolute(b);
    return a.is_negative() != b.is_negative() ? -quotient : quotient;
}

Uint256 smod(const Uint256& a, const Uint256& b) noexcept {
    const Uint256 remainder = absolute(a) % absolute(b);
    return a.is_negative() ? -remainder : remainder;
}

Uint256 addmod(const Uint256& a, const Uint256& b, const Uint256& modulus) noexcept {
    if (modulus.is_zero()) return {};
    // Operands below twice the modulus, as nearly all are, need one subtraction at most.
    const std::uint64_t top = modulus.words[3];
    if (top != 0 && a.words[3] <= top && b.words[3] <= top) {
        const Uint256 x = a < modulus ? a : a - modulus;
        const Uint256 y = b < modulus ? b : b - modulus;
        Uint256 sum;
        const bool carry = add_overflow(x, y, sum);
        // A carry out of 256 bits makes the subtraction necessary and, wrapping, right.
        return carry || sum >= modulus ? sum - modulus : sum;
    }
    Uint256 sum;
    const bool carry = add_overflow(a, b, sum);
    const std::uint64_t words[5] = {sum.words[0], sum.words[1], sum.words[2], sum.words[3],
                                    carry ? 1u : 0u};
    return detail::remainder_of(words, modulus);
}

Uint256 mulmod(const Uint256& a, const Uint256& b, const Uint256& modulus) noexcept {
    if (modulus.is_zero()) return {};
    std::uint64_t product[8];
    detail::multiply_full(a, b, product);
    if (modulus == Uint256::max()) {
        // The upper half of a full-width product, as Solidity code computes it: 2^256 is 1 here, so
        // the halves add up.
        const Uint256 low{product[0], product[1], product[2], product[3]};
        const Uint256 high{product[4], product[5], product[6], product[7]};
        Uint256 sum;
        if (add_overflow(low, high, sum)) sum += Uint256{1};
        return sum == Uint256::max() ? Uint256{} : sum;
    }
    if (detail::is_power_of_two(modulus))
        return Uint256{product[0], product[1], product[2], product[3]} & (modulus - Uint256{1});
    return detail::remainder_of(product, modulus);
}

Uint256 exp(const Uint256& base, const Uint256& exponent) noexcept {
    // Contracts raise 2 and 256 most of all: a power of a power of two is one shift.
    if (detail::is_power_of_two(base)) {
        const unsigned step = bit_width(base) - 1;
        if (step == 0) return Uint256{1};
        return exponent < Uint256{256} ? Uint256{1} << (step * exponent.low64()) : Uint256{};
    }
    Uint256 result{1};
    for (unsigned i = bit_width(exponent); i-- > 0;) {
        result *= result;
        if ((exponent.words[i / 64] >> (i % 64) & 1) != 0) result *= base;
    }
    return result;
}

bool mul_overflow(const Uint256& a, const Uint256& b, Uint256& product) noexcept {
    if ((a.words[1] | a.words[2] | a.words[3]) == 0) {  // an amount of gas, mostly
        uint128 carry = 0;
        Uint256 result;
        for (std::size_t i = 0; i < 4; ++i) {
            carry += static_cast<uint128>(a.words[0]) * b.words[i];
            result.words[i] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        product = result;
        return carry != 0;
    }
    std::uint64_t full[8];
    detail::multiply_full(a, b, full);
    product = {full[0], full[1], full[2], full[3]};
    return (full[4] | full[5] | full[6] | full[7]) != 0;
}

Uint256 load_be_partial(std::span<const std::uint8_t> bytes) noexcept {
    std::uint8_t padded[32] = {};
    const std::size_t size = std::min<std::size_t>(bytes.size(), 32);
    if (size != 0) std::memcpy(padded + 32 - size, bytes.data(), size);
    return load_be(padded);
}

std::string to_hex(const Uint256& value) {
    static constexpr char kDigits[] = "0123456789abcdef";
    const unsigned count = std::max(1u, (bit_width(value) + 3) / 4);
    std::string text(2 + count, '0');
    text[1] = 'x';
    for (unsigned i = 0; i < count; ++i)
        text[1 + count - i] = kDigits[value.words[i / 16] >> (4 * (i % 16)) & 15];
    return text;
}

std::string to_decimal(const Uint256& value) {
    // Nineteen digits at a time: the largest power of ten that fits a word.
    constexpr std::uint64_t kChunk = 10'000'000'000'000'000'000u;
    std::array<char, 80> buffer{};
    std::size_t begin = buffer.size();
    Uint256 rest = value;
    do {
        const DivModResult step = divmod(rest, Uint256{kChunk});
        std::uint64_t chunk = step.remainder.low64();
        rest = step.quotient;
        for (int i = 0; i < 19 && (chunk != 0 || !rest.is_zero()); ++i) {
            buffer[--begin] = static_cast<char>('0' + chunk % 10);
            chunk /= 10;
        }
    } while (!rest.is_zero());
    if (begin == buffer.size()) buffer[--begin] = '0';
    return std::string(buffer.data() + begin, buffer.size() - begin);
}

namespace {

std::optional<Uint256> parse_hex(std::string_view digits) noexcept {
    if (digits.empty() || digits.size() > 64) return std::nullopt;
    Uint256 value;
    for (const char c : digits) {
        std::uint64_t digit = 0;
        if (c >= '0' && c <= '9')
            digit = static_cast<std::uint64_t>(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = static_cast<std::uint64_t>(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            digit = static_cast<std::uint64_t>(c - 'A' + 10);
        else
            return std::nullopt;
        value = (value << 4) | Uint256{digit};
    }
    return value;
}

std::optional<Uint256> parse_decimal(std::string_view digits) noexcept {
    if (digits.empty()) return std::nullopt;
    Uint256 value;
    for (const char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        Uint256 shifted;
        if (mul_overflow(value, Uint256{10}, shifted) ||
            add_overflow(shifted, Uint256{static_cast<std::uint64_t>(c - '0')}, value))
            return std::nullopt;
    }
    return value;
}

}  // namespace

std::optional<Uint256> uint256_from_string(std::string_view text) noexcept {
    if (text.starts_with("0x") || text.starts_with("0X")) return parse_hex(text.substr(2));
    return parse_decimal(text);
}

}  // namespace heddle
