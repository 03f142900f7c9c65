// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "trie/nibbles.hpp"

namespace heddle::ledger {
namespace {

Bytes encode(const Nibbles& nibbles, bool is_leaf) {
    Bytes out;
    hex_prefix(nibbles, is_leaf, out);
    return out;
}

TEST(Nibbles, high_nibble_comes_first) {
    EXPECT_EQ(to_nibbles(Bytes{0x12, 0xf0}), (Nibbles{1, 2, 15, 0}));
    EXPECT_EQ(from_nibbles(Nibbles{1, 2, 15, 0}), (Bytes{0x12, 0xf0}));
}

TEST(Nibbles, hex_prefix_marks_parity_and_leaf) {
    // The four cases of YP App. C.
    EXPECT_EQ(encode({1, 2, 3, 4, 5}, false), (Bytes{0x11, 0x23, 0x45}));
    EXPECT_EQ(encode({0, 1, 2, 3, 4, 5}, false), (Bytes{0x00, 0x01, 0x23, 0x45}));
    EXPECT_EQ(encode({15, 1, 12, 11, 8}, true), (Bytes{0x3f, 0x1c, 0xb8}));
    EXPECT_EQ(encode({0, 15, 1, 12, 11, 8}, true), (Bytes{0x20, 0x0f, 0x1c, 0xb8}));
    EXPECT_EQ(encode({}, true), (Bytes{0x20}));
}

TEST(Nibbles, common_prefix_ends_with_the_shorter_path) {
    EXPECT_EQ(common_prefix(Nibbles{1, 2, 3}, Nibbles{1, 2, 4, 5}), 2u);
    EXPECT_EQ(common_prefix(Nibbles{1, 2}, Nibbles{1, 2, 4, 5}), 2u);
    EXPECT_EQ(common_prefix(Nibbles{}, Nibbles{1}), 0u);
}

}  // namespace
}  // namespace heddle::ledger
