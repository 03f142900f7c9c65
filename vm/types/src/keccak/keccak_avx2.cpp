// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiled for AVX2 and called only where the CPU has it.

#include "keccak/keccak_kernels.hpp"

#ifdef __AVX2__

#include "keccak/keccak_lanes.hpp"

namespace heddle::detail {
namespace {

using Vector [[gnu::vector_size(32)]] = std::uint64_t;

// Four words of each of four messages, turned so that vector i holds word i of all of them.
[[gnu::always_inline]] inline void transpose(const std::uint8_t* const* rows, std::size_t offset,
                                             Vector* words) noexcept {
    Vector row[4];
    for (std::size_t i = 0; i < 4; ++i)
        __builtin_memcpy(&row[i], rows[i] + offset, sizeof(Vector));
    const Vector even0 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    const Vector odd0 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    const Vector even2 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    const Vector odd2 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    words[0] = __builtin_shufflevector(even0, even2, 0, 1, 4, 5);
    words[1] = __builtin_shufflevector(odd0, odd2, 0, 1, 4, 5);
    words[2] = __builtin_shufflevector(even0, even2, 2, 3, 6, 7);
    words[3] = __builtin_shufflevector(odd0, odd2, 2, 3, 6, 7);
}

}  // namespace

void keccak_avx2(const PaddedMessage* messages, std::size_t count) noexcept {
    hash_lanes<Vector, 4>(messages, count, [](const std::uint8_t* const* blocks, Vector* words) {
        for (std::size_t i = 0; i < 4; ++i)
            transpose(blocks, 32 * i, words + 4 * i);
        for (std::size_t lane = 0; lane < 4; ++lane)
            words[16][lane] = load_word(blocks[lane] + 128);
    });
}

}  // namespace heddle::detail

#endif
