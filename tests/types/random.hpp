// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Seeded randomness for the tests of types.
#pragma once

#include <cstdint>
#include <random>

#include <types/bytes.hpp>
#include <types/uint256.hpp>

#include "announced_seed.hpp"

namespace heddle::test {

inline std::uint64_t test_seed() {
    static const std::uint64_t seed = announced_seed(20260101);
    return seed;
}

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t word() { return engine_(); }
    std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }

    /// A word that is often at an edge of what carries and comparisons see.
    std::uint64_t edge_word() {
        switch (below(6)) {
            case 0:
                return 0;
            case 1:
                return ~std::uint64_t{0};
            case 2:
                return std::uint64_t{1} << 63;
            case 3:
                return below(3);
            case 4:
                return ~std::uint64_t{0} - below(3);
            default:
                return word();
        }
    }

    /// Values of all widths, powers of two and their neighbours, and words at edges.
    Uint256 edge_uint256() {
        const Uint256 value{edge_word(), edge_word(), edge_word(), edge_word()};
        switch (below(7)) {
            case 0:
                return value >> below(256);
            case 1:
                return Uint256{1} << below(256);
            case 2:
                return (Uint256{1} << below(256)) - Uint256{1};
            case 3:
                return Uint256{word(), word(), word(), word()} >> (64 * below(4));
            case 4:
                return Uint256::max();
            default:
                return value;
        }
    }

    Bytes bytes(std::size_t size) {
        Bytes result(size);
        for (std::uint8_t& byte : result)
            byte = static_cast<std::uint8_t>(word());
        return result;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace heddle::test
