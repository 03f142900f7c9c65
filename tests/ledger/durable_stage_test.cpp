// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are held between stage() and publish(): nobody sees them, and whatever is asked in
// between leaves them as they are. The same of what is only foreseen, whatever comes then.

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <ledger/snapshot.hpp>
#include <ledger/state_root.hpp>

#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

using test::expect_stands_at;
using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

class DurableStageTest : public testing::Test {
protected:
    FinishedBlock child() { return twin_.child(random_, TwinChain::random_diff(random_)); }

    /// What is asked while a block is held: proofs and roots on the head and below.
    void ask(DurableLedger& ledger) {
        const std::uint64_t head = twin_.head();
        const std::uint64_t number = random_.below(head + 1);
        const StateDiff diff = TwinChain::random_diff(random_);
        const auto root = ledger.state_root_with(number, diff);
        ASSERT_TRUE(root.has_value()) << to_string(root.error());
        StateTrie expected(twin_.state(number));
        EXPECT_EQ(*root, expected.apply(diff));

        const Address address = address_from_low64(1 + random_.below(TwinChain::kAddresses));
        const auto proof = ledger.prove(number, address, {1, 2});
        ASSERT_TRUE(proof.has_value()) << to_string(proof.error());
        const StateTrie trie(twin_.state(number));
        EXPECT_EQ(proof->account, twin_.state(number).account(address));
        EXPECT_EQ(proof->storage_root, trie.storage_root(address));
    }

    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
    Random random_{53};
    TwinChain twin_;
};

TEST_F(DurableStageTest, a_block_that_is_held_is_not_seen) {
    const auto ledger = must_create(options_for(directory_));
    must_commit(*ledger, twin_.grow(random_));
    const FinishedBlock block = child();

    const auto root = ledger->stage(block);

    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(*root, block.block.header.state_root);
    expect_stands_at(*ledger, twin_, 1);
    EXPECT_FALSE(ledger->header(2).value().has_value());

    ledger->publish();
    twin_.accept(block);
    expect_stands_at(*ledger, twin_, 2);
}

TEST_F(DurableStageTest, a_chain_of_held_blocks_is_that_of_committed_ones) {
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 60; ++i) {
        // Some are dropped, by another one or by themselves.
        for (std::uint64_t dropped = random_.below(3); dropped != 0; --dropped) {
            ASSERT_TRUE(ledger->stage(child()).has_value());
            if (random_.one_in(2)) ask(*ledger);
            if (random_.one_in(2)) ledger->unstage();
        }
        const FinishedBlock block = child();
        ASSERT_TRUE(ledger->stage(block).has_value());
        for (std::uint64_t questions = random_.below(3); questions != 0; --questions)
            ask(*ledger);
        ledger->publish();
        twin_.accept(block);
        if (i % 10 == 9) {
            expect_stands_at(*ledger, twin_, twin_.head());
            if (HasFatalFailure()) return;
        }
        if (i % 25 == 24) {
            ledger.reset();
            ledger = must_open(options_for(directory_));
            expect_stands_at(*ledger, twin_, twin_.head());
        }
    }
}

TEST_F(DurableStageTest, a_block_with_a_wrong_root_is_not_held) {
    const auto ledger = must_create(options_for(directory_));
    FinishedBlock wrong = child();
    wrong.block.header.state_root.bytes[0] ^= 1;

    const auto refused = ledger->stage(std::move(wrong));

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, BlockErrorCode::state_root_mismatch);
    must_commit(*ledger, twin_.grow(random_));
    expect_stands_at(*ledger, twin_, 1);
}

TEST_F(DurableStageTest, closing_drops_what_is_held) {
    auto ledger = must_create(options_for(directory_));
    must_commit(*ledger, twin_.grow(random_));
    ASSERT_TRUE(ledger->stage(child()).has_value());

    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();
    ledger = must_open(options_for(directory_));

    expect_stands_at(*ledger, twin_, 1);
    must_commit(*ledger, twin_.grow(random_));
    expect_stands_at(*ledger, twin_, 2);
}

