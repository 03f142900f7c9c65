// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of transfers for the executor of the default scheduler, on a state of a test's own.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <executor/schedulers.hpp>

#include "fakes.hpp"

namespace heddle::executor {

inline const Address kMiner = address_from_low64(0x313e3);
inline constexpr std::uint64_t kGasLimit = 1'000'000'000;
inline const Uint256 kEther{1'000'000'000'000'000'000};

/// Proposes blocks of transfers, each from an account of its own.
class ParallelExecutorTest : public testing::Test {
protected:
    const ChainConfig config_ = test::config_of_shanghai();
    test::FakeState state_;
    test::FakeBlockHashes hashes_;
    test::FakeSink sink_{state_};
    BlockHeader genesis_;
    std::uint64_t next_sender_ = 0x1000;
    std::uint64_t next_recipient_ = std::uint64_t{1} << 40;
    bool pays_new_accounts_ = false;
    std::uint64_t timestamp_ = 0;
    std::vector<BlockHeader> made_;
    std::unique_ptr<Executor> executor_;

    void start(ParallelOptions parallel, bool makes_lists = false) {
        Options options;
        options.parallel = parallel;
        options.make_access_lists = makes_lists;
        options.on_block = [this](const BlockReport& report) { made_.push_back(report.header); };
        executor_ = make_executor(kDefaultScheduler, std::move(options));
        start_on(*executor_);
    }
    /// For blocks that come with lists, however small they are.
    void start_from_lists() {
        Options options;
        options.parallel = workers(2);
        options.parallel.run_chains_inline = false;
        options.make_access_lists = true;
        executor_ = make_executor(kDefaultScheduler, std::move(options));
        start_on(*executor_);
    }
    void start_on(Executor& executor) {
        genesis_.gas_limit = kGasLimit;
        genesis_.base_fee_per_gas = Uint256{1'000'000'000};
        executor.start({config_, state_, hashes_, sink_}, make_chain_head(genesis_, Uint256{}));
    }
    /// The `i`-th of a block.
    Transaction transfer(std::size_t i, std::uint64_t gas_limit = 21'000) {
        Transaction tx;
        tx.sender = address_from_low64(next_sender_++);
        state_.set_balance(*tx.sender, kEther * kEther);
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
        tx.gas_limit = gas_limit;
        tx.to = address_from_low64(pays_new_accounts_ ? next_recipient_++ : 0xfeed + i);
        tx.value = Uint256{1};
        return tx;
    }
    /// @param announced  How many transactions are said to follow; 0: nothing is said.
    bool propose(std::size_t transfers, std::size_t announced = 0) {
        std::vector<Transaction> transactions;
        for (std::size_t i = 0; i < transfers; ++i)
            transactions.push_back(transfer(i));
        return propose(std::move(transactions), announced);
    }
    bool propose(std::vector<Transaction> transactions, std::size_t announced = 0) {
        BlockStart block;
        block.mode = BlockMode::propose;
        block.header.timestamp = timestamp_ += 12;
        block.header.gas_limit = kGasLimit;
        block.header.beneficiary = kMiner;
        block.transaction_count = announced;
        if (!executor_->begin_block(std::move(block)).has_value()) return false;
        for (Transaction& tx : transactions)
            executor_->submit(std::move(tx));
        executor_->end_block();
        return true;
    }
    Summary drained() {
        const auto summary = executor_->drain();
        EXPECT_TRUE(summary.has_value());
        return summary.value_or(Summary{});
    }
    /// A block of transfers that others have made, with its header and its list. @return it.
    FinishedBlock light_block() {
        start(workers(1), true);
        propose(300);
        static_cast<void>(drained());
        FinishedBlock made = std::move(sink_.blocks.back());
        made.block.header = made_.back();
        return made;
    }
    /// @return how many of its transactions were dispatched, from the state as it was.
    std::uint64_t dispatched_of(const FinishedBlock& made, const test::FakeState& before) {
        state_ = before;
        start(workers(2));
        EXPECT_TRUE(run(*executor_, make_ordered_block(made.block)).has_value());
        const Summary summary = drained();
        EXPECT_EQ(summary.head_hash, header_hash(made.block.header));
        EXPECT_EQ(sink_.blocks.back().receipts, made.receipts);
        return summary.stats.parallel.dispatched;
    }
    /// Of cells and of what is remembered of them, when the last block is behind.
    [[nodiscard]] std::uint64_t held_bytes() {
        static_cast<void>(drained());
        const MemoryUse use = executor_->memory();
        return use.cell_bytes + use.record_bytes;
    }
    static ParallelOptions workers(unsigned count) {
        ParallelOptions parallel;
        parallel.workers = count;
        parallel.may_outnumber_processors = true;
        return parallel;
    }
};

}  // namespace heddle::executor
