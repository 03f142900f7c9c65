// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/node_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::node {
namespace {

using testing::Eq;
using testing::HasSubstr;
using testing::Optional;

// Of a machine whose clock ran ahead, and was set back.
TEST(ChainAheadOfClock, is_told_beyond_what_clocks_differ_by) {
    constexpr std::uint64_t kNow = 1'700'000'000;
    EXPECT_THAT(chain_ahead_of_clock(kNow - 5, kNow), Eq(std::nullopt));
    EXPECT_THAT(chain_ahead_of_clock(kNow + 60, kNow), Eq(std::nullopt));
    EXPECT_THAT(chain_ahead_of_clock(kNow + 61, kNow),
                Optional(HasSubstr("the last block is 61 seconds ahead of this machine's clock")));
}

}  // namespace
}  // namespace heddle::node
