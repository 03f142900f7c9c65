// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain that comes to Amsterdam while it runs: blocks are built, executed and asked about on both
// sides of the fork.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executor/ordered_block.hpp>
#include <ledger/memory_ledger.hpp>

#include "building/chain_application_fixture.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kFirst = 3;  // block of Amsterdam; there is one a second

class ForkingChain : public ChainApplicationTest {
protected:
    ForkingChain() : ChainApplicationTest(genesis_before_amsterdam(kFirst)) {}

    ledger::StoredBlock head() {
        const auto stored = chain_.block(chain_.head().header.number);
        return stored.value().value();
    }
    /// Blocks up to this one, each with a transfer to an account that was not there.
    void grow(std::uint64_t last) {
        while (chain_.head().header.number < last) {
            const std::uint64_t number = chain_.head().header.number;
            pool(found(0, number, number));
            make_block();
        }
    }
};

TEST_F(ForkingChain, changes_its_rules_with_the_block_whose_time_has_come) {
    for (std::uint64_t number = 1; number <= kFirst + 2; ++number) {
        SCOPED_TRACE(number);
        grow(number);
        const ledger::StoredBlock block = head();
        const BlockHeader& header = block.block.header;
        const bool is_amsterdam = number >= kFirst;
        EXPECT_EQ(header.block_access_list_hash.has_value(), is_amsterdam);
        EXPECT_EQ(header.slot_number.has_value(), is_amsterdam);
        ASSERT_EQ(block.receipts.size(), 1u);
        EXPECT_TRUE(block.receipts[0].success);
        EXPECT_EQ(block.receipts[0].gas_used, is_amsterdam ? 21'000u + 183'600 : 21'000u);
        EXPECT_EQ(block.receipts[0].logs.size(), is_amsterdam ? 1u : 0u);  // EIP-7708
        EXPECT_EQ(header.gas_used, is_amsterdam ? 183'600u : 21'000u);
    }
}

TEST_F(ForkingChain, is_what_serial_execution_makes_of_it) {
    grow(kFirst + 2);

    ledger::MemoryLedger serial;
    (void)serial.initialize(genesis_);
    const auto executor = executor::make_serial_executor();
    executor->start({genesis_.config, serial.state(), serial, serial},
                    executor::make_chain_head(serial.head().header, Uint256{}));
    for (std::uint64_t number = 1; number <= kFirst + 2; ++number) {
        ledger::StoredBlock stored = chain_.block(number).value().value();
        for (Transaction& tx : stored.block.transactions)
            tx.sender.reset();
        ASSERT_TRUE(executor::run(*executor, executor::make_ordered_block(std::move(stored.block)))
                        .has_value());
    }
    const auto summary = executor->drain();
    ASSERT_TRUE(summary.has_value()) << to_string(summary.error());
    EXPECT_EQ(summary->head_hash, chain_.head().hash);
}

// What waited for the fork with the gas of before fails for the new account's price, and pays.
TEST_F(ForkingChain, a_transaction_with_the_gas_of_before_fails_after_it) {
    grow(kFirst - 1);
    Transaction tx = found(1, 0, 0xabc);
    tx.gas_limit = 21'000;
    ASSERT_TRUE(sign_transaction(tx, dev_accounts()[1].secret));
    pool(tx);
    make_block();

    const ledger::StoredBlock block = head();
    ASSERT_EQ(block.receipts.size(), 1u);
    EXPECT_FALSE(block.receipts[0].success);
    EXPECT_EQ(block.receipts[0].gas_used, 21'000u);
}

// Of the two kinds of gas the header has the greater, which is what the ratio and the base fee go
// by; receipts add up to more.
TEST_F(ForkingChain, a_fee_history_goes_by_the_greater_kind_of_gas) {
    grow(kFirst - 1);
    for (std::size_t from = 1; from <= 4; ++from)
        pool(found(from, 0, 0x100 + from));
    make_block();

    ASSERT_EQ(head().block.header.gas_used, 4u * 183'600);
    ASSERT_EQ(head().receipts.size(), 4u);
    // Before: one transfer of 21,000. The limit is 60,000,000.
    EXPECT_THAT(node_.call("eth_feeHistory", R"(["0x2","latest",[0,100]])"),
                HasSubstr(R"("gasUsedRatio":[0.00035,0.01224])"));
}

TEST_F(ForkingChain, rewards_are_percentiles_of_what_the_header_says) {
    grow(kFirst - 1);
    for (std::size_t from = 1; from <= 4; ++from) {
        Transaction tx = found(from, 0, 0x100 + from);
        tx.max_priority_fee_per_gas = Uint256{from};
        ASSERT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
        pool(tx);
    }
    make_block();

    // Of 734,400: one, two and three transactions, of 204,600 each, go as far. Of the 818,400 that
    // were paid for it would be one more each time.
    EXPECT_THAT(node_.call("eth_feeHistory", R"(["0x1","latest",[27,54,82]])"),
                HasSubstr(R"("reward":[["0x1","0x2","0x3"]])"));
}

}  // namespace
}  // namespace heddle::node
