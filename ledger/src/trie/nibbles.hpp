// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trie paths as sequences of nibbles, one per byte, and their hex-prefix encoding (YP App. C).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <types/bytes.hpp>

namespace heddle::ledger {

/// Each element is below 16.
using Nibbles = std::vector<std::uint8_t>;
using NibblesView = std::span<const std::uint8_t>;

/// Two nibbles per byte, high one first.
[[nodiscard]] inline Nibbles to_nibbles(BytesView key) {
    Nibbles nibbles(2 * key.size());
    for (std::size_t i = 0; i < key.size(); ++i) {
        nibbles[2 * i] = key[i] >> 4;
        nibbles[2 * i + 1] = key[i] & 0x0f;
    }
    return nibbles;
}

/// Inverse of to_nibbles(); the number of nibbles is even.
[[nodiscard]] inline Bytes from_nibbles(NibblesView nibbles) {
    Bytes key(nibbles.size() / 2);
    for (std::size_t i = 0; i < key.size(); ++i)
        key[i] = static_cast<std::uint8_t>(nibbles[2 * i] << 4 | nibbles[2 * i + 1]);
    return key;
}

[[nodiscard]] inline std::size_t common_prefix(NibblesView a, NibblesView b) noexcept {
    const auto [end, unused] = std::ranges::mismatch(a, b);
    return static_cast<std::size_t>(end - a.begin());
}

/// HP(nibbles, t) of YP App. C, appended to `out`: `is_leaf` is the flag t.
inline void hex_prefix(NibblesView nibbles, bool is_leaf, Bytes& out) {
    std::uint8_t first = is_leaf ? 0x20 : 0x00;
    std::size_t next = 0;
    if (nibbles.size() % 2 != 0) {
        first |= static_cast<std::uint8_t>(0x10 | nibbles[0]);
        next = 1;
    }
    out.push_back(first);
    for (; next < nibbles.size(); next += 2)
        out.push_back(static_cast<std::uint8_t>(nibbles[next] << 4 | nibbles[next + 1]));
}

}  // namespace heddle::ledger
