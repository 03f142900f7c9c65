// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "formats/chain_config_json.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/fork.hpp>

#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

ChainConfig stored_and_read(const ChainConfig& config) {
    const std::string text = format_chain_config(config);
    return parse_stored_chain_config(Bytes(text.begin(), text.end()), "chain");
}

// Data directories hold these bytes and are compared with what a node would write.
TEST(ChainConfigJson, the_stored_form_of_mainnet_stays_as_it_is) {
    EXPECT_EQ(
        format_chain_config(mainnet_config()),
        R"({"chainId":1,"homesteadBlock":1150000,"daoForkBlock":1920000,"daoForkSupport":true,)"
        R"("eip150Block":2463000,"eip155Block":2675000,"eip158Block":2675000,)"
        R"("byzantiumBlock":4370000,"constantinopleBlock":7280000,"petersburgBlock":7280000,)"
        R"("istanbulBlock":9069000,"muirGlacierBlock":9200000,"berlinBlock":12244000,)"
        R"("londonBlock":12965000,"arrowGlacierBlock":13773000,"grayGlacierBlock":15050000,)"
        R"("terminalTotalDifficulty":"58750000000000000000000","shanghaiTime":1681338455,)"
        R"("cancunTime":1710338135,"pragueTime":1746612311,"osakaTime":1764798551,)"
        R"("depositContractAddress":"0x00000000219ab540356cbb839cbe05303d7705fa",)"
        R"("heddleMergeBlock":15537394,"heddleBlobParameters":[)"
        R"({"activationTime":1710338135,"target":3,"max":6,"baseFeeUpdateFraction":3338477},)"
        R"({"activationTime":1746612311,"target":6,"max":9,"baseFeeUpdateFraction":5007716},)"
        R"({"activationTime":1764798551,"target":6,"max":9,"baseFeeUpdateFraction":5007716},)"
        R"({"activationTime":1765290071,"target":10,"max":15,"baseFeeUpdateFraction":8346193},)"
        R"({"activationTime":1767747671,"target":14,"max":21,"baseFeeUpdateFraction":11684671}]})");
}

// Clients that know geth's `config` found no blob schedule, and a text where it has a number.
TEST(ChainConfigJson, who_asks_for_the_rules_of_mainnet_is_told_them_as_by_geth) {
    const std::string text = format_geth_chain_config(mainnet_config());
    // From `geth dumpgenesis --mainnet`, 1.17.8, which leaves out what Osaka keeps.
    EXPECT_THAT(
        text,
        testing::AllOf(
            HasSubstr(R"("terminalTotalDifficulty":58750000000000000000000,)"),
            HasSubstr(R"("osakaTime":1764798551,"bpo1Time":1765290071,"bpo2Time":1767747671,)"),
            HasSubstr(R"("blobSchedule":{)"
                      R"("cancun":{"target":3,"max":6,"baseFeeUpdateFraction":3338477},)"
                      R"("prague":{"target":6,"max":9,"baseFeeUpdateFraction":5007716},)"
                      R"("osaka":{"target":6,"max":9,"baseFeeUpdateFraction":5007716},)"
                      R"("bpo1":{"target":10,"max":15,"baseFeeUpdateFraction":8346193},)"
                      R"("bpo2":{"target":14,"max":21,"baseFeeUpdateFraction":11684671}})")));
}

TEST(ChainConfigJson, what_is_told_as_by_geth_is_read_as_a_genesis_file_and_as_what_is_stored) {
    ChainConfig at_once = sepolia_config();
    for (const Fork& fork : kForks)
        if (fork.member != nullptr && fork.activation == ForkActivation::timestamp)
            at_once.*fork.member = 0;
    at_once.blob_schedule = make_blob_schedule(blob_fork_times(at_once));
    for (const ChainConfig& config : {mainnet_config(), sepolia_config(), at_once}) {
        const std::string text = format_geth_chain_config(config);
        JsonParser parser;
        const JsonView json = parser.parse(text, "answer");
        ASSERT_TRUE(is_stored_chain_config(json));
        EXPECT_EQ(parse_stored_chain_config(json), config);

        std::string without = text;  // what no genesis file may have
        const std::size_t own = without.find(R"("heddleMergeBlock")");
        without.erase(own, without.find(',', own) + 1 - own);
        JsonParser other;
        const ChainConfig by_geth = parse_chain_config(other.parse(without, "answer"));

        EXPECT_EQ(by_geth.blob_schedule, config.blob_schedule) << text;
        EXPECT_EQ(by_geth.terminal_total_difficulty, config.terminal_total_difficulty);
    }
}

TEST(ChainConfigJson, what_is_stored_is_read_back) {
    EXPECT_EQ(stored_and_read(mainnet_config()), mainnet_config());
    EXPECT_EQ(stored_and_read(sepolia_config()), sepolia_config());
    EXPECT_EQ(stored_and_read(ChainConfig{}), ChainConfig{});
}

TEST(ChainConfigJson, every_fork_is_stored) {
    ChainConfig config;
    config.chain_id = 7;
    std::uint64_t at = 100;
    for (const Fork& fork : kForks)
        if (fork.member != nullptr) config.*fork.member = ++at;
    config.terminal_total_difficulty = Uint256{};
    config.equal_timestamps = true;

    EXPECT_EQ(stored_and_read(config), config);
}

// What nodes answer is in one form or the other. Before, blobs of the stored one were not read.
TEST(ChainConfigJson, what_is_stored_is_told_from_a_genesis_file) {
    ChainConfig config = mainnet_config();
    config.blob_schedule.back().max = 77;
    JsonParser parser;
    const std::string text = format_chain_config(config);

    const JsonView stored = parser.parse(text, "answer");

    ASSERT_TRUE(is_stored_chain_config(stored));
    EXPECT_EQ(parse_stored_chain_config(stored), config);
    EXPECT_FALSE(is_stored_chain_config(parser.parse(R"({"chainId": 1})", "answer")));
}

// Of a snapshot that somebody made up, or of another node.
TEST(ChainConfigJson, blobs_that_there_cannot_be_are_refused) {
    ChainConfig config = mainnet_config();
    config.blob_schedule.back().base_fee_update_fraction = 0;
    const std::string text = format_chain_config(config);
    JsonParser parser;

    EXPECT_THROW((void)parse_stored_chain_config(parser.parse(text, "answer")), InputError);
}

}  // namespace
}  // namespace heddle::node
