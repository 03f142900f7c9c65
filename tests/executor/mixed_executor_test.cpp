// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which executor runs a block.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "comes_true.hpp"
#include "forwarding_state.hpp"
#include "parallel_executor_fixture.hpp"

namespace heddle::executor {
namespace {

using MixedExecutorTest = ParallelExecutorTest;

/// In memory. Whoever executes waits at an account until others have read some, too.
class AwaitingState final : public test::ForwardingState {
public:
    explicit AwaitingState(const StateView& state)
        : ForwardingState(state), executing_(std::this_thread::get_id()) {}

    /// At that read of who executes; what others have read before this call does not count.
    void await(std::size_t from) {
        reads_of_others_ = reads_ = 0;
        from_ = from;
        has_waited_ = false;
    }

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        if (std::this_thread::get_id() != executing_)
            reads_of_others_.fetch_add(1);
        else if (reads_++ == from_)
            has_waited_ = heddle::test::comes_true([this] { return reads_of_others_.load() != 0; });
        return ForwardingState::account(address);
    }
    [[nodiscard]] bool is_in_memory() const noexcept override { return true; }

    [[nodiscard]] bool has_waited() const noexcept { return has_waited_; }

private:
    const std::thread::id executing_;
    std::size_t from_ = 0;
    mutable std::size_t reads_ = 0;
    mutable std::atomic<std::size_t> reads_of_others_ = 0;
    mutable bool has_waited_ = false;
};

TEST_F(MixedExecutorTest, workers_read_ahead_for_the_one_that_executes_a_light_block) {
    const test::FakeState before = state_;
    const FinishedBlock made = light_block();
    state_ = before;
    for (const Transaction& tx : made.block.transactions)
        state_.set_balance(*tx.sender, kEther * kEther);
    const AwaitingState awaiting(state_);
    Options options;
    options.parallel = workers(2);
    executor_ = make_executor(kDefaultScheduler, std::move(options));
    executor_->start({config_, awaiting, hashes_, sink_}, make_chain_head(genesis_, Uint256{}));

    ASSERT_TRUE(run(*executor_, make_ordered_block(made.block)).has_value());

    EXPECT_EQ(drained().head_hash, header_hash(made.block.header));
    EXPECT_TRUE(awaiting.has_waited());
}

TEST_F(MixedExecutorTest, workers_read_ahead_again_when_it_is_of_use_again) {
    const auto transfers = [this](std::uint64_t first, std::uint64_t count, std::uint64_t nonce) {
        std::vector<Transaction> result;
        for (std::uint64_t i = first; i < first + count; ++i) {
            Transaction& tx = result.emplace_back(transfer(0));
            tx.sender = address_from_low64(0xa'0000 + i);
            tx.nonce = nonce;
        }
        return result;
    };
    const auto enrich = [this] {
        for (std::uint64_t i = 0; i < 600; ++i)
            state_.set_balance(address_from_low64(0xa'0000 + i), kEther * kEther);
    };
    const test::FakeState before = state_;
    enrich();
    start(workers(1));
    ASSERT_TRUE(propose(transfers(0, 300, 0)));
    ASSERT_TRUE(propose(transfers(0, 300, 1)));
    std::vector<Transaction> some_new = transfers(0, 160, 2);
    std::ranges::move(transfers(300, 140, 0), std::back_inserter(some_new));
    ASSERT_TRUE(propose(std::move(some_new)));
    static_cast<void>(drained());
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < 3; ++i) {
        blocks.push_back(sink_.blocks[i].block);
        blocks.back().header = made_[i];
    }
    state_ = before;
    enrich();
    AwaitingState awaiting(state_);
    Options options;
    options.parallel = workers(2);
    executor_ = make_executor(kDefaultScheduler, std::move(options));
    executor_->start({config_, awaiting, hashes_, sink_}, make_chain_head(genesis_, Uint256{}));
    for (const Block& block : {blocks[0], blocks[1]})
        ASSERT_TRUE(run(*executor_, make_ordered_block(block)).has_value());
    static_cast<void>(drained());

    // The first sixteen that are new have shown it when the next ones are read.
    awaiting.await(16 + 4);
    ASSERT_TRUE(run(*executor_, make_ordered_block(blocks[2])).has_value());

    EXPECT_EQ(drained().head_hash, header_hash(blocks[2].header));
    EXPECT_TRUE(awaiting.has_waited());
}

TEST_F(MixedExecutorTest, small_blocks_one_by_one_are_left_to_the_serial_executor) {
    start(workers(2));
    EXPECT_EQ(drained().head_number, 0u) << "nothing has begun";

    for (std::uint64_t number = 1; number <= 3; ++number) {
        ASSERT_TRUE(propose(2, 2));
        EXPECT_EQ(drained().head_number, number);
    }

    EXPECT_EQ(drained().stats.transactions, 6u);
    EXPECT_EQ(drained().stats.parallel.dispatched, 0u);
}

TEST_F(MixedExecutorTest, a_stream_goes_on_in_parallel_from_where_small_blocks_end) {
    start(workers(2));
    ASSERT_TRUE(propose(2, 2));
    ASSERT_TRUE(propose(20));
    ASSERT_TRUE(propose(2, 2));

    Summary summary = drained();
    EXPECT_EQ(summary.head_number, 3u);
    EXPECT_EQ(summary.stats.blocks, 3u);
    EXPECT_EQ(summary.stats.transactions, 24u);
    EXPECT_EQ(summary.stats.gas_used, 24 * 21'000u);
    EXPECT_EQ(summary.stats.parallel.dispatched, 22u) << "all but the first block's";

    ASSERT_TRUE(propose(2, 2));
    EXPECT_EQ(drained().stats.parallel.dispatched, 24u) << "what is parallel stays so";
    EXPECT_EQ(sink_.blocks.size(), 4u);
}

TEST_F(MixedExecutorTest, a_small_block_behind_another_is_not_alone) {
    start(workers(2));
    ASSERT_TRUE(propose(2, 2));
    ASSERT_TRUE(propose(2, 2));

    EXPECT_EQ(drained().stats.parallel.dispatched, 2u);
}

TEST_F(MixedExecutorTest, plain_transfers_are_one_threads_where_nothing_waits_for_a_disk) {
    const test::FakeState before = state_;
    const FinishedBlock made = light_block();
    test::FakeState rich = before;
    for (const Transaction& tx : made.block.transactions)
        rich.set_balance(*tx.sender, kEther * kEther);

    rich.is_in_store = true;
    EXPECT_EQ(dispatched_of(made, rich), 300u);
    rich.is_in_store = false;
    EXPECT_EQ(dispatched_of(made, rich), 0u);
}

TEST_F(MixedExecutorTest, many_workers_run_plain_transfers_from_a_list_that_they_must_have) {
    const test::FakeState before = state_;
    const FinishedBlock made = light_block();
    ASSERT_FALSE(made.access_list.empty());
    test::FakeState rich = before;
    for (const Transaction& tx : made.block.transactions)
        rich.set_balance(*tx.sender, kEther * kEther);
    rich.is_in_store = false;
    struct Case {
        unsigned count;
        bool makes_lists;
        std::uint64_t listed;
    };
    for (const Case c : {Case{4, true, 1}, Case{4, false, 0}, Case{3, true, 0}, Case{2, true, 0}}) {
        SCOPED_TRACE(testing::Message() << c.count << ' ' << c.makes_lists);
        ParallelOptions knowing = workers(c.count);
        knowing.knowledge = Knowledge::values;
        state_ = rich;
        start(knowing, c.makes_lists);

        OrderedBlock block = make_ordered_block(made.block);
        block.start.access_list = made.access_list;
        ASSERT_TRUE(run(*executor_, std::move(block)).has_value());

        const Summary summary = drained();
        EXPECT_EQ(summary.head_hash, header_hash(made.block.header));
        EXPECT_EQ(sink_.blocks.back().receipts, made.receipts);
        EXPECT_EQ(sink_.blocks.back().access_list.empty(), !c.makes_lists);
        EXPECT_EQ(summary.stats.parallel.listed_blocks, c.listed);
        EXPECT_EQ(summary.stats.parallel.dispatched, c.listed * 300);
    }
}

TEST_F(MixedExecutorTest, a_stream_goes_on_in_parallel_from_where_light_blocks_end) {
    start(workers(1));
    for (const std::size_t data_bytes : {0u, 2'000u, 0u}) {
        std::vector<Transaction> transactions;
        for (std::size_t i = 0; i < 200; ++i) {
            Transaction tx = transfer(i, 21'000 + 16 * data_bytes);
            tx.data.assign(data_bytes, 1);
            transactions.push_back(std::move(tx));
        }
        ASSERT_TRUE(propose(std::move(transactions)));
        static_cast<void>(drained());
    }
    const auto in_order = state_.accounts;
    std::vector<Block> made;
    for (std::size_t i = 0; i < 3; ++i) {
        made.push_back(sink_.blocks[i].block);
        made.back().header = made_[i];
    }
    ASSERT_GT(made[1].header.gas_used, 200 * 30'000u) << "not a light one";
    test::FakeState rich;
    for (const Block& block : made)
        for (const Transaction& tx : block.transactions)
            rich.set_balance(*tx.sender, kEther * kEther);
    rich.is_in_store = false;
    state_ = rich;

    start(workers(2));
    // All of them pay the same accounts.
    for (const Block& block : made)
        ASSERT_TRUE(run(*executor_, make_ordered_block(block)).has_value());

    const Summary summary = drained();
    EXPECT_EQ(summary.head_hash, header_hash(made.back().header));
    EXPECT_EQ(state_.accounts, in_order);
    EXPECT_EQ(summary.stats.parallel.dispatched, 400u) << "all but the first block's";
}

TEST_F(MixedExecutorTest, one_worker_is_the_serial_executor_unless_the_dag_is_asked_for) {
    start(workers(1));
    ASSERT_TRUE(propose(20));
    EXPECT_EQ(drained().stats.parallel.dispatched, 0u);

    ParallelOptions always = workers(1);
    always.run_chains_inline = false;
    start(always);
    ASSERT_TRUE(propose(20));
    EXPECT_EQ(drained().stats.parallel.dispatched, 20u);
}

}  // namespace
}  // namespace heddle::executor
