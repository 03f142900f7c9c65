// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every machine and with every library: xoshiro256** seeded by
// SplitMix64. Not for secrets.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace heddle::workload {

/// Thread safety: one thread at a time.
class Random {
public:
    explicit constexpr Random(std::uint64_t seed) noexcept {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15;
            std::uint64_t mixed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
            mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
            word = mixed ^ (mixed >> 31);
        }
    }

    constexpr std::uint64_t next() noexcept {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// From 0 up to, not including, `bound`, which must not be zero. The bias of 2^-32 for small
    /// bounds does not matter to a workload.
    constexpr std::uint32_t below(std::uint32_t bound) noexcept {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

    /// True in `parts` of a million draws.
    constexpr bool chance(std::uint32_t parts) noexcept { return below(1'000'000) < parts; }

private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace heddle::workload
