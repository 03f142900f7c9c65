// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/genesis_json.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/block.hpp>

#include "formats/json.hpp"
#include "formats/networks.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

Genesis parse(const std::string& text) {
    JsonParser parser;
    return parse_genesis(parser.parse(text, "genesis.json"));
}

constexpr const char* kBlockForks = R"("homesteadBlock": 0, "eip150Block": 0, "eip155Block": 0,
    "eip158Block": 0, "byzantiumBlock": 0, "constantinopleBlock": 0, "petersburgBlock": 0,
    "istanbulBlock": 0, "berlinBlock": 0, "londonBlock": 0)";

std::string merged_genesis(const std::string& forks, const std::string& header = {}) {
    return std::string(R"({"config": {"chainId": "0x7", "terminalTotalDifficulty": 0, )") +
           kBlockForks + forks + R"(}, "alloc": {})" + header + "}";
}

TEST(GenesisJson, reads_configuration_header_and_allocation) {
    const Genesis genesis = parse(R"({
        "config": {"chainId": 5, "homesteadBlock": "0x10", "daoForkBlock": 17,
                   "daoForkSupport": true, "terminalTotalDifficulty": 58750000000000000000000,
                   "depositContractAddress": "0x00000000219ab540356cbb839cbe05303d7705fa"},
        "nonce": "0x42", "timestamp": "0x5", "extraData": "0x1234", "gasLimit": "0x1388",
        "difficulty": "0x400000000", "coinbase": "0x00000000000000000000000000000000000000bb",
        "alloc": {"00000000000000000000000000000000000000aa":
            {"balance": "1000", "nonce": "0x2", "code": "0x6000", "storage": {"0x01": "0x02"}}}})");

    EXPECT_EQ(genesis.config.chain_id, 5u);
    EXPECT_EQ(genesis.config.homestead_block, 16u);
    EXPECT_EQ(genesis.config.dao_fork_block, 17u);
    EXPECT_TRUE(genesis.config.dao_fork_support);
    EXPECT_EQ(to_decimal(*genesis.config.terminal_total_difficulty), "58750000000000000000000");
    EXPECT_EQ(genesis.header.nonce[7], 0x42);
    EXPECT_EQ(genesis.header.timestamp, 5u);
    EXPECT_EQ(genesis.header.gas_limit, 5000u);
    EXPECT_EQ(genesis.header.difficulty, Uint256{0x400000000});
    EXPECT_EQ(genesis.header.extra_data, (Bytes{0x12, 0x34}));
    EXPECT_FALSE(genesis.header.base_fee_per_gas);
    ASSERT_EQ(genesis.alloc.size(), 1u);
    EXPECT_EQ(genesis.alloc[0].address, address_from_low64(0xaa));
    EXPECT_EQ(genesis.alloc[0].balance, Uint256{1000});
    EXPECT_EQ(genesis.alloc[0].nonce, 2u);
    EXPECT_EQ(genesis.alloc[0].code, (Bytes{0x60, 0x00}));
    ASSERT_EQ(genesis.alloc[0].storage.size(), 1u);
    EXPECT_EQ(genesis.alloc[0].storage[0].second, Uint256{2});
}

// As geth, which takes balances without 0x for decimal, and slots with their values not.
TEST(GenesisJson, storage_is_hexadecimal_with_0x_and_without) {
    const Genesis genesis = parse(R"({
        "config": {"chainId": 5}, "gasLimit": "0x1388", "difficulty": "0x0",
        "alloc": {"00000000000000000000000000000000000000aa":
            {"balance": "10", "storage": {"10": "20", "0x11": "0x21", "ab": "cd"}}}})");

    ASSERT_EQ(genesis.alloc.size(), 1u);
    EXPECT_EQ(genesis.alloc[0].balance, Uint256{10});
    using Slots = std::vector<std::pair<Uint256, Uint256>>;
    EXPECT_EQ(genesis.alloc[0].storage, (Slots{{0x10u, 0x20u}, {0x11u, 0x21u}, {0xabu, 0xcdu}}));
}

