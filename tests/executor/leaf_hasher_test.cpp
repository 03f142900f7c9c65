// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/leaf_hasher.hpp"

#include <vector>

#include <gtest/gtest.h>

#include <vm/block.hpp>

namespace heddle::executor {
namespace {

class LeafHasherTest : public testing::Test {
protected:
    std::vector<Receipt> receipts_{40};
    std::vector<Transaction> transactions_{40};
    WorkerParking parking_;
    BlockLeaves leaves_;
    LeafMaker maker_;

    void SetUp() override {
        leaves_.begin(transactions_.size());
        leaves_.receipts.begin(receipts_.size(), true);
        for (std::size_t i = 0; i < receipts_.size(); ++i) {
            receipts_[i].cumulative_gas_used = 21'000 * (i + 1);
            transactions_[i].nonce = i;
        }
    }
    void expect_roots() {
        EXPECT_EQ(leaves_.receipts.root(receipts_), vm::receipts_root(receipts_));
        EXPECT_EQ(vm::transactions_root(transactions_, leaves_.of_transactions(40)),
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
