// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forking/fork_rules.hpp"

#include <gtest/gtest.h>

#include "program/error.hpp"

namespace heddle::node::forking {
namespace {

ChainConfig parse(const std::string& text) {
    JsonParser parser;
    return parse_eth_config(parser.parse(text, "answer"));
}

// In the form of EIP-7910.
constexpr const char* kOsaka =
    R"({"activationTime":50,"blobSchedule":{"baseFeeUpdateFraction":5007716,
    "max":9,"target":6},"chainId":"0x88bb0","forkId":"0x00000000",
    "precompiles":{"ECREC":"0x0000000000000000000000000000000000000001",
                   "P256VERIFY":"0x0000000000000000000000000000000000000100"},
    "systemContracts":{"BEACON_ROOTS_ADDRESS":"0x000f3df6d732807ef1319fb7b8bb8522d0beac02",
        "DEPOSIT_CONTRACT_ADDRESS":"0x00000000219ab540356cbb839cbe05303d7705fa",
        "HISTORY_STORAGE_ADDRESS":"0x0000f90827f1c53a10cb7a02335b175320002935"}})";
constexpr const char* kMoreBlobs = R"({"activationTime":900,"blobSchedule":
    {"baseFeeUpdateFraction":8346193,"max":15,"target":10},"chainId":"0x88bb0",
    "precompiles":{"P256VERIFY":"0x0000000000000000000000000000000000000100"},
    "systemContracts":{"BEACON_ROOTS_ADDRESS":"0x000f3df6d732807ef1319fb7b8bb8522d0beac02"}})";

TEST(ForkRules, are_those_that_hold_at_the_source_now) {
    const ChainConfig config =
        parse(std::string{R"({"next":null,"last":null,"current":)"} + kOsaka + "}");
    EXPECT_EQ(config.chain_id, 560'048U);
    EXPECT_EQ(config.revision(7, 50, true), Revision::osaka);
    EXPECT_EQ(config.blob_parameters(60)->max, 9U);
    EXPECT_FALSE(config.amsterdam_time.has_value());
    EXPECT_EQ(to_string(config.deposit_contract_address),
              "0x00000000219ab540356cbb839cbe05303d7705fa");
}

TEST(ForkRules, change_when_the_source_says_that_they_will) {
    const ChainConfig config = parse(std::string{R"({"current":)"} + kOsaka + R"(,"next":)" +
                                     kMoreBlobs + R"(,"last":)" + kMoreBlobs + "}");
    EXPECT_EQ(config.blob_parameters(899)->max, 9U);
    EXPECT_EQ(config.blob_parameters(900)->max, 15U);
    EXPECT_EQ(config.blob_schedule.size(), 2U);
    EXPECT_EQ(config.revision(7, 900, true), Revision::osaka);
}

TEST(ForkRules, are_not_made_up_out_of_something_else) {
    for (const char* nonsense : {"{}", "[]", R"({"current":7})", R"({"current":{}})",
                                 R"({"current":{"chainId":"0x1","blobSchedule":{}}})"})
        EXPECT_THROW((void)parse(nonsense), InputError) << nonsense;
}

}  // namespace
}  // namespace heddle::node::forking
