// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <consensus_adapter/pump.hpp>

#include "fake_source.hpp"

namespace heddle::consensus_adapter {
namespace {

/// Writes down what it is told; rejects one block where the test wants it.
class RecordingExecutor final : public executor::Executor {
public:
    std::vector<std::string> calls;
    std::uint64_t rejected_number = 0;

    void start(const executor::World&, executor::ChainHead) override {}
    std::expected<void, BlockError> begin_block(executor::BlockStart block) override {
        if (error_.has_value()) return std::unexpected(*error_);
        number_ = block.header.number;
        calls.push_back("begin " + std::to_string(number_) + " of " +
                        std::to_string(block.transaction_count));
        return {};
    }
    using Executor::submit;
    void submit(Transaction tx, std::optional<ObjectSet> /*objects*/) override {
        calls.push_back("tx " + std::to_string(tx.nonce));
    }
    void end_block() override {
        calls.push_back("end");
        if (number_ == rejected_number) {
            error_.emplace();
            error_->code = BlockErrorCode::invalid_gas_used;
            error_->number = number_;
        } else {
            ++summary_.stats.blocks;
        }
    }
    std::expected<executor::Summary, BlockError> drain() override {
        calls.push_back("drain");
        if (error_.has_value()) return std::unexpected(*error_);
        return summary_;
    }
    void stop() noexcept override {}

private:
    std::uint64_t number_ = 0;
    std::optional<BlockError> error_;
    executor::Summary summary_;
};

TEST(Pump, moves_every_block_and_drains) {
    test::FakeSource source{2, 2};
    RecordingExecutor executor;

    const auto summary = pump(source, executor);

    ASSERT_TRUE(summary.has_value());
    EXPECT_EQ(summary->stats.blocks, 2u);
    EXPECT_EQ(executor.calls,
              (std::vector<std::string>{"begin 1 of 2", "tx 0", "tx 1", "end", "begin 2 of 2",
                                        "tx 0", "tx 1", "end", "drain"}));
}

TEST(Pump, stops_reading_after_a_rejected_block) {
    test::FakeSource source{10, 0};
    RecordingExecutor executor;
    executor.rejected_number = 3;

    const auto summary = pump(source, executor);

    ASSERT_FALSE(summary.has_value());
    EXPECT_EQ(std::get<BlockError>(summary.error()).number, 3u);
    EXPECT_EQ(source.taken, 4u);
    EXPECT_FALSE(to_string(summary.error()).empty());
}

TEST(Pump, reports_a_failing_source_after_accepting_what_came_before) {
    test::FakeSource source{2, 0};
    source.fail_at_the_end();
    RecordingExecutor executor;

    const auto summary = pump(source, executor);

    ASSERT_FALSE(summary.has_value());
    EXPECT_EQ(std::get<SourceError>(summary.error()).code, FileFault::truncated);
    EXPECT_EQ(executor.calls.back(), "drain");
}

}  // namespace
}  // namespace heddle::consensus_adapter