TEST(GenesisJson, header_takes_the_fields_of_the_forks_active_at_genesis) {
    const Genesis london = parse(merged_genesis(""));
    EXPECT_EQ(london.header.base_fee_per_gas, Uint256{1'000'000'000});
    EXPECT_FALSE(london.header.withdrawals_root);

    const Genesis cancun = parse(merged_genesis(R"(, "shanghaiTime": 0, "cancunTime": 0)"));
    EXPECT_EQ(cancun.header.withdrawals_root, kEmptyTrieRoot);
    EXPECT_EQ(cancun.header.blob_gas_used, 0u);
    EXPECT_EQ(cancun.header.excess_blob_gas, 0u);
    EXPECT_EQ(cancun.header.parent_beacon_block_root, Hash{});
    EXPECT_FALSE(cancun.header.requests_hash);

    const Genesis prague =
        parse(merged_genesis(R"(, "shanghaiTime": 0, "cancunTime": 0, "pragueTime": 3)",
                             R"(, "timestamp": "0x3", "baseFeePerGas": "0x9")"));
    EXPECT_EQ(prague.header.requests_hash, kEmptyRequestsHash);
    EXPECT_EQ(prague.header.base_fee_per_gas, Uint256{9});
}

// Trigger: a base fee in a file whose chain has London later or never. Symptom: it was passed over,
// and geth, whose hash this is, made another first block of the same file.
TEST(GenesisJson, a_base_fee_is_taken_before_london_as_well) {
    const Genesis genesis = parse(R"({"config": {"chainId": 5}, "gasLimit": "0x1c9c380",
        "difficulty": "0x0", "baseFeePerGas": "0x7",
        "alloc": {"0x1111111111111111111111111111111111111111": {"balance": "0x1"}}})");

    BlockHeader header = genesis.header;
    EXPECT_EQ(header.base_fee_per_gas, Uint256{7});
    header.state_root =
        *hash_from_hex("0xace39f4d59f48e367b7224cdbc775618ecee326f06d89f1a242be0873fef748e");
    EXPECT_EQ(to_string(header_hash(header)),
              "0xc984b8f762bda86e952768a8aef1402bb4c9d75d932f9cb1b06251f0411d4df6");
}

TEST(GenesisJson, a_genesis_of_amsterdam_has_an_empty_access_list_and_a_slot) {
    const std::string forks =
        R"(, "shanghaiTime": 0, "cancunTime": 0, "pragueTime": 0, "osakaTime": 0)";

    const Genesis without = parse(merged_genesis(forks));
    const Genesis plain = parse(merged_genesis(forks + R"(, "amsterdamTime": 0)"));
    const Genesis later = parse(merged_genesis(forks + R"(, "amsterdamTime": 1)"));
    const Genesis with_slot =
        parse(merged_genesis(forks + R"(, "amsterdamTime": 0)", R"(, "slotNumber": "0x10")"));

    EXPECT_FALSE(without.header.block_access_list_hash || without.header.slot_number);
    EXPECT_FALSE(later.header.block_access_list_hash || later.header.slot_number);
    EXPECT_EQ(plain.header.block_access_list_hash, kEmptyListHash);
    EXPECT_EQ(plain.header.slot_number, 0u);
    EXPECT_EQ(with_slot.header.slot_number, 16u);
}

TEST(GenesisJson, blob_schedule_follows_forks_and_bpo_forks) {
    const Genesis genesis = parse(merged_genesis(
        R"(, "shanghaiTime": 0, "cancunTime": 10, "pragueTime": 20, "osakaTime": 30,
            "bpo1Time": 40, "bpo2Time": 50, "blobSchedule": {
              "cancun": {"target": 3, "max": 6, "baseFeeUpdateFraction": 3338477},
              "prague": {"target": 6, "max": 9, "baseFeeUpdateFraction": 5007716},
              "bpo1": {"target": 10, "max": 15, "baseFeeUpdateFraction": 8346193},
              "bpo2": {"target": 14, "max": 21, "baseFeeUpdateFraction": 11684671}})"));

    const auto& schedule = genesis.config.blob_schedule;
    ASSERT_EQ(schedule.size(), 5u);
    EXPECT_EQ(schedule[0], (BlobParameters{10, 3, 6, 3338477}));
    EXPECT_EQ(schedule[1], (BlobParameters{20, 6, 9, 5007716}));
    EXPECT_EQ(schedule[2], (BlobParameters{30, 6, 9, 5007716}));
    EXPECT_EQ(schedule[3], (BlobParameters{40, 10, 15, 8346193}));
    EXPECT_EQ(schedule[4], (BlobParameters{50, 14, 21, 11684671}));
}

TEST(GenesisJson, refuses_blobs_that_there_cannot_be) {
    const auto error_of = [](const std::string& cancun) {
        try {
            (void)parse(merged_genesis(R"(, "shanghaiTime": 0, "cancunTime": 0,
                                           "blobSchedule": {"cancun": )" +
                                       cancun + "}"));
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(error_of(R"({"target": 6, "max": 6, "baseFeeUpdateFraction": 1})"), "no error");
    EXPECT_THAT(error_of(R"({"target": 7, "max": 6, "baseFeeUpdateFraction": 1})"),
                HasSubstr("max must not be below target"));
    EXPECT_THAT(error_of(R"({"target": 6, "max": 6, "baseFeeUpdateFraction": 0})"),
                HasSubstr("baseFeeUpdateFraction must not be zero"));
    EXPECT_EQ(error_of(R"({"target": 1, "max": 140737488355327, "baseFeeUpdateFraction": 1})"),
              "no error");
    EXPECT_THAT(error_of(R"({"target": 1, "max": 140737488355328, "baseFeeUpdateFraction": 1})"),
                HasSubstr("max must not be above 140737488355327"));
}

/// Of those that must have some.
constexpr const char* kBlobsOfForks = R"("blobSchedule": {
    "bpo1": {"target": 1, "max": 2, "baseFeeUpdateFraction": 9},
    "bpo2": {"target": 1, "max": 2, "baseFeeUpdateFraction": 9},
    "bpo3": {"target": 1, "max": 2, "baseFeeUpdateFraction": 9},
    "bpo4": {"target": 1, "max": 2, "baseFeeUpdateFraction": 9}})";

std::string error_of(const std::string& text) {
    try {
        (void)parse(text);
    } catch (const InputError& error) {
        return std::string(error.what());
    }
    return std::string("no error");
}

TEST(GenesisJson, refuses_forks_out_of_order) {
    EXPECT_THAT(error_of(R"({"config": {"chainId": 1, "eip150Block": 5}, "alloc": {}})"),
                HasSubstr("eip150Block is set but homesteadBlock is not"));
    EXPECT_THAT(error_of(R"({"config": {"chainId": 1, "homesteadBlock": 9, "eip150Block": 5},
                            "alloc": {}})"),
                HasSubstr("eip150Block (5) must not come before homesteadBlock (9)"));
    EXPECT_THAT(error_of(R"({"config": {"chainId": 1, "homesteadBlock": 0, "eip150Block": 0,
                            "eip155Block": 1, "eip158Block": 2}, "alloc": {}})"),
                HasSubstr("eip155Block and eip158Block differ"));
    const auto with_half = [&](const char* half) {
        return error_of(R"({"config": {"chainId": 1, "homesteadBlock": 0, "eip150Block": 0, )" +
                        std::string{half} + R"(}, "alloc": {}})");
    };
    EXPECT_THAT(with_half(R"("eip155Block": 0)"),
                HasSubstr("eip155Block is set but eip158Block is not"));
    EXPECT_THAT(with_half(R"("eip158Block": 0)"),
                HasSubstr("eip158Block is set but eip155Block is not"));
    const auto with_blobs = [&](const char* blobs) {
        return error_of(merged_genesis(
            std::string{R"(, "shanghaiTime": 0, "cancunTime": 0, "pragueTime": 0, "osakaTime": 1,
                           "amsterdamTime": 30, )"} +
            kBlobsOfForks + ", " + blobs));
    };
    EXPECT_THAT(with_blobs(R"("bpo2Time": 40)"),
                HasSubstr("amsterdamTime (30) must not come before bpo2Time (40)"));
    EXPECT_THAT(with_blobs(R"("bpo1Time": 0)"),
                HasSubstr("bpo1Time (0) must not come before osakaTime (1)"));
    EXPECT_THAT(with_blobs(R"("bpo3Time": 20, "bpo4Time": 19)"),
                HasSubstr("bpo4Time (19) must not come before bpo3Time (20)"));
    EXPECT_EQ(with_blobs(R"("bpo2Time": 20, "bpo3Time": 30)"), "no error");
    EXPECT_EQ(with_blobs(R"("bpo3Time": 20)"), "no error");
    // Neither builds on the other, but geth has one order for all.
    EXPECT_THAT(with_blobs(R"("bpo3Time": 40)"),
                HasSubstr("amsterdamTime (30) must not come before bpo3Time (40)"));
}

