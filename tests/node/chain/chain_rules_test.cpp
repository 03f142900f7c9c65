// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/chain_rules.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace heddle::node {
namespace {

constexpr std::uint64_t kHeadNumber = 100;
constexpr std::uint64_t kHeadTime = 5'000;

ChainConfig config() {
    ChainConfig result;
    result.chain_id = 7;
    result.london_block = 10;
    result.terminal_total_difficulty = Uint256{};
    result.shanghai_time = 0;
    result.cancun_time = 4'000;
    result.blob_schedule = {{4'000, 3, 6, 1}, {9'000, 6, 9, 1}};
    return result;
}

std::string changed(const std::function<void(ChainConfig&)>& change) {
    BlockHeader head;
    head.number = kHeadNumber;
    head.timestamp = kHeadTime;
    ChainConfig after = config();
    change(after);
    const std::string there = rule_changed_up_to(head, config(), after);
    EXPECT_EQ(rule_changed_up_to(head, after, config()), there) << "not the same both ways";
    return there;
}

TEST(ChainRules, forks_that_are_to_come_may_change) {
    EXPECT_EQ(changed([](ChainConfig&) {}), "");
    EXPECT_EQ(changed([](ChainConfig& c) { c.osaka_time = kHeadTime + 1; }), "");
    EXPECT_EQ(changed([](ChainConfig& c) { c.arrow_glacier_block = kHeadNumber + 1; }), "");
    EXPECT_EQ(changed([](ChainConfig& c) { c.blob_schedule.pop_back(); }), "");
    EXPECT_EQ(changed([](ChainConfig& c) { c.blob_schedule.push_back({9'500, 9, 12, 1}); }), "");
}

TEST(ChainRules, forks_that_have_been_may_not) {
    EXPECT_EQ(changed([](ChainConfig& c) { c.london_block = 11; }), "londonBlock");
    EXPECT_EQ(changed([](ChainConfig& c) { c.london_block.reset(); }), "londonBlock");
    EXPECT_EQ(changed([](ChainConfig& c) { c.berlin_block = kHeadNumber; }), "berlinBlock");
    EXPECT_EQ(changed([](ChainConfig& c) { c.cancun_time = kHeadTime + 1; }), "cancunTime");
    EXPECT_EQ(changed([](ChainConfig& c) { c.osaka_time = kHeadTime; }), "osakaTime");
    EXPECT_EQ(changed([](ChainConfig& c) { c.blob_schedule[0].max = 7; }), "blobSchedule");
}

TEST(ChainRules, what_holds_for_good_may_not_change) {
    EXPECT_EQ(changed([](ChainConfig& c) { c.chain_id = 8; }), "chainId");
    EXPECT_EQ(changed([](ChainConfig& c) { c.terminal_total_difficulty.reset(); }),
              "terminalTotalDifficulty");
    EXPECT_EQ(changed([](ChainConfig& c) { c.strict_access_lists = true; }), "accessLists");
    EXPECT_EQ(changed([](ChainConfig& c) { c.equal_timestamps = true; }), "equalTimestamps");
    EXPECT_EQ(changed([](ChainConfig& c) { c.dao_fork_support = true; }), "daoForkSupport");
    EXPECT_EQ(changed([](ChainConfig& c) { c.deposit_contract_address = address_from_low64(1); }),
              "depositContractAddress");
}

}  // namespace
}  // namespace heddle::node
