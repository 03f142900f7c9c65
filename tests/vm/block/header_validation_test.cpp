// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <vm/validate.hpp>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

/// nullopt: valid.
std::optional<BlockErrorCode> validate_changed(Revision revision,
                                               const std::function<void(BlockHeader&)>& change,
                                               bool equal_timestamps = false) {
    ChainConfig config = test::config_at(revision);
    config.equal_timestamps = equal_timestamps;
    const BlockHeader parent = test::parent_at(revision);
    const bool merged = revision >= Revision::paris;
    BlockHeader header = test::child_of(parent, config, merged);
    change(header);
    const auto result = validate_header(header, parent, config, merged);
    return result.has_value() ? std::nullopt : std::optional{result.error().code};
}

class EveryRevision : public testing::TestWithParam<Revision> {};

TEST_P(EveryRevision, accepts_a_valid_child) {
    EXPECT_EQ(validate_changed(GetParam(), [](BlockHeader&) {}), std::nullopt);
}

TEST_P(EveryRevision, rejects_each_broken_rule_by_its_name) {
    const std::vector<std::pair<BlockErrorCode, std::function<void(BlockHeader&)>>> broken{
        {BlockErrorCode::invalid_number, [](BlockHeader& h) { ++h.number; }},
        {BlockErrorCode::invalid_timestamp, [](BlockHeader& h) { h.timestamp -= 12; }},
        {BlockErrorCode::extra_data_too_long, [](BlockHeader& h) { h.extra_data.resize(33); }},
        {BlockErrorCode::invalid_difficulty, [](BlockHeader& h) { h.difficulty += Uint256{1}; }},
        {BlockErrorCode::invalid_gas_limit, [](BlockHeader& h) { h.gas_limit += 29'296; }},
        {BlockErrorCode::invalid_gas_limit, [](BlockHeader& h) { h.gas_limit -= 29'296; }},
        {BlockErrorCode::invalid_gas_limit, [](BlockHeader& h) { h.gas_limit = 1ull << 63; }},
        {BlockErrorCode::gas_used_above_limit,
         [](BlockHeader& h) { h.gas_used = h.gas_limit + 1; }},
    };
    for (const auto& [code, change] : broken)
        EXPECT_EQ(validate_changed(GetParam(), change), code) << to_string(code);
}

TEST_P(EveryRevision, accepts_gas_limits_up_to_the_bound) {
    EXPECT_EQ(validate_changed(GetParam(), [](BlockHeader& h) { h.gas_limit += 29'295; }),
              std::nullopt);
    EXPECT_EQ(validate_changed(GetParam(), [](BlockHeader& h) { h.gas_limit -= 29'295; }),
              std::nullopt);
}

TEST(HeaderValidation, accepts_the_parents_time_only_where_the_chain_repeats_timestamps) {
    for (const Revision revision : {Revision::paris, Revision::osaka}) {
        const auto made = [&](std::uint64_t seconds_back, bool equal_timestamps) {
            return validate_changed(
                revision, [&](BlockHeader& h) { h.timestamp -= seconds_back; }, equal_timestamps);
        };
        EXPECT_EQ(made(12, false), BlockErrorCode::invalid_timestamp);
        EXPECT_EQ(made(12, true), std::nullopt);
        EXPECT_EQ(made(13, true), BlockErrorCode::invalid_timestamp);
    }
}

TEST_P(EveryRevision, rejects_fields_of_other_forks) {
    const Revision revision = GetParam();
    const auto toggled = [&](BlockErrorCode code, auto member, auto value) {
        const auto result = validate_changed(revision, [&](BlockHeader& header) {
            if ((header.*member).has_value())
                (header.*member).reset();
            else
                header.*member = value;
        });
        EXPECT_EQ(result, code);
    };
    toggled(BlockErrorCode::invalid_base_fee, &BlockHeader::base_fee_per_gas, Uint256{1});
    toggled(BlockErrorCode::invalid_withdrawals, &BlockHeader::withdrawals_root, kEmptyTrieRoot);
    toggled(BlockErrorCode::invalid_header_fields, &BlockHeader::blob_gas_used, 0);
    toggled(BlockErrorCode::invalid_header_fields, &BlockHeader::excess_blob_gas, 0);
    toggled(BlockErrorCode::invalid_header_fields, &BlockHeader::parent_beacon_block_root, Hash{});
    toggled(BlockErrorCode::invalid_header_fields, &BlockHeader::requests_hash, Hash{});
    toggled(BlockErrorCode::invalid_header_fields, &BlockHeader::block_access_list_hash, Hash{});
    toggled(BlockErrorCode::invalid_header_fields, &BlockHeader::slot_number, 0);
}

INSTANTIATE_TEST_SUITE_P(HeaderValidation, EveryRevision,
                         testing::Values(Revision::frontier, Revision::homestead,
                                         Revision::byzantium, Revision::istanbul, Revision::berlin,
                                         Revision::london, Revision::paris, Revision::shanghai,
                                         Revision::cancun, Revision::prague, Revision::osaka,
                                         Revision::amsterdam),
                         [](const auto& parameter) {
                             std::string name{to_string(parameter.param)};
                             std::erase_if(name, [](char c) {
                                 return std::isalnum(static_cast<unsigned char>(c)) == 0;
                             });
                             return name;
                         });

TEST(HeaderValidation, demands_no_work_after_the_merge) {
    EXPECT_EQ(validate_changed(Revision::paris, [](BlockHeader& h) { h.nonce[7] = 1; }),
              BlockErrorCode::invalid_nonce);
    EXPECT_EQ(validate_changed(Revision::paris, [](BlockHeader& h) { h.ommers_hash = Hash{}; }),
              BlockErrorCode::invalid_ommers_hash);
}

TEST(HeaderValidation, compares_the_fees_with_the_parents) {
    EXPECT_EQ(validate_changed(Revision::london,
                               [](BlockHeader& h) { *h.base_fee_per_gas += Uint256{1}; }),
              BlockErrorCode::invalid_base_fee);
    EXPECT_EQ(validate_changed(Revision::cancun, [](BlockHeader& h) { h.excess_blob_gas = 1; }),
              BlockErrorCode::invalid_excess_blob_gas);
}

TEST(HeaderValidation, wants_a_gas_limit_from_five_thousand_to_63_bits) {
    constexpr std::uint64_t kLeast = 5'000;
    constexpr std::uint64_t kMost = 0x7fff'ffff'ffff'ffff;
    const ChainConfig config = test::config_at(Revision::frontier);
    BlockHeader parent = test::parent_at(Revision::frontier);
    for (const auto& [bound, beyond] : {std::pair{kLeast, kLeast - 1}, {kMost, kMost + 1}}) {
        parent.gas_limit = bound;
        BlockHeader header = test::child_of(parent, config, false);
        EXPECT_TRUE(validate_header(header, parent, config, false).has_value()) << bound;
        header.gas_limit = beyond;

        const auto result = validate_header(header, parent, config, false);

        ASSERT_FALSE(result.has_value()) << beyond;
        EXPECT_EQ(result.error().code, BlockErrorCode::invalid_gas_limit);
    }
}

TEST(HeaderValidation, doubles_the_gas_limit_at_the_london_block) {
    ChainConfig config = test::config_at(Revision::berlin);
    config.london_block = 101;
    const BlockHeader parent = test::parent_at(Revision::berlin);
    BlockHeader header = test::child_of(parent, config, false);
    header.base_fee_per_gas = Uint256{1'000'000'000};

    header.gas_limit = parent.gas_limit;
    EXPECT_FALSE(validate_header(header, parent, config, false).has_value());
    header.gas_limit = 2 * parent.gas_limit;
    EXPECT_TRUE(validate_header(header, parent, config, false).has_value());
}

TEST(HeaderValidation, wants_the_dao_mark_for_ten_blocks_on_the_side_that_forked) {
    const std::string text = "dao-hard-fork";
    const Bytes mark(text.begin(), text.end());
    for (const bool supports : {true, false}) {
        ChainConfig config = test::config_at(Revision::homestead);
        config.dao_fork_support = supports;
        BlockHeader parent = test::parent_at(Revision::homestead);
        for (const auto& [fork_block, is_checked] :
             {std::pair{102u, false}, {101u, true}, {92u, true}, {91u, false}}) {
            config.dao_fork_block = fork_block;
            BlockHeader header = test::child_of(parent, config, false);
            EXPECT_EQ(validate_header(header, parent, config, false).has_value(),
                      !is_checked || !supports);
            header.extra_data = mark;
            EXPECT_EQ(validate_header(header, parent, config, false).has_value(),
                      !is_checked || supports);
        }
    }
}

TEST(IsMerged, is_decided_by_block_then_total_difficulty_then_difficulty) {
    BlockHeader header;
    header.number = 10;
    header.difficulty = Uint256{1};
    ChainConfig config;
    EXPECT_FALSE(is_merged(header, Uint256{100}, config));

    config.terminal_total_difficulty = Uint256{100};
    EXPECT_FALSE(is_merged(header, Uint256{99}, config));
    EXPECT_TRUE(is_merged(header, Uint256{100}, config));
    EXPECT_FALSE(is_merged(header, std::nullopt, config));

    config.merge_block = 10;
    EXPECT_TRUE(is_merged(header, Uint256{99}, config));
    config.merge_block = 11;
    EXPECT_FALSE(is_merged(header, Uint256{100}, config));
}

TEST(BlockEnv, shows_difficulty_before_and_randomness_after_the_merge) {
    BlockHeader header = test::parent_at(Revision::cancun);
    header.difficulty = Uint256{5};
    header.prev_randao = Hash{{1}};
    header.excess_blob_gas = 10 * 1024 * 1024;
    const ChainConfig config = test::config_at(Revision::cancun);

    const BlockEnv before = make_block_env(header, config, false);
    EXPECT_EQ(before.revision, Revision::london);
    EXPECT_EQ(before.difficulty, Uint256{5});
    EXPECT_TRUE(before.prev_randao.is_zero());

    const BlockEnv after = make_block_env(header, config, true);
    EXPECT_EQ(after.revision, Revision::cancun);
    EXPECT_TRUE(after.difficulty.is_zero());
    EXPECT_EQ(after.prev_randao, header.prev_randao);
    EXPECT_EQ(after.blob_base_fee, Uint256{23});
    EXPECT_EQ(after.max_blob_gas_per_block, 6 * kGasPerBlob);
}

}  // namespace
}  // namespace heddle::vm
