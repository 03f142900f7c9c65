// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is between the parts of the parallel executor. That its results are the serial ones is
// tests/determinism's.
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executor/executor.hpp>
#include <executor/schedulers.hpp>

#include "fakes.hpp"

namespace heddle::executor {
namespace {

const Address kMiner = address_from_low64(0x313e3);
const Uint256 kEther{1'000'000'000'000'000'000};

ChainConfig config_of_shanghai() {
    ChainConfig config;
    config.homestead_block = 0;
    config.tangerine_whistle_block = config.spurious_dragon_block = config.byzantium_block = 0;
    config.constantinople_block = config.petersburg_block = config.istanbul_block = 0;
    config.berlin_block = config.london_block = 0;
    config.terminal_total_difficulty = Uint256{};
    config.shanghai_time = 0;
    return config;
}

/// Proposes blocks of transfers, each from an account of its own.
class ParallelExecutorTest : public testing::Test {
protected:
    const ChainConfig config_ = config_of_shanghai();
    test::FakeState state_;
    test::FakeBlockHashes hashes_;
    test::FakeSink sink_{state_};
    BlockHeader genesis_;
    std::uint64_t next_sender_ = 0x1000;
    std::uint64_t timestamp_ = 0;
    std::unique_ptr<Executor> executor_;

    void start(ParallelOptions parallel) {
        genesis_.gas_limit = 30'000'000;
        genesis_.base_fee_per_gas = Uint256{1'000'000'000};
        Options options;
        options.parallel = parallel;
        executor_ = make_executor(kDefaultScheduler, std::move(options));
        executor_->start({config_, state_, hashes_, sink_}, make_chain_head(genesis_, Uint256{}));
    }
    void propose(std::size_t transfers) {
        std::vector<Transaction> transactions;
        for (std::size_t i = 0; i < transfers; ++i) {
            Transaction tx;
            tx.sender = address_from_low64(next_sender_++);
            state_.set_balance(*tx.sender, kEther);
            tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
            tx.gas_limit = 21'000;
            tx.to = address_from_low64(0xfeed + i);
            tx.value = Uint256{1};
            transactions.push_back(std::move(tx));
        }
        BlockStart block;
        block.mode = BlockMode::propose;
        block.header.timestamp = timestamp_ += 12;
        block.header.gas_limit = 30'000'000;
        block.header.beneficiary = kMiner;
        ASSERT_TRUE(executor_->begin_block(std::move(block)).has_value());
        for (Transaction& tx : transactions)
            executor_->submit(std::move(tx));
        executor_->end_block();
    }
};

TEST_F(ParallelExecutorTest, ends_of_blocks_do_not_use_up_the_window) {
    // A transfer accesses five objects, so a block of four is far from filling it.
    ParallelOptions parallel;
    parallel.workers = 2;
    parallel.window_objects = 64;
    start(parallel);

    for (int i = 0; i < 200; ++i)
        propose(4);

    const auto summary = executor_->drain();
    ASSERT_TRUE(summary.has_value());
    EXPECT_EQ(summary->stats.transactions, 800u);
    EXPECT_EQ(summary->stats.parallel.window_full, 0u);
}

}  // namespace
}  // namespace heddle::executor