// geth refuses each of these as well.
TEST(GenesisJson, refuses_forks_without_a_revision_out_of_order) {
    const auto with = [&](const std::string& forks) {
        return error_of(R"({"config": {"chainId": 1, "homesteadBlock": 0, "eip150Block": 0,
            "eip155Block": 0, "eip158Block": 0, "byzantiumBlock": 0, "constantinopleBlock": 0,
            "petersburgBlock": 0, "istanbulBlock": 2)" +
                        forks + R"(}, "alloc": {}})");
    };
    EXPECT_THAT(with(R"(, "muirGlacierBlock": 1)"),
                HasSubstr("muirGlacierBlock (1) must not come before istanbulBlock (2)"));
    EXPECT_THAT(with(R"(, "muirGlacierBlock": 7, "berlinBlock": 5)"),
                HasSubstr("berlinBlock (5) must not come before muirGlacierBlock (7)"));
    EXPECT_THAT(with(R"(, "berlinBlock": 5, "londonBlock": 6, "arrowGlacierBlock": 5)"),
                HasSubstr("arrowGlacierBlock (5) must not come before londonBlock (6)"));
    EXPECT_THAT(with(R"(, "berlinBlock": 5, "londonBlock": 6, "arrowGlacierBlock": 8,
                        "grayGlacierBlock": 7)"),
                HasSubstr("grayGlacierBlock (7) must not come before arrowGlacierBlock (8)"));
    EXPECT_THAT(with(R"(, "berlinBlock": 5, "londonBlock": 6, "mergeNetsplitBlock": 5)"),
                HasSubstr("mergeNetsplitBlock (5) must not come before londonBlock (6)"));
    EXPECT_THAT(with(R"(, "berlinBlock": 5, "arrowGlacierBlock": 6)"),
                HasSubstr("arrowGlacierBlock is set but londonBlock is not"));
    EXPECT_EQ(with(R"(, "muirGlacierBlock": 5, "berlinBlock": 5, "londonBlock": 6)"), "no error");

    EXPECT_THAT(error_of(merged_genesis(R"(, "shanghaiTime": 0, "bpo1Time": 5)")),
                HasSubstr("bpo1Time is set but cancunTime is not"));
    EXPECT_EQ(error_of(merged_genesis(std::string{R"(, "shanghaiTime": 0, "cancunTime": 0,
                                                       "bpo1Time": 5, )"} +
                                      kBlobsOfForks)),
              "no error");
}

