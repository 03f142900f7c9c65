// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vm/limits.hpp>
#include <vm/validate.hpp>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

Block block_at(Revision revision) {
    const ChainConfig config = test::config_at(revision);
    Block block;
    block.header = test::child_of(test::parent_at(revision), config, revision >= Revision::paris);
    if (revision >= Revision::shanghai) block.withdrawals.emplace();
    return block;
}

std::optional<BlockErrorCode> check(const Block& block, Revision revision,
                                    std::size_t encoded_size_bytes = 0) {
    const auto result = validate_body(block, {}, test::config_at(revision),
                                      revision >= Revision::paris, encoded_size_bytes);
    return result.has_value() ? std::nullopt : std::optional{result.error().code};
}

TEST(BodyValidation, accepts_an_empty_body) {
    EXPECT_EQ(check(block_at(Revision::frontier), Revision::frontier), std::nullopt);
    EXPECT_EQ(check(block_at(Revision::osaka), Revision::osaka), std::nullopt);
}

TEST(BodyValidation, compares_the_transactions_root) {
    Block block = block_at(Revision::london);
    block.transactions.emplace_back();
    EXPECT_EQ(check(block, Revision::london), BlockErrorCode::invalid_transactions_root);

    block.header.transactions_root = transactions_root(block.transactions);
    EXPECT_EQ(check(block, Revision::london), std::nullopt);
}

TEST(BodyValidation, compares_the_ommers_hash) {
    Block block = block_at(Revision::london);
    block.header.ommers_hash = Hash{};

    EXPECT_EQ(check(block, Revision::london), BlockErrorCode::invalid_ommers_hash);
}

TEST(BodyValidation, wants_withdrawals_from_shanghai_on_and_none_before) {
    Block block = block_at(Revision::shanghai);
    block.withdrawals.reset();
    EXPECT_EQ(check(block, Revision::shanghai), BlockErrorCode::invalid_withdrawals);

    block.withdrawals = {{0, 0, address_from_low64(1), 1}};
    EXPECT_EQ(check(block, Revision::shanghai), BlockErrorCode::invalid_withdrawals);
    block.header.withdrawals_root = withdrawals_root(*block.withdrawals);
    EXPECT_EQ(check(block, Revision::shanghai), std::nullopt);

    block = block_at(Revision::paris);
    block.withdrawals.emplace();
    EXPECT_EQ(check(block, Revision::paris), BlockErrorCode::invalid_withdrawals);
}

TEST(BodyValidation, compares_the_blob_gas_with_the_transactions) {
    Block block = block_at(Revision::cancun);
    block.header.blob_gas_used = kGasPerBlob;
    EXPECT_EQ(check(block, Revision::cancun), BlockErrorCode::invalid_blob_gas_used);

    block.header.blob_gas_used = 7 * kGasPerBlob;
    EXPECT_EQ(check(block, Revision::cancun), BlockErrorCode::blob_gas_above_limit);
}

TEST(BodyValidation, limits_the_size_of_a_block_from_osaka_on) {
    EXPECT_EQ(
        check(block_at(Revision::osaka), Revision::osaka, limits(Revision::osaka).max_block_bytes),
        std::nullopt);
    EXPECT_EQ(check(block_at(Revision::osaka), Revision::osaka,
                    limits(Revision::osaka).max_block_bytes + 1),
              BlockErrorCode::block_too_large);
    EXPECT_EQ(check(block_at(Revision::prague), Revision::prague,
                    limits(Revision::osaka).max_block_bytes + 1),
              std::nullopt);

    Block block = block_at(Revision::osaka);
    block.transactions.emplace_back().data.resize(limits(Revision::osaka).max_block_bytes);
    EXPECT_EQ(check(block, Revision::osaka), BlockErrorCode::block_too_large);
}

}  // namespace
}  // namespace heddle::vm
