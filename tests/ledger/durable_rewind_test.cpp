// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks taken back while the ledger is open: whatever came after them leaves no trace, in memory
// or on the disk.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <ledger/snapshot.hpp>

#include "copied_folder.hpp"
#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

using test::expect_same_state;
using test::expect_stands_at;
using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

class DurableRewindTest : public testing::Test {
protected:
    void grow(DurableLedger& ledger, int blocks) {
        for (int i = 0; i < blocks; ++i)
            must_commit(ledger, twin_->grow(random_));
    }

    /// Both chains.
    void rewind(DurableLedger& ledger, std::uint64_t number) {
        const auto done = ledger.rewind(number);
        ASSERT_TRUE(done.has_value()) << to_string(done.error());
        auto shorter = std::make_unique<TwinChain>();
        for (std::uint64_t i = 1; i <= number; ++i)
            shorter->accept(twin_->block(i));
        twin_ = std::move(shorter);
    }

    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
    Random random_{71};
    std::unique_ptr<TwinChain> twin_ = std::make_unique<TwinChain>();
};

TEST_F(DurableRewindTest, the_head_and_its_state_are_those_of_the_block) {
    const auto ledger = must_create(options_for(directory_));
    grow(*ledger, 3);
    const Hash dropped = ledger->head().hash;
    const Hash transaction = [&] {
        for (std::uint64_t number = 3; number > 1; --number)
            for (const Transaction& tx : twin_->block(number).block.transactions)
                return transaction_hash(tx);
        return Hash{};
    }();

    rewind(*ledger, 1);

    expect_stands_at(*ledger, *twin_, 1);
    EXPECT_FALSE(ledger->block(2).value().has_value());
    EXPECT_FALSE(ledger->header(3).value().has_value());
    EXPECT_FALSE(ledger->block_number(dropped).value().has_value());
    EXPECT_FALSE(ledger->find_transaction(transaction).value().has_value());
    EXPECT_EQ(ledger->block_hash(0), twin_->committed(0).hash);
}

class DurableRewindSizeTest : public DurableRewindTest,
                              public testing::WithParamInterface<std::size_t> {};

TEST_P(DurableRewindSizeTest, another_chain_grows_where_blocks_were_taken_back) {
    DurableLedgerOptions options = options_for(directory_);
    options.memory_bytes = GetParam();
    auto ledger = must_create(options);
    // Below and above the last checkpoint, which comes every fourth block; also whole chains.
    for (int round = 0; round < 40; ++round) {
        grow(*ledger, static_cast<int>(1 + random_.below(9)));
        ASSERT_FALSE(HasFatalFailure());
        const std::uint64_t most = random_.one_in(8) ? twin_->head() : 10;
        const std::uint64_t back = random_.below(std::min(most, twin_->head()) + 1);
        rewind(*ledger, twin_->head() - back);
        ASSERT_FALSE(HasFatalFailure());
        expect_stands_at(*ledger, *twin_, twin_->head());
        ASSERT_FALSE(HasFatalFailure()) << "round " << round;
        for (std::uint64_t number = 0; number <= twin_->head(); ++number) {
            const auto past = ledger->state_at(number);
            ASSERT_TRUE(past.has_value()) << to_string(past.error());
            expect_same_state(**past, twin_->state(number));
            ASSERT_FALSE(HasFatalFailure()) << "state " << number << " in round " << round;
        }
        if (round % 10 != 9) continue;
        ledger.reset();
        ledger = must_open(options);
        expect_stands_at(*ledger, *twin_, twin_->head());
    }
}

/// The smaller one holds nothing of the tries from one step to the next.
INSTANTIATE_TEST_SUITE_P(Memory, DurableRewindSizeTest,
                         testing::Values(std::size_t{64} << 20, std::size_t{1} << 10),
                         [](const auto& size) { return std::to_string(size.param) + "_bytes"; });

