// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "block_assembler.hpp"

#include <gtest/gtest.h>

#include <vm/block.hpp>

namespace heddle::executor {
namespace {

Receipt receipt_of(std::uint64_t gas, std::uint64_t blob_gas = 0) {
    Receipt receipt;
    receipt.success = true;
    receipt.gas_used = gas;
    receipt.blob_gas_used = blob_gas;
    receipt.logs.push_back({address_from_low64(gas), {}, {}});
    receipt.bloom = logs_bloom(receipt.logs);
    return receipt;
}

class BlockAssemblerTest : public testing::Test {
protected:
    BlockAssembler assembler_;

    void SetUp() override { assemble(true); }

    void assemble(bool needs_receipts_root) {
        BlockEnv env;
        env.revision = Revision::prague;
        env.gas_limit = 1'000;
        env.max_blob_gas_per_block = 500;
        assembler_.begin(env, 2, needs_receipts_root);
        assembler_.add(receipt_of(300, 200), std::nullopt);
        assembler_.add(receipt_of(100), std::nullopt);
    }
};

TEST_F(BlockAssemblerTest, counts_gas_up) {
    EXPECT_EQ(assembler_.receipts()[0].cumulative_gas_used, 300u);
    EXPECT_EQ(assembler_.receipts()[1].cumulative_gas_used, 400u);
    EXPECT_EQ(assembler_.left().gas, 600u);
    EXPECT_EQ(assembler_.left().blob_gas, 300u);
}

TEST_F(BlockAssemblerTest, accepts_the_header_it_filled_in) {
    BlockHeader header;
    assembler_.fill(header, {});

    EXPECT_EQ(header.gas_used, 400u);
    EXPECT_EQ(header.blob_gas_used, 200u);
    EXPECT_EQ(header.requests_hash, kEmptyRequestsHash);
    EXPECT_TRUE(assembler_.check(header, {}).has_value());
}

TEST_F(BlockAssemblerTest, names_the_claim_that_differs) {
    BlockHeader right;
    assembler_.fill(right, {});
    const auto code_of = [&](const BlockHeader& header) {
        const auto result = assembler_.check(header, {});
        return result.has_value() ? std::nullopt : std::optional{result.error().code};
    };

    BlockHeader wrong = right;
    wrong.gas_used = 1;
    EXPECT_EQ(code_of(wrong), BlockErrorCode::invalid_gas_used);
    wrong = right;
    wrong.receipts_root = Hash{};
    EXPECT_EQ(code_of(wrong), BlockErrorCode::invalid_receipts_root);
    wrong = right;
    wrong.logs_bloom = {};
    EXPECT_EQ(code_of(wrong), BlockErrorCode::invalid_logs_bloom);
    wrong = right;
    wrong.requests_hash = Hash{};
    EXPECT_EQ(code_of(wrong), BlockErrorCode::invalid_requests);
}

TEST_F(BlockAssemblerTest, leaves_the_receipts_root_alone_where_it_cannot_be_known) {
    BlockHeader header;
    assembler_.fill(header, {});
    header.receipts_root = Hash{};

    assemble(false);

    EXPECT_TRUE(assembler_.check(header, {}).has_value());
}

TEST_F(BlockAssemblerTest, gives_the_receipts_root_of_the_receipts) {
    BlockHeader header;
    assembler_.fill(header, {});

    EXPECT_EQ(header.receipts_root, vm::receipts_root(assembler_.receipts()));
}

}  // namespace
}  // namespace heddle::executor
