// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a consensus engine may rely on: proposals leave no trace, finalize() keeps nothing, commit()
// keeps what serial execution would have given.
#include "building/chain_application.hpp"

#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executor/ordered_block.hpp>
#include <ledger/memory_ledger.hpp>
#include <types/signing.hpp>

#include "announced_seed.hpp"
#include "building/block_room.hpp"
#include "building/chain_application_fixture.hpp"

namespace heddle::node {
namespace {

TEST_F(ChainApplicationTest, proposals_leave_no_trace_and_repeat) {
    for (std::size_t i = 0; i < 4; ++i)
        pool(count(i, 0));
    const Hash head = chain_.head().hash;

    const auto first = application_.prepare(plan());
    const auto second = application_.prepare(plan());

    ASSERT_TRUE(first.has_value() && second.has_value());
    EXPECT_EQ(first->transactions.size(), 4u);
    EXPECT_EQ(first->transactions, second->transactions);
    EXPECT_EQ(first->object_sets, second->object_sets);
    EXPECT_EQ(chain_.head().hash, head);
    EXPECT_EQ(node_.mempool().status().pending, 4u);
    EXPECT_EQ(counter(), 0u);
}

TEST_F(ChainApplicationTest, finalize_keeps_nothing_and_commit_keeps_it) {
    pool(count(0, 0));
    const BlockPlan wanted = plan();
    auto proposal = application_.prepare(wanted);
    ASSERT_TRUE(proposal.has_value());

    const auto finalized = finalize(block_of(wanted, *proposal));
    ASSERT_TRUE(finalized.has_value());
    EXPECT_EQ(chain_.head().header.number, 0u);
    EXPECT_EQ(counter(), 0u);

    ASSERT_TRUE(application_.commit().has_value());
    EXPECT_EQ(chain_.head().hash, finalized->hash);
    EXPECT_EQ(counter(), 1u);
    EXPECT_EQ(node_.mempool().status().pending, 0u);
}

TEST_F(ChainApplicationTest, a_second_finalize_replaces_the_first) {
    pool(count(0, 0));
    pool(count(1, 0));
    const BlockPlan wanted = plan();
    auto proposal = application_.prepare(wanted);
    ASSERT_TRUE(proposal.has_value());
    Proposal shorter{{proposal->transactions[0]}, {proposal->object_sets[0]}};

    const auto first = finalize(block_of(wanted, *proposal));
    const auto second = finalize(block_of(wanted, std::move(shorter)));
    const auto committed = application_.commit();

    ASSERT_TRUE(first.has_value() && second.has_value() && committed.has_value());
    EXPECT_NE(first->hash, second->hash);
    EXPECT_EQ(committed->hash, second->hash);
    EXPECT_EQ(counter(), 1u);
}

TEST_F(ChainApplicationTest, commits_nothing_twice) {
    EXPECT_FALSE(application_.commit().has_value());
    make_block();
    EXPECT_FALSE(application_.commit().has_value());
    EXPECT_EQ(chain_.head().header.number, 1u);
}

TEST_F(ChainApplicationTest, blocks_equal_those_of_serial_execution) {
    std::vector<std::uint64_t> nonces(dev_accounts().size());
    for (int block = 0; block < 5; ++block) {
        for (std::size_t i = 0; i < nonces.size(); ++i) {
            pool(count(i, nonces[i]++));
            pool(transfer(i, nonces[i]++, (i + 1) % nonces.size(), 7 * i));
        }
        make_block();
    }

    ledger::MemoryLedger serial;
    (void)serial.initialize(genesis_);
    const auto executor = executor::make_serial_executor();
    executor->start({genesis_.config, serial.state(), serial, serial},
                    executor::make_chain_head(serial.head().header, Uint256{}));
    for (std::uint64_t number = 1; number <= 5; ++number) {
        auto stored = chain_.block(number);
        ASSERT_TRUE(stored.has_value() && stored->has_value());
        EXPECT_EQ((*stored)->receipts.size(), 20u);
        for (Transaction& tx : (*stored)->block.transactions)
            tx.sender.reset();
        ASSERT_TRUE(
            executor::run(*executor, executor::make_ordered_block(std::move((*stored)->block)))
                .has_value());
    }
    const auto summary = executor->drain();
    ASSERT_TRUE(summary.has_value()) << to_string(summary.error());
    EXPECT_EQ(summary->head_hash, chain_.head().hash);
}

TEST_F(ChainApplicationTest, stores_the_object_sets_that_building_recorded) {
    pool(count(0, 0));
    pool(transfer(1, 0, 2));
    const auto proposal = application_.prepare(plan());
    ASSERT_TRUE(proposal.has_value());

    make_block();

    const auto sets = chain_.ledger().object_sets(1);
    ASSERT_TRUE(sets.has_value() && sets->has_value());
    EXPECT_EQ(**sets, proposal->object_sets);
}

TEST_F(ChainApplicationTest, wrong_object_sets_change_no_result) {
    pool(count(0, 0));
    pool(count(1, 0));
    const BlockPlan wanted = plan();
    auto proposal = application_.prepare(wanted);
    ASSERT_TRUE(proposal.has_value());
    Proposal lying = *proposal;
    lying.object_sets.assign(2, ObjectSet{});
    Proposal silent = *proposal;
    silent.object_sets.clear();

    const auto honest = finalize(block_of(wanted, *std::move(proposal)));
    const auto lied = finalize(block_of(wanted, std::move(lying)));
    const auto unsaid = finalize(block_of(wanted, std::move(silent)));

    ASSERT_TRUE(honest.has_value() && lied.has_value() && unsaid.has_value());
    EXPECT_EQ(honest->hash, lied->hash);
    EXPECT_EQ(honest->hash, unsaid->hash);
}

TEST_F(ChainApplicationTest, a_block_that_is_wrong_leaves_the_application_as_it_was) {
    pool(count(0, 0));
    const BlockPlan wanted = plan();
    Proposal wrong;
    wrong.transactions.push_back(transfer(3, 5, 4));  // a nonce that is too high

    const auto refused = finalize(block_of(wanted, std::move(wrong)));
    const Hash hash = make_block();

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, BlockErrorCode::invalid_transaction);
    EXPECT_EQ(chain_.head().hash, hash);
    EXPECT_EQ(counter(), 1u);
}

TEST_F(ChainApplicationTest, a_transaction_that_makes_blocks_invalid_leaves_the_pool) {
    const Transaction tx = transfer(3, 0, 4);
    pool(tx);
    const BlockPlan wanted = plan();
    Proposal wrong;
    wrong.transactions = {tx, tx};  // the second has a nonce that is used

    EXPECT_FALSE(finalize(block_of(wanted, std::move(wrong))).has_value());

    EXPECT_EQ(node_.mempool().status().pending, 0u);
}

TEST_F(ChainApplicationTest, what_cannot_be_executed_is_left_out_of_a_decided_list) {
    Transaction unsigned_one = transfer(4, 0, 0);
    unsigned_one.sender.reset();
    unsigned_one.r = Uint256{};
    const Transaction too_early = transfer(0, 2, 1);
    const Transaction repeated = count(1, 0);
    Transaction too_dear = transfer(5, 0, 1);
    too_dear.value = ~Uint256{} >> 1;
    ASSERT_TRUE(sign_transaction(too_dear, dev_accounts()[5].secret));
    const BlockPlan wanted = plan();
    Proposal list;
    list.transactions = {transfer(0, 0, 1), too_early, repeated,         unsigned_one,
                         too_dear,          repeated,  transfer(2, 0, 3)};
    Proposal executable;
    executable.transactions = {transfer(0, 0, 1), repeated, transfer(2, 0, 3)};

    const auto expected = finalize(block_of(wanted, executable));
    const auto finalized = finalize(block_of(wanted, list), Unexecutable::left_out);

    ASSERT_TRUE(expected.has_value());
    ASSERT_TRUE(finalized.has_value()) << to_string(finalized.error());
    EXPECT_EQ(finalized->hash, expected->hash);
    EXPECT_EQ(finalized->receipts.size(), 3u);
    std::vector<std::pair<std::size_t, TransactionError>> left_out;
    for (const auto& [index, error] : finalized->left_out)
        left_out.emplace_back(index, error);
    EXPECT_EQ(left_out, (std::vector<std::pair<std::size_t, TransactionError>>{
                            {1, TransactionError::nonce_too_high},
                            {3, TransactionError::invalid_signature},
                            {4, TransactionError::insufficient_funds},
                            {5, TransactionError::nonce_too_low}}));
}

TEST_F(ChainApplicationTest, a_list_of_nothing_executable_is_an_empty_block) {
    const BlockPlan wanted = plan();
    Proposal list;
    list.transactions = {transfer(0, 1, 1), transfer(0, 2, 1)};

    const auto empty = finalize(block_of(wanted, {}));
    const auto finalized = finalize(block_of(wanted, list), Unexecutable::left_out);

    ASSERT_TRUE(empty.has_value() && finalized.has_value());
    EXPECT_EQ(finalized->hash, empty->hash);
    EXPECT_EQ(finalized->left_out.size(), 2u);
}

TEST_F(ChainApplicationTest, random_lists_are_left_with_what_can_follow_one_after_the_other) {
    std::mt19937_64 random{heddle::test::announced_seed(1)};
    for (int round = 0; round < 8; ++round) {
        const BlockPlan wanted = plan();
        Proposal list;
        for (std::uint64_t i = 0; i < 10; ++i) {
            const std::size_t from = random() % 4;
            const std::uint64_t nonce = random() % 3;
            const auto kind = random() % 3;
            list.transactions.push_back(kind == 0   ? transfer(from, nonce, 5)
                                        : kind == 1 ? count(from, nonce)
                                                    : burn(from, nonce));
        }
        // The plain way: each is tried behind those that were good, as a whole block.
        Proposal good;
        for (const Transaction& tx : list.transactions) {
            good.transactions.push_back(tx);
            if (!finalize(block_of(wanted, good)).has_value()) good.transactions.pop_back();
        }
        const auto expected = finalize(block_of(wanted, good));
        const auto finalized = finalize(block_of(wanted, list), Unexecutable::left_out);

        ASSERT_TRUE(expected.has_value() && finalized.has_value());
        EXPECT_EQ(finalized->hash, expected->hash);
        EXPECT_EQ(finalized->left_out.size() + good.transactions.size(), list.transactions.size());
    }
}

TEST_F(ChainApplicationTest, a_list_that_others_decided_takes_nothing_out_of_the_pool) {
    pool(transfer(3, 0, 4));
    const BlockPlan wanted = plan();
    Proposal list;
    list.transactions = {transfer(3, 0, 4), transfer(3, 0, 4)};

    ASSERT_TRUE(finalize(block_of(wanted, list), Unexecutable::left_out).has_value());

    EXPECT_EQ(node_.mempool().status().pending, 1u);
}

TEST_F(ChainApplicationTest, counts_what_was_declared_wrongly) {
    for (std::size_t i = 0; i < 3; ++i)
        pool(count(i, 0));
    const BlockPlan wanted = plan();
    auto proposal = application_.prepare(wanted);
    ASSERT_TRUE(proposal.has_value());
    Proposal lying = *proposal;
    lying.object_sets[1] = {};
    Proposal silent = *proposal;
    silent.object_sets.clear();
    Proposal unexecutable = lying;
    unexecutable.transactions.insert(unexecutable.transactions.begin(), transfer(7, 9, 0));
    unexecutable.object_sets.insert(unexecutable.object_sets.begin(), ObjectSet{});

    const auto honest = finalize(block_of(wanted, *proposal), Unexecutable::left_out);
    const auto lied = finalize(block_of(wanted, lying), Unexecutable::left_out);
    const auto unsaid = finalize(block_of(wanted, silent), Unexecutable::left_out);
    const auto mixed = finalize(block_of(wanted, unexecutable), Unexecutable::left_out);

    ASSERT_TRUE(honest && lied && unsaid && mixed);
    EXPECT_EQ(honest->wrongly_declared, 0u);
    EXPECT_EQ(lied->wrongly_declared, 1u);
    EXPECT_EQ(unsaid->wrongly_declared, 0u);
    EXPECT_EQ(mixed->wrongly_declared, 1u);
    EXPECT_EQ(lied->hash, honest->hash);
    EXPECT_EQ(mixed->hash, honest->hash);
}

TEST_F(ChainApplicationTest, blocks_are_filled_up_to_their_gas_limit) {
    for (std::uint64_t nonce = 0; nonce < 10; ++nonce)
        pool(transfer(0, nonce, 1));
    BlockPlan small = plan();
    small.gas_limit = 5 * 21'000 + 20'999;

    const auto proposal = application_.prepare(small);

    ASSERT_TRUE(proposal.has_value());
    EXPECT_EQ(proposal->transactions.size(), 5u);
}

TEST_F(ChainApplicationTest, proposals_stay_within_their_bytes) {
    for (std::uint64_t nonce = 0; nonce < 10; ++nonce)
        pool(transfer(0, nonce, 1));
    BlockPlan small = plan();
    small.max_bytes = 3 * bytes_in_block(transfer(0, 0, 1)) + 2;

    const auto proposal = application_.prepare(small);

    ASSERT_TRUE(proposal.has_value());
    EXPECT_EQ(proposal->transactions.size(), 3u);
}

TEST_F(ChainApplicationTest, process_refuses_what_is_malformed_and_nothing_else) {
    const BlockPlan wanted = plan();
    const auto refusal = [this](const BlockPlan& of, Proposal proposal) {
        const auto judged = application_.process(of, proposal);
        return judged.has_value() ? std::string{} : to_string(judged.error());
    };
    // What is merely unexecutable:
    EXPECT_EQ(refusal(wanted, {{transfer(0, 99, 1)}, {ObjectSet{}}}), "");
    Transaction mean = transfer(0, 0, 1);
    mean.max_fee_per_gas = mean.max_priority_fee_per_gas = Uint256{};
    ASSERT_TRUE(sign_transaction(mean, dev_accounts()[0].secret));
    EXPECT_EQ(refusal(wanted, {{mean}, {}}), "");

    EXPECT_EQ(refusal(wanted, {{transfer(0, 0, 1)}, {{}, {}}}),
              "there are 2 object sets for 1 transactions");
    Transaction foreign = transfer(0, 0, 1);
    foreign.chain_id = 1;
    EXPECT_EQ(refusal(wanted, {{foreign}, {}}),
              "transaction 0: " + std::string{to_string(TransactionError::chain_id_mismatch)});
    Transaction of_nobody = transfer(0, 0, 1);
    of_nobody.sender.reset();
    of_nobody.r = Uint256{5};  // no point of the curve has this abscissa
    EXPECT_EQ(refusal(wanted, {{of_nobody}, {}}),
              "transaction 0: " + std::string{to_string(TransactionError::invalid_signature)});
    BlockPlan late = wanted;
    late.timestamp = chain_.head().header.timestamp;
    EXPECT_EQ(refusal(late, {}), "") << "the development chain may repeat timestamps";
    const std::string head_time = std::to_string(late.timestamp--);
    EXPECT_EQ(refusal(late, {}), "the timestamp " + std::to_string(late.timestamp) +
                                     " is not above the parent's, " + head_time);
    BlockPlan small = wanted;
    small.max_bytes = 10;
    EXPECT_EQ(refusal(small, {{transfer(0, 0, 1)}, {}}),
              "the transactions take more than 10 bytes");
}

TEST_F(ChainApplicationTest, process_fills_in_the_senders) {
    pool(transfer(3, 0, 4));
    Proposal proposal{{transfer(3, 0, 4), transfer(2, 0, 4)}, {}};
    for (Transaction& tx : proposal.transactions)
        tx.sender.reset();

    ASSERT_TRUE(application_.process(plan(), proposal).has_value());

    EXPECT_EQ(proposal.transactions[0].sender, dev_accounts()[3].address);
    EXPECT_EQ(proposal.transactions[1].sender, dev_accounts()[2].address);
}

TEST_F(ChainApplicationTest, tells_of_each_block_once_it_is_the_head) {
    std::vector<std::uint64_t> told;
    const auto subscription = chain_.heads().subscribe([&](const SharedBlock& block) {
        EXPECT_EQ(block->hash, chain_.head().hash);
        told.push_back(block->block.header.number);
    });

    make_block();
    make_block();

    EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2}));
}

TEST(DevChain, funds_the_accounts_that_everybody_knows) {
    // The first account of the mnemonic, as hardhat and anvil print it.
    EXPECT_EQ(to_checksum_string(dev_accounts()[0].address),
              "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    EXPECT_EQ(to_checksum_string(dev_accounts()[9].address),
              "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720");
}

}  // namespace
}  // namespace heddle::node