TEST_F(DurableRewindTest, more_blocks_go_than_one_step_takes) {
    const auto ledger = must_create(options_for(directory_));
    grow(*ledger, 2);
    grow(*ledger, 300);  // and more than hashes are kept of

    rewind(*ledger, 2);

    expect_stands_at(*ledger, *twin_, 2);
    grow(*ledger, 5);
    expect_stands_at(*ledger, *twin_, 7);
    EXPECT_EQ(ledger->block_hash(1), twin_->committed(1).hash);
}

TEST_F(DurableRewindTest, a_state_handed_out_before_stays_what_it_is) {
    const auto ledger = must_create(options_for(directory_));
    grow(*ledger, 6);
    const auto kept = ledger->state_at(6).value();
    const MemoryState before = twin_->state(6);

    rewind(*ledger, 2);
    grow(*ledger, 7);

    expect_same_state(*kept, before);
}

// Whoever waited for a block that was taken back meanwhile waited for ever.
TEST_F(DurableRewindTest, who_waits_for_a_block_has_it_or_is_told_that_it_is_gone) {
    DurableLedgerOptions options = options_for(directory_);
    options.sync = {.blocks = 1'000'000, .interval = std::chrono::hours{24}};
    const auto ledger = must_create(options);
    for (int round = 0; round < 30; ++round) {
        grow(*ledger, 3);
        ASSERT_FALSE(HasFatalFailure());
        const std::uint64_t head = twin_->head();
        std::latch ready{3};
        const auto waiting = [&](auto wait) {
            return std::jthread{[&ready, wait] {
                ready.arrive_and_wait();
                const std::expected<void, LedgerError> waited = wait();
                if (!waited.has_value()) EXPECT_EQ(waited.error().code, LedgerErrorCode::invalid);
            }};
        };
        const std::jthread durable = waiting([&] { return ledger->wait_durable(head); });
        const std::jthread written = waiting([&] { return ledger->wait_written(head); });
        ready.arrive_and_wait();
        for (std::uint64_t spins = random_.below(2'000); spins != 0; --spins)
            (void)ledger->durable();
        rewind(*ledger, head - 3);
        ASSERT_FALSE(HasFatalFailure());
    }
}

// Half of them could be of the chain that came in the place of the other half's.
TEST_F(DurableRewindTest, ancestors_are_of_one_chain_whatever_is_taken_back_meanwhile) {
    const auto ledger = must_create(options_for(directory_));
    std::mutex mutex;
    std::map<Hash, std::vector<Hash>> ommers;  // by their block; guarded by mutex
    std::atomic<bool> is_done = false;
    std::atomic<int> answers = 0;
    std::jthread reader{[&] {
        while (!is_done) {
            const std::uint64_t number = ledger->head().header.number;
            const auto ancestors = ledger->ancestors(number);
            if (!ancestors.has_value()) continue;  // the head of that time is gone
            ++answers;
            ASSERT_EQ(ancestors->size(), std::min<std::uint64_t>(number + 1, kAncestorsForOmmers));
            const std::lock_guard lock{mutex};
            for (std::size_t i = 0; i < ancestors->size(); ++i) {
                const Ancestor& ancestor = (*ancestors)[i];
                EXPECT_EQ(ancestor.ommers, ommers[ancestor.hash]);
                if (i != 0) ASSERT_EQ(ancestor.hash, (*ancestors)[i - 1].header.parent_hash);
            }
        }
    }};
    for (int round = 0; round < 60; ++round) {
        for (int i = 0; i < 5; ++i) {
            FinishedBlock block = twin_->grow(random_);
            {
                const std::lock_guard lock{mutex};
                std::vector<Hash>& of_block = ommers[header_hash(block.block.header)];
                for (const BlockHeader& ommer : block.block.ommers)
                    of_block.push_back(header_hash(ommer));
            }
            must_commit(*ledger, std::move(block));
        }
        rewind(*ledger, twin_->head() - 4);
        if (HasFatalFailure()) break;
    }
    is_done = true;
    reader.join();
    EXPECT_GT(answers, 0);
}

TEST_F(DurableRewindTest, what_was_taken_back_is_gone_after_a_restart) {
    auto ledger = must_create(options_for(directory_));
    grow(*ledger, 7);
    rewind(*ledger, 5);

    ledger.reset();
    ledger = must_open(options_for(directory_));

    expect_stands_at(*ledger, *twin_, 5);
}

TEST_F(DurableRewindTest, a_block_that_is_held_is_dropped) {
    const auto ledger = must_create(options_for(directory_));
    grow(*ledger, 2);
    ASSERT_TRUE(ledger->stage(twin_->child(random_, TwinChain::random_diff(random_))).has_value());

    rewind(*ledger, 1);

    expect_stands_at(*ledger, *twin_, 1);
    grow(*ledger, 2);
    expect_stands_at(*ledger, *twin_, 3);
}

TEST_F(DurableRewindTest, nothing_is_taken_back_where_the_changes_are_not_kept) {
    DurableLedgerOptions options = options_for(directory_);
    options.history_blocks = 4;
    grow(*must_create(options), 24);
    // What is not kept has gone when a ledger is closed; while it is open that takes its time.
    const auto ledger = must_open(options);
    ASSERT_GT(ledger->first_state(), 1U);

    const auto refused = ledger->rewind(1);
    const auto above = ledger->rewind(25);

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, LedgerErrorCode::unavailable);
    ASSERT_FALSE(above.has_value());
    EXPECT_EQ(above.error().code, LedgerErrorCode::invalid);
    expect_stands_at(*ledger, *twin_, 24);
    rewind(*ledger, 22);
    expect_stands_at(*ledger, *twin_, 22);
}

TEST_F(DurableRewindTest, the_next_checkpoint_comes_as_many_blocks_above_the_state_on_the_disk) {
    const DurableLedgerOptions options = options_for(directory_);
    const auto ledger = must_create(options);
    ASSERT_EQ(options.checkpoint_blocks, 4U);
    grow(*ledger, 8);
    ASSERT_TRUE(ledger->begin_snapshot().has_value());  // with a checkpoint
    const auto state_block = [&] {
        test::copy_at_one_moment(directory_, folder_ / "copy");
        const auto copy = must_open(options_for(folder_ / "copy"));
        return copy->open_report().state_block;
    };

    rewind(*ledger, 6);
    EXPECT_EQ(state_block(), 6U);
    grow(*ledger, 2);
    rewind(*ledger, 7);  // which waits for what is under way
    EXPECT_EQ(state_block(), 6U);
    grow(*ledger, 3);  // block 10
    rewind(*ledger, 9);
    EXPECT_EQ(state_block(), 9U);
}

/// The writer may be forcing what it wrote while it is taken back.
TEST_F(DurableRewindTest, nothing_above_the_head_is_durable) {
    DurableLedgerOptions options = options_for(directory_);
    options.sync = {.blocks = 1'000'000, .interval = std::chrono::milliseconds{0}};
    const auto ledger = must_create(options);
    for (int round = 0; round < 300; ++round) {
        grow(*ledger, 3);
        ASSERT_FALSE(HasFatalFailure());
        ASSERT_TRUE(ledger->wait_written(3).has_value());
        rewind(*ledger, 0);
        ASSERT_FALSE(HasFatalFailure());
        for (int i = 0; i < 5'000; ++i)
            ASSERT_EQ(ledger->durable(), 0U) << "round " << round;
    }
}

TEST_F(DurableRewindTest, blocks_that_come_afterwards_become_durable) {
    DurableLedgerOptions options = options_for(directory_);
    options.sync.blocks = 1;
    const auto ledger = must_create(options);
    grow(*ledger, 6);
    ASSERT_TRUE(ledger->wait_durable(6).has_value());

    rewind(*ledger, 3);
    EXPECT_EQ(ledger->durable(), 3U);
    grow(*ledger, 1);

    ASSERT_TRUE(ledger->wait_durable(4).has_value());
    EXPECT_EQ(ledger->durable(), 4U);
}

}  // namespace
}  // namespace heddle::ledger
