// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain of the serial executor, on a state of a test's own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executor/executor.hpp>
#include <types/signing.hpp>

#include "fakes.hpp"
#include "serial_executor.hpp"

namespace heddle::executor {

inline const Hash kSecret = to_hash(Uint256{0x5ec3e7});
inline const Address kMiner = address_from_low64(0x313e3);
inline const Address kReceiver = address_from_low64(0xfeed);
inline const Uint256 kEther{1'000'000'000'000'000'000};

inline ChainConfig config_until(Revision revision) {
    ChainConfig config;
    config.homestead_block = 0;
    if (revision >= Revision::byzantium) {
        config.tangerine_whistle_block = config.spurious_dragon_block = config.byzantium_block = 0;
        config.constantinople_block = config.petersburg_block = config.istanbul_block = 0;
        config.berlin_block = config.london_block = 0;
    }
    if (revision >= Revision::paris) {
        config.terminal_total_difficulty = Uint256{};
        config.shanghai_time = 0;
    }
    return config;
}

/// A chain that proposes its own blocks, so that others can be checked against them.
class SerialExecutorTest : public testing::Test {
protected:
    ChainConfig config_ = config_until(Revision::shanghai);
    test::FakeState state_;
    test::FakeBlockHashes block_hashes_;
    test::FakeSink sink_{state_};
    BlockHeader genesis_;
    std::uint64_t nonce_ = 0;
    std::vector<BlockHeader> reported_;
    std::unique_ptr<Executor> executor_;

    void SetUp() override {
        state_.set_balance(*address_from_secret(kSecret), Uint256{100} * kEther);
        genesis_.gas_limit = 30'000'000;
        genesis_.base_fee_per_gas = Uint256{1'000'000'000};
        genesis_.difficulty = Uint256{131'072};
        Options options;
        options.on_block = [this](const BlockReport& report) {
            EXPECT_EQ(report.hash, header_hash(report.header));
            reported_.push_back(report.header);
        };
        executor_ = make_serial_executor(std::move(options));
    }

    void start() {
        executor_->start({config_, state_, block_hashes_, sink_},
                         make_chain_head(genesis_, genesis_.difficulty));
    }

    Transaction transfer(const Uint256& value) {
        Transaction tx;
        tx.chain_id = 1;
        tx.nonce = nonce_++;
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
        tx.gas_limit = 21'000;
        tx.to = kReceiver;
        tx.value = value;
        EXPECT_TRUE(sign_transaction(tx, kSecret));
        tx.sender.reset();
        return tx;
    }

    std::expected<void, BlockError> run(BlockStart block, std::vector<Transaction> transactions) {
        auto begun = executor_->begin_block(std::move(block));
        if (!begun.has_value()) return begun;
        for (Transaction& tx : transactions)
            executor_->submit(std::move(tx));
        executor_->end_block();
        return {};
    }

    BlockStart proposal(std::uint64_t timestamp) const {
        BlockStart block;
        block.mode = BlockMode::propose;
        block.header.timestamp = timestamp;
        block.header.gas_limit = 30'000'000;
        block.header.beneficiary = kMiner;
        if (config_.cancun_time.has_value()) block.header.parent_beacon_block_root.emplace();
        return block;
    }

    /// Proposes a block of one transfer on a copy of the world; @return it, ready for import.
    FinishedBlock make_block() {
        const test::FakeState before = state_;
        start();
        const auto nonce = nonce_;
        EXPECT_TRUE(run(proposal(12), {transfer(kEther)}).has_value());
        EXPECT_TRUE(executor_->drain().has_value());
        nonce_ = nonce;
        FinishedBlock made = std::move(sink_.blocks.back());
        made.block.header = reported_.back();
        sink_.blocks.clear();
        reported_.clear();
        state_ = before;
        return made;
    }

    /// @param list  That comes with the block.
    /// @return why the block is rejected.
    std::optional<BlockError> import(const Block& block, const Bytes& list = {}) {
        start();
        BlockStart begin;
        begin.access_list = list;
        begin.header = block.header;
        begin.ommers = block.ommers;
        begin.withdrawals = block.withdrawals;
        EXPECT_TRUE(run(std::move(begin), block.transactions).has_value());
        const auto summary = executor_->drain();
        return summary.has_value() ? std::nullopt : std::optional{summary.error()};
    }
};

}  // namespace heddle::executor
