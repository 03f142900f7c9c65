// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "unpaid_cost.hpp"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include <vm/opcode.hpp>

#include "frame.hpp"

namespace heddle::vm {
namespace {

/// Of KECCAK256 from the beginning of the memory on.
std::int64_t hashing_cost(std::uint64_t size_bytes, std::uint64_t memory_size) {
    const std::array<Uint256, 2> stack{Uint256{size_bytes}, Uint256{}};
    TraceStep step;
    step.opcode = OP_KECCAK256;
    step.gas_left = 1'000'000;
    step.stack = stack;
    return unpaid_cost(step, memory_size, gas_schedule(Revision::osaka)).value_or(-1);
}

// The square of the number of words has no room in a signed number of 64 bits.
TEST(UnpaidCost, of_memory_as_large_as_geth_counts) {
    constexpr std::int64_t kWords = 0xffff'ffff;
    EXPECT_EQ(hashing_cost(0x1f'ffff'ffe0, 0), 30 + 9 * kWords + 0x7f'ffff'ff00'0000);
    EXPECT_EQ(hashing_cost(0x1f'ffff'ffe1, 0), -1);
    EXPECT_EQ(hashing_cost(100'000'000'000, 32), 0x43'c342'a598'c7a3);  // what geth shows
}

// Whoever asks for it: what overflows is no constant, and does not compile.
TEST(MemoryCost, of_as_many_words_as_geth_counts) {
    constexpr std::int64_t kWords = 0xffff'ffff;
    constexpr std::int64_t kCost = memory_cost(kWords);
    EXPECT_EQ(kCost, 3 * kWords + 0x7f'ffff'ff00'0000);
}

}  // namespace
}  // namespace heddle::vm
