// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "accumulator.hpp"

#include <gtest/gtest.h>

namespace heddle::consensus_adapter {
namespace {

// Computed independently from the SSZ specification (hash_tree_root of List[HeaderRecord, 8192]).
TEST(Accumulator, of_nothing_is_the_root_of_an_empty_list) {
    EXPECT_EQ(to_string(Accumulator{}.root()),
              "0x4a8c3a07c8d23adc5bac61157555c3c784d53d9bc110c1370809bd23cd93777d");
}

TEST(Accumulator, of_one_and_of_three_records) {
    Accumulator accumulator;
    accumulator.add(Hash{{1}}, Uint256{1});
    EXPECT_EQ(to_string(accumulator.root()),
              "0x387ac3ea741d196f5cf2fdbce980c49d4edf42e543b62289b3c0c77d06cf5986");

    accumulator.add(Hash{{2}}, Uint256{0x0102});
    accumulator.add(Hash{{3}}, Uint256{0, 0, 0, 1});
    EXPECT_EQ(to_string(accumulator.root()),
              "0xb091a70c881ac69753445b73969d62eae7187b8c04700d78c8b6b92dd59a2f44");
    EXPECT_EQ(accumulator.size(), 3u);
}

TEST(Accumulator, takes_as_many_as_an_era_has) {
    Accumulator accumulator;
    for (std::size_t i = 0; i < kMaxEraBlocks; ++i)
        accumulator.add(to_hash(Uint256{i}), Uint256{i});
    EXPECT_EQ(to_string(accumulator.root()),
              "0xddae0b4c7c23da69d78c3df531a0635747e57f8d4f918b2939dbab1337cac19d");
}

}  // namespace
}  // namespace heddle::consensus_adapter
