// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Signatures that nobody makes by chance: values at their limits, points that meet on the way.
#pragma once

#include <array>
#include <cstdint>

#include <types/hash.hpp>
#include <types/sender_recovery.hpp>
#include <types/uint256.hpp>

namespace heddle::test {

/// Of secp256k1 (SEC 2, 2.4.1).
inline constexpr Uint256 kCurveOrder{0xbfd25e8cd0364141, 0xbaaedce6af48a03b, 0xfffffffffffffffe,
                                     ~0ull};
inline constexpr Uint256 kCurvePrime{0xfffffffefffffc2f, ~0ull, ~0ull, ~0ull};

/// Coordinates, scalars and hashes at and beside every limit: 0, 1, halves and whole of order and
/// prime, 2^128, the largest word; and the x of small multiples of the generator, so that the point
/// of a signature meets what is added to it.
inline constexpr std::array kOddValues = {
    Uint256{},
    Uint256{1},
    Uint256{2},
    Uint256{5},
    Uint256{0, 0, 1, 0},
    kCurveOrder - Uint256{1},
    kCurveOrder,
    kCurveOrder + Uint256{1},
    kCurveOrder >> 1,
    (kCurveOrder >> 1) + Uint256{1},
    kCurvePrime - Uint256{1},
    kCurvePrime,
    Uint256::max(),
    // x of G, 2 G, 3 G and 31 G.
    Uint256{0x59f2815b16f81798, 0x029bfcdb2dce28d9, 0x55a06295ce870b07, 0x79be667ef9dcbbac},
    Uint256{0xabac09b95c709ee5, 0x5c778e4b8cef3ca7, 0x3045406e95c07cd8, 0xc6047f9441ed7d6d},
    Uint256{0x8601f113bce036f9, 0xb531c845836f99b0, 0x49344f85f89d5229, 0xf9308a019258c310},
    Uint256{0xb61c65cbd269e6b4, 0x152b695336c28063, 0xc89a20cfded60853, 0x6a245bf6dc698504},
};

/// The `number`-th of all combinations; around after the last.
[[nodiscard]] inline SignedMessage odd_signature(std::uint64_t number) {
    const auto next = [&number] {
        const Uint256& value = kOddValues[number % kOddValues.size()];
        number /= kOddValues.size();
        return value;
    };
    SignedMessage message;
    message.y_parity = static_cast<std::uint8_t>(number % 3);
    number /= 3;
    message.r = next();
    message.s = next();
    message.hash = to_hash(next());
    return message;
}
inline constexpr std::uint64_t kOddSignatures =
    3 * kOddValues.size() * kOddValues.size() * kOddValues.size();

}  // namespace heddle::test
