// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Delays drawn from a seed, for tests that want other interleavings than the machine's.
#pragma once

#include <cstdint>
#include <thread>

#include "workers/parking_lot.hpp"

namespace heddle::executor {

/// Nothing, some pauses or some yields. @param state  Of the generator.
inline void delay_artificially(std::uint64_t& state) noexcept {
    // splitmix64
    state += 0x9e3779b97f4a7c15;
    std::uint64_t bits = state;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    switch (bits >> 61) {
        case 0:
            for (std::uint64_t i = 0; i < (bits & 0x3ff); ++i)
                pause_briefly();
            return;
        case 1:
            return std::this_thread::yield();
        case 2:
            for (std::uint64_t i = 0; i < (bits & 0xf); ++i)
                std::this_thread::yield();
            return;
        default:
            return;
    }
}

}  // namespace heddle::executor
