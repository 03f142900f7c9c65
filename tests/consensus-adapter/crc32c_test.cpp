// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "crc32c.hpp"

#include <numeric>
#include <string_view>

#include <gtest/gtest.h>

namespace heddle::consensus_adapter {
namespace {

// From RFC 3720, B.4.
TEST(Crc32c, gives_the_published_values) {
    EXPECT_EQ(crc32c(Bytes(32, 0x00)), 0x8a9136aau);
    EXPECT_EQ(crc32c(Bytes(32, 0xff)), 0x62a8ab43u);
    Bytes ascending(32);
    std::iota(ascending.begin(), ascending.end(), std::uint8_t{0});
    EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
}

TEST(Crc32c, takes_any_length) {
    constexpr std::string_view kText = "123456789";
    EXPECT_EQ(crc32c(Bytes(kText.begin(), kText.end())), 0xe3069283u);
    EXPECT_EQ(crc32c({}), 0u);
}

}  // namespace
}  // namespace heddle::consensus_adapter
