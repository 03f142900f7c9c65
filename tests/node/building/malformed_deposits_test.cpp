// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain whose deposit contract can be brought to log what is no deposit: a block with such a log
// is invalid (EIP-6110), so that nobody can be charged for it, and whoever makes blocks goes on.
#include <array>

#include <gtest/gtest.h>

#include "building/chain_application_fixture.hpp"

namespace heddle::node {
namespace {

const Address kDepositsAddress = address_from_low64(0xde);

/// Logs a DepositEvent without data, then goes on until little gas is left: PUSH32 PUSH0 PUSH0
/// LOG1, and JUMPDEST PUSH2 30,000 GAS GT PUSH1 36 JUMPI STOP.
Bytes malformed_deposits() {
    Bytes code{0x7f};
    const Hash event =
        *hash_from_hex("0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5");
    code.insert(code.end(), event.bytes.begin(), event.bytes.end());
    constexpr std::array<std::uint8_t, 13> kRest{0x5f, 0x5f, 0xa1, 0x5b, 0x61, 0x75, 0x30,
                                                 0x5a, 0x11, 0x60, 0x24, 0x57, 0x00};
    code.insert(code.end(), kRest.begin(), kRest.end());
    return code;
}

Genesis genesis_with_deposits() {
    Genesis genesis = genesis_with_contracts(Revision::prague);
    genesis.config.deposit_contract_address = kDepositsAddress;
    genesis.alloc.push_back({kDepositsAddress, 1, {}, malformed_deposits(), {}});
    return genesis;
}

Transaction deposit(std::size_t from, std::uint64_t nonce, std::uint64_t gas_limit = 100'000) {
    Transaction tx = transfer(from, nonce, 0, 0);
    tx.to = kDepositsAddress;
    tx.gas_limit = gas_limit;
    tx.max_priority_fee_per_gas = Uint256{2 * kGwei};  // before all others
    EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
    return tx;
}

class MalformedDeposits : public ChainApplicationTest {
protected:
    MalformedDeposits() : ChainApplicationTest(genesis_with_deposits()) {}

    static ChainApplicationOptions options(Builder builder) {
        ChainApplicationOptions result;
        result.builder = builder;
        result.executor.parallel.workers = 2;
        return result;
    }
};

TEST_F(MalformedDeposits, make_no_block_and_leave_the_pool_while_the_chain_goes_on) {
    for (const Builder builder : {Builder::serial, Builder::aria}) {
        ChainApplication proposer(chain_, node_.mempool(), options(builder));
        const std::uint64_t next = node_.mempool().next_nonce(dev_accounts()[1].address);
        pool(deposit(0, 0));
        for (std::size_t sender = 1; sender < 4; ++sender)
            pool(count(sender, next));

        const BlockPlan wanted = plan();
        const auto proposal = proposer.prepare(wanted);

        ASSERT_TRUE(proposal.has_value());
        EXPECT_EQ(proposal->transactions.size(), 3u);
        EXPECT_EQ(proposal->object_sets.size(), 3u);
        EXPECT_EQ(node_.mempool().find(transaction_hash(deposit(0, 0))), nullptr);
        const auto finalized =
            proposer.finalize(block_of(wanted, *proposal), Unexecutable::left_out);
        ASSERT_TRUE(finalized.has_value()) << to_string(finalized.error());
        EXPECT_EQ(finalized->executions, 0u);
        ASSERT_TRUE(proposer.commit().has_value());
    }
    EXPECT_EQ(counter(), 6u);
}

TEST_F(MalformedDeposits, are_left_out_of_a_decided_list) {
    Proposal list;
    list.transactions = {count(0, 0), deposit(1, 0), transfer(1, 1, 2), count(2, 0)};
    Proposal executable;
    executable.transactions = {count(0, 0), count(2, 0)};
    const BlockPlan wanted = plan();

    const auto expected = finalize(block_of(wanted, executable));
    const auto finalized = finalize(block_of(wanted, list), Unexecutable::left_out);

    ASSERT_TRUE(expected.has_value());
    ASSERT_TRUE(finalized.has_value()) << to_string(finalized.error());
    EXPECT_EQ(finalized->hash, expected->hash);
    ASSERT_EQ(finalized->left_out.size(), 2u);
    EXPECT_EQ(finalized->left_out[0].error, TransactionError::malformed_deposit);
    EXPECT_EQ(finalized->left_out[1].error, TransactionError::nonce_too_high);
}

TEST_F(MalformedDeposits, take_the_room_that_executing_them_took) {
    // Twelve times the block's gas: a list may have any number of what nobody pays for.
    constexpr std::uint64_t kGas = 25'000'000;
    Proposal list;
    for (std::size_t i = 0; i < 30; ++i)
        list.transactions.push_back(deposit(i % 10, 0, kGas + i));
    list.transactions.push_back(count(0, 0));

    const auto finalized = finalize(block_of(plan(), std::move(list)), Unexecutable::left_out);

    ASSERT_TRUE(finalized.has_value()) << to_string(finalized.error());
    EXPECT_EQ(finalized->receipts.size(), 1u);
    ASSERT_EQ(finalized->left_out.size(), 30u);
    for (std::size_t i = 0; i < 30; ++i)
        EXPECT_EQ(finalized->left_out[i].error, i < 2 ? TransactionError::malformed_deposit
                                                      : TransactionError::gas_limit_above_block)
            << i;
}

TEST_F(MalformedDeposits, take_the_room_of_a_proposal_and_no_more) {
    for (const Builder builder : {Builder::serial, Builder::aria}) {
        ChainApplication proposer(chain_, node_.mempool(), options(builder));
        for (std::size_t sender = 0; sender < 10; ++sender)
            pool(deposit(sender, 0, 25'000'000 + sender));

        const auto proposal = proposer.prepare(plan());

        ASSERT_TRUE(proposal.has_value());
        EXPECT_TRUE(proposal->transactions.empty());
        EXPECT_EQ(node_.mempool().status().pending, 8u) << "two have been executed, and are gone";
        for (std::size_t sender = 0; sender < 10; ++sender)
            node_.mempool().remove(transaction_hash(deposit(sender, 0, 25'000'000 + sender)), "");
    }
}

TEST_F(MalformedDeposits, stay_what_makes_the_block_of_somebody_else_invalid) {
    Proposal list;
    list.transactions = {count(0, 0), deposit(1, 0)};

    const auto refused = finalize(block_of(plan(), list), Unexecutable::refused);

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, BlockErrorCode::invalid_deposit_layout);
    EXPECT_EQ(refused.error().index, 1u);
}

}  // namespace
}  // namespace heddle::node
