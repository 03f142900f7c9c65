// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists of transactions that take more bytes than a block may have (EIP-7934): an engine that
// orders lists knows nothing of that bound.
#include <vector>

#include <gtest/gtest.h>

#include <vm/limits.hpp>

#include "building/block_room.hpp"
#include "building/chain_application_fixture.hpp"

namespace heddle::node {
namespace {

/// Above what its bytes may have in gas, so that bytes are what there is too little of.
constexpr std::uint64_t kGasLimit = 200'000'000;
constexpr std::size_t kDataBytes = 120'000;
constexpr std::size_t kEngineBytes = std::size_t{20} << 20;

Genesis genesis_with_much_gas(Revision revision = Revision::osaka) {
    Genesis genesis = genesis_with_contracts(revision);
    genesis.header.gas_limit = kGasLimit;
    return genesis;
}

Transaction large(std::uint64_t nonce) {
    Transaction tx = transfer(0, nonce, 1);
    tx.data.resize(kDataBytes);
    tx.gas_limit = 21'000 + 10 * kDataBytes;  // what they cost at least (EIP-7623)
    EXPECT_TRUE(sign_transaction(tx, dev_accounts()[0].secret));
    return tx;
}

std::size_t bytes_of(const Block& block) {
    Bytes encoded;
    encode_block(block, encoded);
    return encoded.size();
}

class BlockRoomTest : public ChainApplicationTest {
protected:
    explicit BlockRoomTest(Revision revision = Revision::osaka)
        : ChainApplicationTest(genesis_with_much_gas(revision)) {}

    static ChainApplicationOptions options(std::string scheduler, Builder builder) {
        ChainApplicationOptions result;
        result.scheduler = std::move(scheduler);
        result.builder = builder;
        result.executor.parallel.workers = 2;
        return result;
    }
    BlockPlan engine_plan() {
        BlockPlan result = plan();
        result.max_bytes = kEngineBytes;
        return result;
    }
    std::size_t head_bytes() { return bytes_of(chain_.head_block()->block); }

    static constexpr std::size_t kCount = 80;  // of which some seventy fit
    const std::size_t most_ = vm::limits(Revision::osaka).max_block_bytes;
};

TEST_F(BlockRoomTest, holds_of_a_decided_list_what_fits_whoever_executes_it) {
    Proposal proposal;
    for (std::uint64_t nonce = 0; nonce < kCount; ++nonce)
        proposal.transactions.push_back(large(nonce));
    proposal.transactions.push_back(transfer(1, 0, 2));
    const OrderedBlock block = block_of(engine_plan(), proposal);
    ChainApplication other(chain_, node_.mempool(), options("serial", Builder::serial));

    const auto expected = other.finalize(block, Unexecutable::left_out);
    const auto finalized = finalize(block, Unexecutable::left_out);

    ASSERT_TRUE(expected.has_value()) << to_string(expected.error());
    ASSERT_TRUE(finalized.has_value()) << to_string(finalized.error());
    EXPECT_EQ(finalized->hash, expected->hash);
    EXPECT_GT(finalized->left_out.size(), 5u);
    EXPECT_EQ(finalized->receipts.size() + finalized->left_out.size(), kCount + 1);
    EXPECT_NE(finalized->left_out.back().index, kCount) << "the last one is small";
    ASSERT_TRUE(application_.commit().has_value());
    EXPECT_LE(head_bytes(), most_);
    EXPECT_GT(head_bytes(), most_ - kDataBytes - 5'000) << "no more room is left than one needs";
}

TEST_F(BlockRoomTest, is_not_taken_by_what_cannot_be_executed) {
    Proposal proposal;
    for (std::uint64_t nonce = 1; nonce <= kCount; ++nonce)
        proposal.transactions.push_back(large(nonce));  // behind a gap
    proposal.transactions.push_back(large(0));

    const auto finalized =
        finalize(block_of(engine_plan(), std::move(proposal)), Unexecutable::left_out);

    ASSERT_TRUE(finalized.has_value()) << to_string(finalized.error());
    EXPECT_EQ(finalized->receipts.size(), 1u);
}

TEST_F(BlockRoomTest, bounds_what_is_proposed_and_accepted) {
    for (std::uint64_t nonce = 0; nonce < kCount; ++nonce)
        pool(large(nonce));
    for (const Builder builder : {Builder::serial, Builder::aria}) {
        ChainApplication proposer(chain_, node_.mempool(), options("auto", builder));

        auto proposal = proposer.prepare(engine_plan());

        ASSERT_TRUE(proposal.has_value());
        EXPECT_GT(proposal->transactions.size(), 65u);
        EXPECT_TRUE(application_.process(engine_plan(), *proposal).has_value());
        const auto finalized =
            proposer.finalize(block_of(engine_plan(), *proposal), Unexecutable::left_out);
        ASSERT_TRUE(finalized.has_value());
        EXPECT_EQ(finalized->executions, 0u);
        const auto executed = finalize(block_of(engine_plan(), *proposal), Unexecutable::left_out);
        ASSERT_TRUE(executed.has_value()) << to_string(executed.error());
        EXPECT_EQ(executed->hash, finalized->hash);
        proposal->transactions.push_back(large(proposal->transactions.size()));
        proposal->object_sets.clear();
        EXPECT_FALSE(application_.process(engine_plan(), *proposal).has_value());
    }
}

TEST_F(BlockRoomTest, is_counted_as_a_block_is_encoded) {
    std::vector<Transaction> transactions = {large(0), transfer(1, 0, 2)};
    for (const std::size_t data : {0U, 130U, 60'000U})
        for (const TransactionType type : {TransactionType::legacy, TransactionType::access_list}) {
            transactions.push_back(transfer(2, 0, 3));
            transactions.back().type = type;
            transactions.back().data.resize(data);
        }
    Block block;
    block.transactions = transactions;
    const std::size_t with = bytes_of(block);
    block.transactions.clear();

    // The length of the list takes three bytes more, that of the block one.
    EXPECT_EQ(with - bytes_of(block), bytes_in_block(transactions) + 3 + 1);
}

class RoomBeforeOsakaTest : public BlockRoomTest {
protected:
    RoomBeforeOsakaTest() : BlockRoomTest(Revision::prague) {}
};

TEST_F(RoomBeforeOsakaTest, has_no_bound) {
    Proposal proposal;
    for (std::uint64_t nonce = 0; nonce < kCount; ++nonce)
        proposal.transactions.push_back(large(nonce));
    ASSERT_TRUE(application_.process(engine_plan(), proposal).has_value());

    const auto finalized =
        finalize(block_of(engine_plan(), std::move(proposal)), Unexecutable::left_out);

    ASSERT_TRUE(finalized.has_value()) << to_string(finalized.error());
    EXPECT_EQ(finalized->receipts.size(), kCount);
}

}  // namespace
}  // namespace heddle::node
