// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keccak-f[1600] (FIPS 202, 3.2 and 3.3), of one message or of several side by side: what holds a
// word of the state, a register or a vector of them, is the parameter. Everything has internal
// linkage, so that no function compiled for a CPU with some instruction set is picked for one that
// lacks it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::detail {

constexpr std::size_t kStateWords = 25;
constexpr std::size_t kRounds = 24;
constexpr std::size_t kRateWords = 17;  // absorbed per permutation for 256 bits of output

/// What iota adds to the first word, round by round.
constexpr std::uint64_t kRoundConstants[kRounds] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

/// By how much rho rotates, by word x + 5y.
constexpr int kRotations[kStateWords] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                         25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};

namespace {

[[gnu::always_inline]] inline std::uint64_t load_word(const std::uint8_t* bytes) noexcept {
    std::uint64_t word;
    __builtin_memcpy(&word, bytes, sizeof word);
    return word;
}

/// `value` in the word of every message. A vector of two holds one message, in its lower half: to
/// leave the upper half at zero is cheaper there than to repeat the value.
template <typename Word>
[[gnu::always_inline]] inline Word make_word(std::uint64_t value) noexcept {
    if constexpr (sizeof(Word) == 8)
        return value;
    else if constexpr (sizeof(Word) == 16)
        return Word{value, 0};
    else
        return Word{} + value;
}

template <typename Word>
[[gnu::always_inline]] inline Word rotate(const Word& word, int count) noexcept {
    return count == 0 ? word : (word << count | word >> (64 - count));
}

// One round from `a` to `b`: theta, then rho, pi and chi row by row of the target, then iota.
template <typename Word>
[[gnu::always_inline]] inline void round(const Word (&a)[kStateWords], Word (&b)[kStateWords],
                                         std::uint64_t constant) noexcept {
    Word column[5];
#pragma GCC unroll 5
    for (std::size_t x = 0; x < 5; ++x)
        column[x] = (a[x] ^ a[x + 5] ^ a[x + 10]) ^ a[x + 15] ^ a[x + 20];
    Word theta[5];
#pragma GCC unroll 5
    for (std::size_t x = 0; x < 5; ++x)
        theta[x] = column[(x + 4) % 5] ^ rotate(column[(x + 1) % 5], 1);
#pragma GCC unroll 5
    for (std::size_t y = 0; y < 5; ++y) {
        Word row[5];
#pragma GCC unroll 5
        for (std::size_t x = 0; x < 5; ++x) {
            // pi: word (x, y) of the target comes from column (x + 3y) mod 5, row x.
            const std::size_t source_x = (x + 3 * y) % 5;
            const std::size_t source = source_x + 5 * x;
            row[x] = rotate(a[source] ^ theta[source_x], kRotations[source]);
        }
#pragma GCC unroll 5
        for (std::size_t x = 0; x < 5; ++x)
            b[x + 5 * y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
        if (y == 0) b[0] ^= make_word<Word>(constant);
    }
}

template <typename Word>
[[gnu::always_inline]] inline void permute(Word (&state)[kStateWords]) noexcept {
    Word other[kStateWords];
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kRounds; i += 2) {
        round(state, other, kRoundConstants[i]);
        round(other, state, kRoundConstants[i + 1]);
    }
}

}  // namespace
}  // namespace heddle::detail
