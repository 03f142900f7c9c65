// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Leaves of a block's tries are hashed ahead of its end, by every scheduler, for as many as the
// block is said to have.
#include <string>
#include <utility>

#include "parallel_executor_fixture.hpp"

namespace heddle::executor {
namespace {

class LeavesAheadTest : public ParallelExecutorTest {
protected:
    /// A block of transfers with its header and its list.
    FinishedBlock made_of(std::size_t transfers) {
        state_ = {};
        start(workers(1), true);
        EXPECT_TRUE(propose(transfers));
        static_cast<void>(drained());
        FinishedBlock made = std::move(sink_.blocks.back());
        made.block.header = made_.back();
        return made;
    }
    /// @param announced  How many transactions the block is said to have.
    /// @return how many leaves were hashed again until it was accepted.
    std::uint64_t hashed_again(const FinishedBlock& made, const std::string& scheduler,
                               std::size_t announced, bool has_list) {
        state_ = {};
        for (const Transaction& tx : made.block.transactions)
            state_.set_balance(*tx.sender, kEther * kEther);
        Options options;
        options.parallel = workers(2);
        options.parallel.run_chains_inline = false;
        executor_ = make_executor(scheduler, std::move(options));
        start_on(*executor_);
        OrderedBlock block = make_ordered_block(made.block);
        block.start.transaction_count = announced;
        block.start.are_senders_known = true;
        if (has_list) block.start.access_list = made.access_list;
        EXPECT_TRUE(executor_->begin_block(std::move(block.start)).has_value());
        for (Transaction& tx : block.transactions)
            executor_->submit(std::move(tx));
        executor_->end_block();
        const Summary summary = drained();
        EXPECT_EQ(summary.head_hash, header_hash(made.block.header));
        return summary.stats.leaves_hashed_again;
    }
};

TEST_F(LeavesAheadTest, no_scheduler_hashes_a_leaf_twice_of_a_block_that_says_how_many_there_are) {
    for (const std::size_t count : {1u, 2u, 16u, 17u, 33u, 128u, 129u, 145u}) {
        const FinishedBlock made = made_of(count);
        for (const std::string& scheduler : scheduler_names())
            for (const bool has_list : {false, true})
                EXPECT_EQ(hashed_again(made, scheduler, count, has_list), 0u)
                    << scheduler << ", " << count;
    }
}

TEST_F(LeavesAheadTest, a_block_with_other_transactions_than_it_said_is_the_same_block) {
    for (const std::size_t count : {1u, 16u, 33u, 129u}) {
        const FinishedBlock made = made_of(count);
        for (const std::string& scheduler : scheduler_names())
            for (const std::size_t announced :
                 {std::size_t{0}, count - 1, count + 1, std::size_t{17}, std::size_t{300}})
                EXPECT_LE(hashed_again(made, scheduler, announced, false), 4u)
                    << scheduler << ", " << count << ", not " << announced;
    }
}

TEST_F(LeavesAheadTest, leaves_that_were_believed_to_be_the_last_are_counted) {
    const FinishedBlock made = made_of(40);
    EXPECT_EQ(hashed_again(made, std::string{kDagScheduler}, 17, false), 2u) << "of both tries";
    EXPECT_EQ(hashed_again(made, std::string{kSerialScheduler}, 17, false), 0u);
}

TEST_F(LeavesAheadTest, a_block_that_is_made_knows_how_many_it_was_given) {
    for (const std::string& scheduler : scheduler_names()) {
        Options options;
        options.parallel = workers(2);
        options.parallel.run_chains_inline = false;
        executor_ = make_executor(scheduler, std::move(options));
        start_on(*executor_);
        EXPECT_TRUE(propose(40, 17));
        EXPECT_EQ(drained().stats.leaves_hashed_again, 0u) << scheduler;
    }
}

}  // namespace
}  // namespace heddle::executor
