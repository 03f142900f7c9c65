// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keccak-256 of several messages side by side, one per element of a vector register. Included only
// by the files that are compiled for one instruction set; everything has internal linkage, so that
// no function compiled for a CPU that has it is picked for one that lacks it. Choosing among them
// is keccak_batch.cpp's business.
#pragma once

#include <cstddef>
#include <cstdint>

#include "keccak/keccak_kernels.hpp"
#include "keccak/permutation.hpp"

namespace heddle::detail {
namespace {

// A message on its way through a lane. Without blocks left the lane is idle and permutes to no
// effect, reading again what is there.
struct Lane {
    const std::uint8_t* block;
    std::size_t blocks_left;
    std::uint8_t* hash;
};

template <typename Vector>
[[gnu::always_inline]] inline void store_hash(const Vector (&state)[kStateWords], std::size_t lane,
                                              std::uint8_t* hash) noexcept {
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint64_t word = state[i][lane];
        __builtin_memcpy(hash + 8 * i, &word, sizeof word);
    }
}

// What LaneKernel says, on Lanes lanes. `load` fills the words of one block of every lane.
template <typename Vector, std::size_t Lanes, typename Load>
[[gnu::always_inline]] inline void hash_lanes(const PaddedMessage* messages, std::size_t count,
                                              Load load) noexcept {
    Vector state[kStateWords] = {};
    Lane lanes[Lanes];
    const std::uint8_t* blocks[Lanes];
    std::size_t next = 0;
    std::size_t busy = 0;
    const auto take = [&](Lane& lane) {
        lane = {messages[next].data, messages[next].blocks, messages[next].hash};
        ++next;
        ++busy;
    };
    for (Lane& lane : lanes) {
        lane = {messages[0].data, 0, nullptr};
        if (next < count) take(lane);
    }
    while (busy != 0) {
        for (std::size_t i = 0; i < Lanes; ++i)
            blocks[i] = lanes[i].block;
        Vector words[kRateWords];
        load(blocks, words);
#pragma GCC unroll 17
        for (std::size_t i = 0; i < kRateWords; ++i)
            state[i] ^= words[i];
        permute(state);
        Vector kept = ~Vector{};  // zero in lanes that begin a message
        bool begins = false;
        for (std::size_t i = 0; i < Lanes; ++i) {
            Lane& lane = lanes[i];
            if (lane.blocks_left == 0) continue;
            if (--lane.blocks_left != 0) {
                lane.block += 8 * kRateWords;
                continue;
            }
            store_hash(state, i, lane.hash);
            --busy;
            if (next == count) continue;
            take(lane);
            kept[i] = 0;
            begins = true;
        }
        if (!begins) continue;
#pragma GCC unroll 25
        for (std::size_t i = 0; i < kStateWords; ++i)
            state[i] &= kept;
    }
}

}  // namespace
}  // namespace heddle::detail
