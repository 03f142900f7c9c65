// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/chain_bounds.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::node {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kNone = 0;

Hash hash_of(std::uint8_t last) {
    Hash hash;
    hash.bytes[31] = last;
    return hash;
}

/// Empty: it belongs to the chain that begins with hash_of(1).
std::string refusal(const std::string& app_state) {
    const Bytes bytes{app_state.begin(), app_state.end()};
    const auto checked = check_genesis(bytes, hash_of(1), "DATADIR");
    return checked.has_value() ? "" : checked.error();
}

TEST(ChainBounds, a_genesis_file_of_the_same_network_is_taken) {
    EXPECT_EQ(refusal(R"({"genesis_hash": ")" + to_string(hash_of(1)) + R"("})"), "");
}

TEST(ChainBounds, a_genesis_file_of_another_network_is_refused_with_both_hashes) {
    EXPECT_THAT(refusal(R"({"genesis_hash": ")" + to_string(hash_of(2)) + R"("})"),
                AllOf(HasSubstr(to_string(hash_of(1))), HasSubstr(to_string(hash_of(2))),
                      HasSubstr("DATADIR")));
}

TEST(ChainBounds, a_genesis_file_that_names_no_block_is_refused) {
    for (const char* const state : {"{}", "[]", "7", R"("")", R"({"genesis_hash": null})"})
        EXPECT_THAT(refusal(state), HasSubstr("app_state must be")) << state;
}

TEST(ChainBounds, what_cannot_be_read_is_named) {
    for (const char* const state :
         {"", "{", R"({"genesis_hash": 7})", R"({"genesis_hash": "0x1"})"})
        EXPECT_THAT(refusal(state), HasSubstr("CometBFT's genesis file: app_state")) << state;
}

TEST(ChainBounds, all_blocks_are_kept_unless_told_otherwise) {
    EXPECT_EQ(retain_height(1'000, 500, kNone), 0u);
}

TEST(ChainBounds, blocks_are_kept_below_what_is_durable_and_below_the_oldest_snapshot) {
    EXPECT_EQ(retain_height(1'000, std::nullopt, 100), 900u);
    EXPECT_EQ(retain_height(1'000, 400, 100), 300u);
    EXPECT_EQ(retain_height(300, 400, 100), 200u);
}

TEST(ChainBounds, a_young_chain_keeps_all_blocks) {
    EXPECT_EQ(retain_height(100, std::nullopt, 100), 0u);
    EXPECT_EQ(retain_height(0, std::nullopt, 100), 0u);
    EXPECT_EQ(retain_height(101, std::nullopt, 100), 1u);
}

}  // namespace
}  // namespace heddle::node
