// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Amounts in the unit that fits, and hosts with ports.
#include "program/quantities.hpp"

#include <gtest/gtest.h>

#include "program/authority.hpp"

namespace heddle::node {
namespace {

// Before, a chain of one transfer had `0 Mgas, 0 kB`.
TEST(FormatGas, does_not_round_to_nothing) {
    EXPECT_EQ(format_gas(0), "0 gas");
    EXPECT_EQ(format_gas(21'000), "21000 gas");
    EXPECT_EQ(format_gas(999'999), "999999 gas");
    EXPECT_EQ(format_gas(1'000'000), "1.0 Mgas");
    EXPECT_EQ(format_gas(17'982'000'000), "17982.0 Mgas");
}

TEST(FormatBytes, does_not_round_to_nothing) {
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(734), "734 B");
    EXPECT_EQ(format_bytes(1024), "1.0 KiB");
    EXPECT_EQ(format_bytes(12'897'485), "12.3 MiB");
}

// Before, a node on ::1 said to open http://::1:8545, which is no address.
TEST(Authority, has_brackets_around_addresses_of_ipv6) {
    EXPECT_EQ(authority("127.0.0.1", 8545), "127.0.0.1:8545");
    EXPECT_EQ(authority("localhost", 80), "localhost:80");
    EXPECT_EQ(authority("::1", 8545), "[::1]:8545");
    EXPECT_EQ(authority("::", 0), "[::]:0");
}

}  // namespace
}  // namespace heddle::node
