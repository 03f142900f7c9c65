// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What members of a replicated chain show when they do not know what they had shown.
#include <cstdint>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "members.hpp"
#include "node_client.hpp"

namespace heddle::test {
namespace {

std::string send(const Members& members, std::uint64_t nonce) {
    return members.call("a", "eth_sendRawTransaction",
                        "[\"" + sign_dev_transfer(nonce, kDevAccounts[0]).raw + "\"]");
}

// A note that the power took was taken for a chain from before there was replication, all of which
// has been shown: so was a block that no backup had.
TEST(ShownBlocks, are_acknowledged_ones_where_the_note_of_them_is_lost) {
    Members members{2, "sync", 1, {"replication.timeout=500ms"}};
    members.start_all();
    (void)send(members, 0);
    ASSERT_NE(members.common_hash(2), "") << members.logs();
    members.kill("b");
    (void)send(members, 1);
    ASSERT_TRUE(members.is_soon("a", "primary", "stopped")) << members.logs();
    const std::uint64_t kept = members.report("a")->kept;
    ASSERT_GT(kept, members.report("a")->shown);
    members.kill("a");
    std::filesystem::resize_file(members.data("a") + "/replication.shown", 0);

    members.start("a");
    ASSERT_TRUE(members.is_soon("a", "primary", "stopped")) << members.logs();
    EXPECT_EQ(members.report("a")->kept, kept);
    EXPECT_LT(members.report("a")->shown, kept);
    EXPECT_LT(members.node("a").number("eth_blockNumber"), kept);

    members.start("b");
    EXPECT_NE(members.common_hash(kept), "") << members.logs();
    EXPECT_TRUE(members.is_soon("a", "primary", "good"));
}

}  // namespace
}  // namespace heddle::test