// geth refuses each of these as well. Before, they were taken.
TEST(GenesisJson, refuses_old_forks_out_of_order) {
    const auto with = [&](const std::string& forks) {
        return error_of(R"({"config": {"chainId": 1, "homesteadBlock": 0, "eip150Block": 3,
            "eip155Block": 3, "eip158Block": 3, "byzantiumBlock": 3)" +
                        forks + R"(}, "alloc": {}})");
    };
    EXPECT_THAT(with(R"(, "daoForkBlock": 4)"),
                HasSubstr("eip150Block (3) must not come before daoForkBlock (4)"));
    EXPECT_EQ(with(R"(, "daoForkBlock": 3)"), "no error");
    EXPECT_THAT(with(R"(, "constantinopleBlock": 4, "istanbulBlock": 5)"),
                HasSubstr("istanbulBlock is set but petersburgBlock is not"));
    EXPECT_EQ(with(R"(, "constantinopleBlock": 4)"), "no error");
}

// Parameters of blobs are all that such a fork is. Before, it had mainnet's.
TEST(GenesisJson, refuses_a_fork_of_blobs_without_its_parameters) {
    const auto with = [&](const std::string& schedule) {
        return error_of(merged_genesis(
            R"(, "shanghaiTime": 0, "cancunTime": 0, "pragueTime": 0, "osakaTime": 0,
                "bpo1Time": 5)" +
            schedule));
    };
    EXPECT_THAT(with(""), HasSubstr(R"(bpo1Time is set but blobSchedule has no "bpo1")"));
    EXPECT_THAT(with(R"(, "blobSchedule": {})"), HasSubstr(R"(has no "bpo1")"));
    EXPECT_THAT(with(R"(, "blobSchedule": {"bpo1": null})"), HasSubstr(R"(has no "bpo1")"));
}

