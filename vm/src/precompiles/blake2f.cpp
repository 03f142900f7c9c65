// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "precompiles/contracts.hpp"

namespace heddle::vm::precompiles {
namespace {

constexpr std::size_t kInputSize = 213;

/// Message word order of each round (RFC 7693, 2.7); round i takes row i mod 10.
constexpr std::array<std::array<std::uint8_t, 16>, 10> kSigma{{
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}};

/// Initialization vector (RFC 7693, 2.6).
constexpr std::array<std::uint64_t, 8> kIv{
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

std::uint64_t load_le64(const std::uint8_t* bytes) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    return value;
}

void store_le64(std::uint8_t* bytes, std::uint64_t value) noexcept {
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    std::memcpy(bytes, &value, sizeof value);
}

std::uint32_t load_rounds(BytesView input) noexcept {
    return (std::uint32_t{input[0]} << 24) | (std::uint32_t{input[1]} << 16) |
           (std::uint32_t{input[2]} << 8) | std::uint32_t{input[3]};
}

using State = std::array<std::uint64_t, 16>;
using Block = std::array<std::uint64_t, 16>;

/// G of RFC 7693 §3.1.
// NOLINTNEXTLINE(readability-function-size): the seven that it has there
[[gnu::always_inline]] inline void mix(State& v, std::size_t a, std::size_t b, std::size_t c,
                                       std::size_t d, std::uint64_t x, std::uint64_t y) noexcept {
    v[a] += v[b] + x;
    v[d] = std::rotr(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = std::rotr(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = std::rotr(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = std::rotr(v[b] ^ v[c], 63);
}

/// One round with a constant row, so that the compiler turns the message order into addresses.
template <std::size_t Row>
[[gnu::always_inline]] inline void round(State& v, const Block& m) noexcept {
    constexpr auto kRow = kSigma[Row];
    mix(v, 0, 4, 8, 12, m[kRow[0]], m[kRow[1]]);
    mix(v, 1, 5, 9, 13, m[kRow[2]], m[kRow[3]]);
    mix(v, 2, 6, 10, 14, m[kRow[4]], m[kRow[5]]);
    mix(v, 3, 7, 11, 15, m[kRow[6]], m[kRow[7]]);
    mix(v, 0, 5, 10, 15, m[kRow[8]], m[kRow[9]]);
    mix(v, 1, 6, 11, 12, m[kRow[10]], m[kRow[11]]);
    mix(v, 2, 7, 8, 13, m[kRow[12]], m[kRow[13]]);
    mix(v, 3, 4, 9, 14, m[kRow[14]], m[kRow[15]]);
}

/// Ten rounds, or the first `count` of them: their number is any 32-bit number (EIP-152).
[[gnu::always_inline]] inline void ten_rounds(State& v, const Block& m,
                                              std::uint32_t count) noexcept {
    [&]<std::size_t... Row>(std::index_sequence<Row...>) {
        static_cast<void>(((round<Row>(v, m), count != Row + 1) && ...));
    }(std::make_index_sequence<10>{});
}

}  // namespace

std::int64_t blake2f_cost(BytesView input, Revision) noexcept {
    return input.size() == kInputSize ? std::int64_t{load_rounds(input)} : 0;
}

/// Input: rounds (4 bytes, big-endian), h (64), m (128), t (16, all little-endian), final flag (1).
bool blake2f(BytesView input, Revision, Bytes& output) noexcept {
    if (input.size() != kInputSize || input[212] > 1) return false;
    const std::uint8_t* const data = input.data();

    State v;
    Block m;
    for (std::size_t i = 0; i < 8; ++i) {
        v[i] = load_le64(data + 4 + 8 * i);
        v[i + 8] = kIv[i];
    }
    for (std::size_t i = 0; i < 16; ++i)
        m[i] = load_le64(data + 68 + 8 * i);
    v[12] ^= load_le64(data + 196);
    v[13] ^= load_le64(data + 204);
    if (input[212] == 1) v[14] = ~v[14];

    for (std::uint32_t left = load_rounds(input); left != 0;) {
        ten_rounds(v, m, left);
        left -= left < 10 ? left : 10;
    }

    output.resize(64);
    for (std::size_t i = 0; i < 8; ++i)
        store_le64(output.data() + 8 * i, load_le64(data + 4 + 8 * i) ^ v[i] ^ v[i + 8]);
    return true;
}

}  // namespace heddle::vm::precompiles
