// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/leaf_hasher.hpp"

#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <vm/block.hpp>

namespace heddle::executor {
namespace {

class LeafHasherTest : public testing::Test {
protected:
    std::vector<Receipt> receipts_;
    std::vector<Transaction> transactions_;
    WorkerParking parking_;
    BlockLeaves leaves_;
    LeafMaker maker_;

    void SetUp() override { begin(40); }
    void begin(std::size_t count) {
        receipts_.assign(count, {});
        transactions_.assign(count, {});
        leaves_.begin(count);
        leaves_.receipts.begin(count, true);
        for (std::size_t i = 0; i < receipts_.size(); ++i) {
            receipts_[i].cumulative_gas_used = 21'000 * (i + 1);
            transactions_[i].nonce = i;
        }
    }
    /// Publishes all, in two parts. @return how many leaves had to be hashed again.
    std::size_t publish_all(std::size_t transactions_first, std::size_t receipts_first) {
        LeafHasher hasher{&parking_};
        hasher.publish(leaves_, std::span{transactions_}.first(transactions_first), false, maker_);
        hasher.publish(leaves_, transactions_, true, maker_);
        hasher.publish(leaves_, std::span{receipts_}.first(receipts_first), false, maker_);
        hasher.publish(leaves_, receipts_, true, maker_);
        hasher.finish(leaves_, maker_);
        return leaves_.correct(transactions_, maker_) + leaves_.receipts.correct(receipts_, maker_);
    }
    void expect_roots() {
        EXPECT_EQ(leaves_.receipts.root(receipts_.size()), vm::receipts_root(receipts_));
        EXPECT_EQ(root_of_leaves(leaves_.of_transactions(transactions_.size())),
                  vm::transactions_root(transactions_));
    }
};

TEST_F(LeafHasherTest, others_hash_what_is_published) {
    LeafHasher hasher{&parking_};
    hasher.publish(leaves_, transactions_, true, maker_);
    hasher.publish(leaves_, receipts_, true, maker_);
    EXPECT_TRUE(hasher.has_work());

    unsigned batches = 0;
    LeafMaker of_another;
    while (hasher.run_once(of_another))
        ++batches;

    EXPECT_EQ(batches, 6u) << "16, 16 and 8 of each";
    EXPECT_FALSE(hasher.has_work());
    expect_roots();
}

TEST_F(LeafHasherTest, a_few_are_kept_back_until_there_are_enough_or_no_more) {
    LeafHasher hasher{&parking_};
    hasher.publish(leaves_, std::span{receipts_}.first(15), false, maker_);
    EXPECT_FALSE(hasher.has_work());
    hasher.publish(leaves_, std::span{receipts_}.first(16), false, maker_);
    EXPECT_TRUE(hasher.has_work());

    hasher.publish(leaves_, receipts_, true, maker_);
    hasher.publish(leaves_, transactions_, true, maker_);
    hasher.finish(leaves_, maker_);

    EXPECT_FALSE(hasher.has_work());
    expect_roots();
}

TEST_F(LeafHasherTest, no_leaf_is_hashed_twice_where_their_number_is_told_ahead) {
    for (const std::size_t count : {1u, 2u, 16u, 17u, 33u, 40u, 128u, 129u, 130u, 145u}) {
        begin(count);
        EXPECT_EQ(publish_all(count / 2, count - 1), 0u) << count;
        expect_roots();
    }
}

TEST_F(LeafHasherTest, no_leaf_is_hashed_twice_of_so_few_that_all_are_kept_back) {
    for (const std::size_t announced : {0u, 1u, 7u, 200u}) {
        begin(15);
        leaves_.begin(announced);
        leaves_.reserve(15);
        EXPECT_EQ(publish_all(14, 15), 0u) << announced;
        expect_roots();
    }
}

TEST_F(LeafHasherTest, what_was_hashed_for_another_number_is_hashed_again) {
    leaves_.begin(17);
    leaves_.reserve(40);
    EXPECT_EQ(publish_all(32, 32), 2u) << "the 17th of each";
    expect_roots();

    begin(40);
    leaves_.begin(0);
    EXPECT_EQ(publish_all(39, 15), 1u) << "the first transaction, which was not kept back";
    expect_roots();
}

TEST_F(LeafHasherTest, what_nobody_else_is_to_do_is_done_at_once) {
    LeafHasher alone{nullptr};
    alone.publish(leaves_, transactions_, true, maker_);
    LeafHasher hasher{&parking_};
    leaves_.are_shared = false;
    hasher.publish(leaves_, receipts_, true, maker_);

    EXPECT_FALSE(hasher.has_work());
    expect_roots();
}

}  // namespace
}  // namespace heddle::executor