// Before, such a fork was passed over, and its chain executed by other rules.
TEST(GenesisJson, refuses_forks_that_are_not_known) {
    for (const char* fork : {"bogotaTime", "ubtTime", "bpo7Time", "ecip1099Block", "BOGOTATIME"}) {
        const std::string name = std::string{R"(, ")"} + fork + R"(": )";
        EXPECT_THAT(error_of(merged_genesis(name + "9")),
                    HasSubstr(std::string{"\""} + fork + "\" is a fork that is not known here"));
        EXPECT_EQ(error_of(merged_genesis(name + "null")), "no error");
    }
    EXPECT_THAT(error_of(merged_genesis(R"(, "ShanghaiTime": 9)")),
                HasSubstr("\"ShanghaiTime\" is written shanghaiTime"));
    EXPECT_THAT(error_of(merged_genesis(R"(, "enableUBTAtGenesis": true)")),
                HasSubstr("$.config.enableUBTAtGenesis: a state in tries of another kind"));
    EXPECT_EQ(error_of(merged_genesis(R"(, "enableUBTAtGenesis": false)")), "no error");
    EXPECT_EQ(error_of(merged_genesis(R"(, "clique": {"period": 5, "epoch": 9}, "ethash": {},
                                          "mergeForkBlock": 3)")),
              "no error");
}

// An empty text is what is left of a template's variable. Before, the fork began with the chain.
TEST(GenesisJson, refuses_forks_that_begin_nowhere) {
    EXPECT_THAT(error_of(merged_genesis(R"(, "shanghaiTime": "")")),
                HasSubstr("$.config.shanghaiTime: expected a number"));
    EXPECT_THAT(error_of(merged_genesis(R"(, "shanghaiTime": 0, "cancunTime": 0,
                                             "bpo1Time": "0x")")),
                HasSubstr("$.config.bpo1Time: expected a number"));
}

// geth passes over it: one file made two chains.
TEST(GenesisJson, refuses_a_beacon_block_before_the_first_block) {
    const auto with = [](const char* last_digit) {
        return error_of(
            merged_genesis(R"(, "shanghaiTime": 0, "cancunTime": 0)",
                           R"(, "parentBeaconBlockRoot": "0x00000000000000000000000000000000)"
                           R"(0000000000000000000000000000000)" +
                               std::string{last_digit} + "\""));
    };
    EXPECT_EQ(with("0"), "no error");
    EXPECT_THAT(with("1"), HasSubstr("$.parentBeaconBlockRoot: is zero in the first block"));
}

TEST(GenesisJson, proof_of_stake_needs_london_and_time_needs_proof_of_stake) {
    const auto with = [&](const std::string& last_forks, const std::string& difficulty) {
        return error_of(R"({"config": {"chainId": 1, "homesteadBlock": 0, "eip150Block": 0,
            "eip155Block": 0, "eip158Block": 0, "byzantiumBlock": 0, "constantinopleBlock": 0,
            "petersburgBlock": 0, "istanbulBlock": 0, "berlinBlock": 0)" +
                        last_forks + R"(}, "difficulty": )" + difficulty + R"(, "alloc": {}})");
    };
    EXPECT_THAT(with(R"(, "londonBlock": 2, "terminalTotalDifficulty": 0)", "0"),
                HasSubstr("londonBlock (2) must not be above 1"));
    EXPECT_THAT(with(R"(, "londonBlock": 2, "terminalTotalDifficulty": 9)", "9"),
                HasSubstr("londonBlock (2) must not be above 1"));
    EXPECT_THAT(with(R"(, "terminalTotalDifficulty": 0)", "0"),
                HasSubstr("londonBlock is missing, and the chain has proof of stake"));
    EXPECT_EQ(with(R"(, "londonBlock": 1, "terminalTotalDifficulty": 0)", "0"), "no error");
    EXPECT_EQ(with(R"(, "londonBlock": 2, "terminalTotalDifficulty": 10)", "9"), "no error");
    EXPECT_EQ(with(R"(, "londonBlock": 2)", "9"), "no error");
    EXPECT_THAT(with(R"(, "terminalTotalDifficulty": 10, "shanghaiTime": 5)", "9"),
                HasSubstr("shanghaiTime is set but londonBlock is not"));
    EXPECT_THAT(with(R"(, "londonBlock": 0, "shanghaiTime": 5)", "9"),
                HasSubstr("shanghaiTime is set but terminalTotalDifficulty is not"));
}

TEST(GenesisJson, refuses_a_first_block_that_is_not_block_0) {
    const auto with_number = [](const std::string& number) {
        return parse(R"({"config": {"chainId": 1}, "number": ")" + number + R"(", "alloc": {}})");
    };
    EXPECT_EQ(with_number("0x0").header.number, 0u);
    try {
        (void)with_number("0x5");
        ADD_FAILURE() << "was taken";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("$.number: a chain begins with block 0"));
    }
}