TEST_F(DurableStageTest, what_is_foreseen_and_comes_is_computed_once) {
    const auto ledger = must_create(options_for(directory_));
    const FinishedBlock block = child();

    ledger->foresee(block.block.header.parent_hash, block.diff);
    expect_stands_at(*ledger, twin_, 0);
    must_commit(*ledger, block);
    twin_.accept(block);

    expect_stands_at(*ledger, twin_, 1);
    EXPECT_EQ(ledger->stats().roots_foreseen, 1u);
    EXPECT_EQ(ledger->stats().roots_taken_back, 0u);
}

TEST_F(DurableStageTest, what_is_foreseen_of_another_block_than_the_heads_child_is_not_looked_at) {
    const auto ledger = must_create(options_for(directory_));
    FinishedBlock block = child();

    ledger->foresee(keccak256(Bytes{1}), block.diff);
    ASSERT_TRUE(ledger->stage(block).has_value());
    ledger->foresee(block.block.header.parent_hash, block.diff);
    ledger->publish();
    twin_.accept(std::move(block));

    expect_stands_at(*ledger, twin_, 1);
    EXPECT_EQ(ledger->stats().roots_foreseen, 0u);
}

TEST_F(DurableStageTest, a_wrong_root_of_what_was_foreseen_leaves_no_trace) {
    const auto ledger = must_create(options_for(directory_));
    FinishedBlock wrong = child();
    wrong.block.header.state_root.bytes[0] ^= 1;

    ledger->foresee(wrong.block.header.parent_hash, wrong.diff);
    const auto refused = ledger->stage(std::move(wrong));

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, BlockErrorCode::state_root_mismatch);
    must_commit(*ledger, twin_.grow(random_));
    expect_stands_at(*ledger, twin_, 1);
}

TEST_F(DurableStageTest, a_chain_is_the_same_whatever_is_foreseen_of_it) {
    auto ledger = must_create(options_for(directory_));
    std::uint64_t right = 0;
    std::uint64_t taken_back = 0;
    for (int i = 0; i < 80; ++i) {
        const FinishedBlock block = child();
        const Hash& parent = block.block.header.parent_hash;
        for (std::uint64_t wrong = random_.below(3); wrong != 0; --wrong) {
            ledger->foresee(parent, TwinChain::random_diff(random_));
            if (random_.one_in(3)) ask(*ledger);
            if (random_.one_in(4)) ledger->unstage();
            if (random_.one_in(8)) ASSERT_TRUE(ledger->begin_snapshot().has_value());
            // Its place in the chain is taken by what comes then.
            if (random_.one_in(4)) ASSERT_TRUE(ledger->stage(child()).has_value());
        }
        if (random_.one_in(2)) {
            ledger->unstage();
            ledger->foresee(parent, block.diff);
            if (random_.one_in(3)) ask(*ledger);
            ++right;
        }
        ASSERT_TRUE(ledger->stage(block).has_value());
        if (random_.one_in(3)) ask(*ledger);
        ledger->publish();
        twin_.accept(block);
        if (i % 10 == 9) {
            expect_stands_at(*ledger, twin_, twin_.head());
            if (HasFatalFailure()) return;
        }
        if (i % 20 == 19) {
            // What is foreseen last never comes.
            ledger->foresee(ledger->head().hash, TwinChain::random_diff(random_));
            ASSERT_TRUE(ledger->close().has_value());
            taken_back += ledger->stats().roots_taken_back;
            ledger.reset();
            ledger = must_open(options_for(directory_));
            expect_stands_at(*ledger, twin_, twin_.head());
        }
    }
    EXPECT_GE(right, 20u);
    EXPECT_GE(taken_back, 20u);
}

}  // namespace
}  // namespace heddle::ledger
