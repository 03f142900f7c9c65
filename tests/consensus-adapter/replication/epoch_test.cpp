// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/replication/epoch.hpp>

#include <string_view>

#include <gtest/gtest.h>

namespace heddle::consensus_adapter::replication {
namespace {

Bytes text(std::string_view characters) {
    return {characters.begin(), characters.end()};
}

TEST(Epoch, stands_behind_the_text_of_extra_data) {
    const Bytes extra_data = with_epoch(text("by hand"), 0x0102030405060708);

    EXPECT_EQ(to_hex(extra_data),
              "0x"
              "62792068616e64"
              "00455031"
              "0102030405060708");
    EXPECT_EQ(epoch_of(extra_data), 0x0102030405060708u);
    EXPECT_EQ(epoch_of(with_epoch({}, 1)), 1u);
    EXPECT_EQ(with_epoch({}, 1).size(), kEpochBytes);
}

TEST(Epoch, is_0_in_every_other_extra_data) {
    EXPECT_EQ(epoch_of({}), 0u);
    EXPECT_EQ(epoch_of(text("Geth/v1.17.8/linux/go1.24")), 0u);
    EXPECT_EQ(epoch_of(text("short")), 0u);
    Bytes behind = with_epoch({}, 7);
    behind.push_back(0);
    EXPECT_EQ(epoch_of(behind), 0u) << "it does not end with the epoch";
    Bytes cut = with_epoch({}, 7);
    cut.pop_back();
    EXPECT_EQ(epoch_of(cut), 0u);
}

TEST(Epoch, never_falls_along_a_chain_and_never_passes_its_leader) {
    EXPECT_TRUE(is_epoch_in_order(0, 0, 1)) << "a block from before there was replication";
    EXPECT_TRUE(is_epoch_in_order(0, 1, 1));
    EXPECT_TRUE(is_epoch_in_order(1, 3, 3));
    EXPECT_FALSE(is_epoch_in_order(3, 2, 3));
    EXPECT_FALSE(is_epoch_in_order(2, 4, 3));
}

}  // namespace
}  // namespace heddle::consensus_adapter::replication