TEST(GenesisJson, access_lists_are_hints_unless_the_chain_makes_them_strict) {
    EXPECT_FALSE(parse(merged_genesis("")).config.strict_access_lists);
    EXPECT_FALSE(parse(merged_genesis(R"(, "accessLists": "hint")")).config.strict_access_lists);
    EXPECT_TRUE(parse(merged_genesis(R"(, "accessLists": "strict")")).config.strict_access_lists);

    EXPECT_THAT(error_of(merged_genesis(R"(, "accessLists": "Strict")")),
                HasSubstr(R"("Strict" is neither "strict" nor "hint")"));
    EXPECT_THAT(error_of(merged_genesis(R"(, "accessLists": true)")), HasSubstr("accessLists"));
    EXPECT_THAT(error_of(R"({"config": {"chainId": 1, "accessLists": "strict"}, "alloc": {}})"),
                HasSubstr("strict access lists need Berlin from block 0"));
}

TEST(GenesisJson, timestamps_rise_unless_the_chain_lets_them_repeat) {
    EXPECT_FALSE(parse(merged_genesis("")).config.equal_timestamps);
    EXPECT_FALSE(parse(merged_genesis(R"(, "equalTimestamps": false)")).config.equal_timestamps);
    EXPECT_TRUE(parse(merged_genesis(R"(, "equalTimestamps": true)")).config.equal_timestamps);
    EXPECT_THROW((void)parse(merged_genesis(R"(, "equalTimestamps": "yes")")), InputError);
    EXPECT_THROW((void)parse(R"({"config": {"chainId": 1, "equalTimestamps": true}, "alloc": {}})"),
                 InputError)
        << "proof of work";
}

