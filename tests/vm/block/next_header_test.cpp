// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/next_header.hpp>

#include <gtest/gtest.h>

#include <vm/block.hpp>
#include <vm/validate.hpp>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

BlockAttributes some_attributes(const BlockHeader& parent) {
    BlockAttributes attributes;
    attributes.timestamp = parent.timestamp + 12;
    attributes.gas_limit = parent.gas_limit;
    attributes.beneficiary = address_from_low64(0xbe);
    attributes.extra_data = {0xab};
    attributes.parent_beacon_block_root = Hash{{0x0b}};
    return attributes;
}

TEST(NextHeader, is_a_valid_child_in_every_revision) {
    for (std::size_t i = 0; i < kRevisionCount; ++i) {
        const auto revision = static_cast<Revision>(i);
        const ChainConfig config = test::config_at(revision);
        const BlockHeader parent = test::parent_at(revision);
        const Hash hash = header_hash(parent);

        const BlockHeader header =
            next_header({parent, hash, std::nullopt}, some_attributes(parent), config);

        const auto valid =
            validate_header(header, parent, config, is_merged(header, std::nullopt, config));
        EXPECT_TRUE(valid.has_value()) << to_string(revision) << to_string(valid.error());
        EXPECT_EQ(header.parent_hash, hash);
        EXPECT_EQ(header.beneficiary, address_from_low64(0xbe));
    }
}

TEST(NextHeader, goes_over_to_proof_of_stake_at_the_terminal_total_difficulty) {
    ChainConfig config = test::config_at(Revision::london);
    config.terminal_total_difficulty = Uint256{1'000};
    const BlockHeader parent = test::parent_at(Revision::london);
    const BlockAttributes attributes = some_attributes(parent);
    const Hash hash = header_hash(parent);

    EXPECT_FALSE(
        next_header({parent, hash, Uint256{999}}, attributes, config).difficulty.is_zero());
    EXPECT_TRUE(
        next_header({parent, hash, Uint256{1'000}}, attributes, config).difficulty.is_zero());
}

TEST(NextHeader, takes_its_attributes_back_from_a_header) {
    const BlockHeader parent = test::parent_at(Revision::prague);
    const ChainConfig config = test::config_at(Revision::prague);
    const Hash hash = header_hash(parent);
    const BlockHeader header =
        next_header({parent, hash, std::nullopt}, some_attributes(parent), config);

    EXPECT_EQ(next_header({parent, hash, std::nullopt}, attributes_of(header), config), header);
}

TEST(NextHeader, counts_slots_from_amsterdam_on) {
    const ChainConfig config = test::config_at(Revision::amsterdam);
    BlockHeader parent = test::parent_at(Revision::amsterdam);
    const Hash hash = header_hash(parent);
    BlockAttributes attributes = some_attributes(parent);
    const auto slot = [&] {
        return next_header({parent, hash, {}}, attributes, config).slot_number;
    };

    EXPECT_EQ(slot(), 8u);  // after the parent's 7
    attributes.slot_number = 100;
    EXPECT_EQ(slot(), 100u);
    attributes.slot_number.reset();
    parent.slot_number = ~std::uint64_t{0};
    EXPECT_EQ(slot(), ~std::uint64_t{0});
    parent.slot_number.reset();  // of the fork before
    EXPECT_EQ(slot(), 0u);
    EXPECT_EQ(
        next_header({parent, hash, {}}, attributes, test::config_at(Revision::osaka)).slot_number,
        std::nullopt);
}

TEST(NextHeader, gives_the_slot_to_the_evm) {
    const ChainConfig config = test::config_at(Revision::amsterdam);

    EXPECT_EQ(make_block_env(test::parent_at(Revision::amsterdam), config, true).slot_number, 7u);
}

TEST(FillBody, makes_the_roots_that_validation_asks_for) {
    const ChainConfig config = test::config_at(Revision::prague);
    const BlockHeader parent = test::parent_at(Revision::prague);
    const Hash hash = header_hash(parent);
    Block block;
    block.header = next_header({parent, hash, std::nullopt}, some_attributes(parent), config);
    Transaction& tx = block.transactions.emplace_back();
    tx.type = TransactionType::blob;
    tx.blob_versioned_hashes = {Hash{{0x01}}, Hash{{0x01}}};
    block.withdrawals = {{0, 0, address_from_low64(1), 5}};
    EXPECT_FALSE(validate_body_roots(block, config, true).has_value());

    fill_body(block);

    EXPECT_TRUE(validate_body_roots(block, config, true).has_value());
    EXPECT_EQ(block.header.blob_gas_used, 2 * kGasPerBlob);
}

TEST(FillBody, brings_withdrawals_into_being_where_the_fork_asks_for_them) {
    for (const Revision revision : {Revision::paris, Revision::shanghai}) {
        const BlockHeader parent = test::parent_at(revision);
        const Hash hash = header_hash(parent);
        Block block;
        block.header = next_header({parent, hash, std::nullopt}, some_attributes(parent),
                                   test::config_at(revision));

        fill_body(block);

        EXPECT_EQ(block.withdrawals.has_value(), revision >= Revision::shanghai);
    }
}

}  // namespace
}  // namespace heddle::vm
