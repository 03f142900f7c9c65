// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiled for AVX-512F and called only where the CPU has it.

#include "keccak/keccak_kernels.hpp"

#ifdef __AVX512F__

#include "keccak/keccak_lanes.hpp"

namespace heddle::detail {
namespace {

using Vector [[gnu::vector_size(64)]] = std::uint64_t;

// Eight words of each of eight messages, turned so that vector i holds word i of all of them.
[[gnu::always_inline]] inline void transpose(const std::uint8_t* const* rows, std::size_t offset,
                                             Vector* words) noexcept {
    Vector row[8];
    for (std::size_t i = 0; i < 8; ++i)
        __builtin_memcpy(&row[i], rows[i] + offset, sizeof(Vector));
    // Words of two messages side by side in each quarter: even words, then odd ones.
    Vector pair[8];
    for (std::size_t i = 0; i < 8; i += 2) {
        pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    // Then the quarters that hold the same word come together.
    for (std::size_t odd = 0; odd < 2; ++odd) {
        const Vector* const p = pair + odd;
        const Vector low0 = __builtin_shufflevector(p[0], p[2], 0, 1, 2, 3, 8, 9, 10, 11);
        const Vector high0 = __builtin_shufflevector(p[0], p[2], 4, 5, 6, 7, 12, 13, 14, 15);
        const Vector low4 = __builtin_shufflevector(p[4], p[6], 0, 1, 2, 3, 8, 9, 10, 11);
        const Vector high4 = __builtin_shufflevector(p[4], p[6], 4, 5, 6, 7, 12, 13, 14, 15);
        words[odd] = __builtin_shufflevector(low0, low4, 0, 1, 4, 5, 8, 9, 12, 13);
        words[odd + 2] = __builtin_shufflevector(low0, low4, 2, 3, 6, 7, 10, 11, 14, 15);
        words[odd + 4] = __builtin_shufflevector(high0, high4, 0, 1, 4, 5, 8, 9, 12, 13);
        words[odd + 6] = __builtin_shufflevector(high0, high4, 2, 3, 6, 7, 10, 11, 14, 15);
    }
}

}  // namespace

void keccak_avx512(const PaddedMessage* messages, std::size_t count) noexcept {
    hash_lanes<Vector, 8>(messages, count, [](const std::uint8_t* const* blocks, Vector* words) {
        transpose(blocks, 0, words);
        transpose(blocks, 64, words + 8);
        for (std::size_t lane = 0; lane < 8; ++lane)
            words[16][lane] = load_word(blocks[lane] + 128);
    });
}

}  // namespace heddle::detail

#endif