TEST(Networks, single_forks_are_active_from_genesis) {
    const auto revision = [](std::string_view name) {
        const auto network = find_network(name);
        EXPECT_TRUE(network) << name;
        return network->config.revision(0, 0,
                                        network->config.terminal_total_difficulty.has_value());
    };
    EXPECT_EQ(revision("Frontier"), Revision::frontier);
    EXPECT_EQ(revision("EIP150"), Revision::tangerine_whistle);
    EXPECT_EQ(revision("EIP158"), Revision::spurious_dragon);
    EXPECT_EQ(revision("Constantinople"), Revision::constantinople);
    EXPECT_EQ(revision("ConstantinopleFix"), Revision::petersburg);
    EXPECT_EQ(revision("Merge"), Revision::paris);
    EXPECT_EQ(revision("BPO2"), Revision::osaka);
    EXPECT_EQ(revision("BPO3"), Revision::osaka);  // as in geth's tools
    EXPECT_EQ(revision("BPO4"), Revision::osaka);
    EXPECT_FALSE(find_network("Atlantis"));
    EXPECT_FALSE(find_network(""));
}

TEST(Networks, every_name_of_a_fork_is_known) {
    for (const Fork& fork : kForks)
        for (const std::string_view name : fork.networks) {
            if (name.empty() || name == "Dao") continue;  // a fork of a chain, not a set of rules
            const auto network = find_network(name);
            ASSERT_TRUE(network) << name;
            const bool is_merged = network->config.terminal_total_difficulty.has_value();
            const Revision revision = network->config.revision(0, 0, is_merged);
            if (fork.revision) {
                EXPECT_EQ(revision, *fork.revision) << name;
            }
            EXPECT_EQ(network->config.blob_parameters(0) != nullptr, revision >= Revision::cancun);
            EXPECT_FALSE(network->config.dao_fork_block);
            EXPECT_THAT(known_networks(), HasSubstr(name));
        }
}

TEST(Networks, transitions_activate_where_their_name_says) {
    const auto time = find_network("CancunToPragueAtTime15k");
    ASSERT_TRUE(time);
    EXPECT_EQ(time->config.cancun_time, 0u);
    EXPECT_EQ(time->config.prague_time, 15'000u);
    const auto block = find_network("BerlinToLondonAt5");
    ASSERT_TRUE(block);
    EXPECT_EQ(block->config.berlin_block, 0u);
    EXPECT_EQ(block->config.london_block, 5u);
    const auto difficulty = find_network("ArrowGlacierToParisAtDiffC0000");
    ASSERT_TRUE(difficulty);
    EXPECT_EQ(difficulty->config.terminal_total_difficulty, Uint256{0xc0000});
    const auto dao = find_network("HomesteadToDaoAt5");
    ASSERT_TRUE(dao);
    EXPECT_EQ(dao->config.dao_fork_block, 5u);
    const auto bpo = find_network("BPO1ToBPO2AtTime15k");
    ASSERT_TRUE(bpo);
    EXPECT_EQ(bpo->config.blob_parameters(14'999)->max, 15u);
    EXPECT_EQ(bpo->config.blob_parameters(15'000)->max, 21u);
    const auto first_bpo = find_network("OsakaToBPO1AtTime15k");
    ASSERT_TRUE(first_bpo);
    EXPECT_EQ(first_bpo->config.osaka_time, 0u);
    EXPECT_EQ(first_bpo->config.blob_parameters(14'999)->max, 9u);
    EXPECT_EQ(first_bpo->config.blob_parameters(15'000)->max, 15u);
    const auto third_bpo = find_network("BPO2ToBPO3AtTime15k");
    ASSERT_TRUE(third_bpo);
    EXPECT_EQ(third_bpo->config.blob_parameters(15'000)->max, 32u);
    EXPECT_FALSE(third_bpo->config.amsterdam_time);
    EXPECT_FALSE(find_network("PragueToCancunAtTime15k"));
    EXPECT_FALSE(find_network("BPO1ToBPO1AtTime15k"));
    EXPECT_FALSE(find_network("CancunToAtTime15k"));
    EXPECT_FALSE(find_network("CancunToPragueAtTimeSoon"));
    EXPECT_FALSE(find_network("CancunToPrague"));
}

}  // namespace
}  // namespace heddle::node
