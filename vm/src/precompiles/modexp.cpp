// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include <gmp.h>

#include <types/uint256.hpp>

#include "precompiles/contracts.hpp"
#include "precompiles/gmp_integer.hpp"
#include "precompiles/padded_input.hpp"

namespace heddle::vm::precompiles {
namespace {

using Wide = uint128;

constexpr std::size_t kHeaderSize = 96;
/// Longest number that is accepted from Osaka on (EIP-7823).
constexpr std::uint64_t kOsakaLengthLimit = 1024;
/// Longest number that is ever computed with. Before Osaka the price alone bounds the lengths; this
/// is far beyond what any block could pay for, and keeps absurd gas from turning into memory.
constexpr std::uint64_t kLengthLimit = std::uint64_t{1} << 30;
constexpr std::uint64_t kSaturated = std::numeric_limits<std::uint64_t>::max();

struct Header {
    std::uint64_t base_length;
    std::uint64_t exponent_length;
    std::uint64_t modulus_length;
};

/// A 32-byte big-endian length; anything above 64 bits saturates, as no gas pays for it.
std::uint64_t load_length(const std::uint8_t* word) noexcept {
    if (std::any_of(word, word + 24, [](std::uint8_t byte) { return byte != 0; }))
        return kSaturated;
    std::uint64_t value = 0;
    for (std::size_t i = 24; i < 32; ++i)
        value = (value << 8) | word[i];
    return value;
}

Header load_header(BytesView input) noexcept {
    const PaddedInput<kHeaderSize> padded{input};
    return {.base_length = load_length(padded.data()),
            .exponent_length = load_length(padded.data() + 32),
            .modulus_length = load_length(padded.data() + 64)};
}

/// The part of `[offset, offset + length)` of the numbers that the input has; the rest is zeroes.
BytesView present_part(BytesView input, std::uint64_t offset, std::uint64_t length) noexcept {
    const BytesView body = input.subspan(std::min(kHeaderSize, input.size()));
    if (offset >= body.size()) return {};
    const auto start = static_cast<std::size_t>(offset);
    return body.subspan(
        start, static_cast<std::size_t>(std::min<std::uint64_t>(length, body.size() - start)));
}

/// Bits of the exponent's first 32 bytes (or of all of it, when shorter).
std::uint64_t head_bit_length(BytesView input, const Header& header) noexcept {
    const std::uint64_t size = std::min<std::uint64_t>(header.exponent_length, 32);
    const BytesView head = present_part(input, header.base_length, size);
    for (std::size_t i = 0; i < head.size(); ++i) {
        if (head[i] != 0)
            return 8 * (size - i - 1) + static_cast<std::uint64_t>(std::bit_width(head[i]));
    }
    return 0;
}

/// What an exponent costs in squarings: its bit length less one, with `per_byte` counted for every
/// byte after the 32nd; not less than one.
Wide iteration_count(BytesView input, const Header& header, std::uint64_t per_byte) noexcept {
    const std::uint64_t bits = head_bit_length(input, header);
    Wide count = bits == 0 ? 0 : bits - 1;
    if (header.exponent_length > 32) count += Wide{per_byte} * (header.exponent_length - 32);
    return std::max<Wide>(count, 1);
}

/// EIP-198.
Wide byzantium_complexity(std::uint64_t length) noexcept {
    const Wide x = length;
    if (x <= 64) return x * x;
    if (x <= 1024) return x * x / 4 + 96 * x - 3072;
    return x * x / 16 + 480 * x - 199680;
}

Wide squared_words(std::uint64_t length) noexcept {
    const Wide words = (Wide{length} + 7) / 8;
    return words * words;
}

std::int64_t price(Wide complexity, Wide iterations, std::uint64_t divisor,
                   std::int64_t minimum) noexcept {
    // Even a half of this, divided by 20, is beyond any amount of gas.
    constexpr Wide kTooMuch = Wide{1} << 70;
    if (complexity != 0 && (complexity >= kTooMuch || iterations >= kTooMuch / complexity))
        return kUnaffordable;
    const Wide cost = complexity * iterations / divisor;
    if (cost >= static_cast<Wide>(kUnaffordable)) return kUnaffordable;
    return std::max(static_cast<std::int64_t>(cost), minimum);
}

}  // namespace

std::int64_t modexp_cost(BytesView input, Revision revision) noexcept {
    const Header header = load_header(input);
    const std::uint64_t length = std::max(header.base_length, header.modulus_length);
    if (revision >= Revision::osaka) {
        const Wide complexity = length <= 32 ? 16 : 2 * squared_words(length);
        return price(complexity, iteration_count(input, header, 16), 1, 500);
    }
    const Wide iterations = iteration_count(input, header, 8);
    if (revision >= Revision::berlin) return price(squared_words(length), iterations, 3, 200);
    return price(byzantium_complexity(length), iterations, 20, 0);
}

/// Input: three 32-byte lengths, then base, exponent and modulus; bytes that are missing are
/// zeroes.
bool modexp(BytesView input, Revision revision, Bytes& output) noexcept {
    const Header header = load_header(input);
    const auto [base_length, exponent_length, modulus_length] = header;
    if (revision >= Revision::osaka &&
        std::max({base_length, exponent_length, modulus_length}) > kOsakaLengthLimit)
        return false;
    // Nothing to compute, whatever the exponent: with an empty base its length is not even priced.
    if (modulus_length == 0) return true;
    if (std::max({base_length, exponent_length, modulus_length}) > kLengthLimit) return false;

    output.resize(static_cast<std::size_t>(modulus_length));
    GmpInteger modulus;
    modulus.load(present_part(input, base_length + exponent_length, modulus_length),
                 modulus_length);
    if (mpz_cmp_ui(modulus.get(), 1) <= 0) return true;
    GmpInteger base;
    GmpInteger exponent;
    GmpInteger result;
    base.load(present_part(input, 0, base_length), base_length);
    exponent.load(present_part(input, base_length, exponent_length), exponent_length);
    mpz_powm(result.get(), base.get(), exponent.get(), modulus.get());
    result.store(output);
    return true;
}

}  // namespace heddle::vm::precompiles
