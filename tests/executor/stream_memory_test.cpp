// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What blocks take in memory while they wait for the sink.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <types/held_bytes.hpp>

#include <executor/executor.hpp>

#include "parallel_executor_fixture.hpp"

namespace heddle::executor {
namespace {

/// Accepts nothing before it is opened.
class HeldSink final : public BlockSink {
public:
    explicit HeldSink(test::FakeState& state) : inner_(state) {}
    std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        is_open_.wait(false);
        return inner_.commit(std::move(block));
    }
    Hash state_root_with(const StateDiff& diff) override { return inner_.state_root_with(diff); }
    void open() {
        is_open_ = true;
        is_open_.notify_all();
    }

private:
    test::FakeSink inner_;
    std::atomic<bool> is_open_ = false;
};

class StreamMemoryTest : public ParallelExecutorTest {
protected:
    static constexpr std::size_t kTransfers = 1'000;
    static constexpr std::size_t kBlocks = 7;

    StreamMemoryTest() {
        std::vector<std::vector<Transaction>> blocks(kBlocks);
        for (std::vector<Transaction>& block : blocks)
            for (std::size_t i = 0; i < kTransfers; ++i)
                block.push_back(transfer(i));
        before_ = state_;
        start(workers(1));
        for (std::vector<Transaction>& block : blocks)
            EXPECT_TRUE(propose(std::move(block)));
        static_cast<void>(drained());
        chain_ = std::exchange(sink_.blocks, {});
        for (std::size_t i = 0; i < chain_.size(); ++i)
            chain_[i].block.header = made_[i];
    }
    [[nodiscard]] std::size_t block_bytes() const {
        const FinishedBlock& block = chain_.front();
        return held_bytes(block.block.transactions) + held_bytes(block.receipts) +
               held_bytes(block.diff);
    }
    static std::size_t held_bytes(const auto& parts) { return heddle::held_bytes(parts); }
    /// @return how many blocks were taken while the sink took none.
    std::size_t taken(std::size_t unfinished_bytes) {
        test::FakeState state = before_;
        HeldSink sink(state);
        Options options;
        options.parallel = workers(3);
        options.parallel.run_chains_inline = false;
        options.parallel.unfinished_bytes = unfinished_bytes;
        const auto executor = make_executor("dag", std::move(options));
        executor->start({config_, state, hashes_, sink}, make_chain_head(genesis_, Uint256{}));
        std::atomic<std::size_t> submitted = 0;
        std::jthread submitter([&] {
            for (const FinishedBlock& block : chain_) {
                EXPECT_TRUE(run(*executor, make_ordered_block(block.block)).has_value());
                ++submitted;
            }
        });
        const std::size_t due =
            std::clamp<std::size_t>(unfinished_bytes / (block_bytes() + 4'096), 1, kBlocks);
        // The sink is asked for the first one when that has been executed.
        while (submitted < due || executor->memory().executed_blocks == 0)
            std::this_thread::yield();
        // Longer would only make the test stronger.
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const std::size_t result = submitted;
        held_ = executor->memory();
        sink.open();
        submitter.join();
        const auto summary = executor->drain();
        EXPECT_TRUE(summary.has_value());
        EXPECT_EQ(executor->memory().unfinished_bytes, 0u);
        EXPECT_EQ(executor->memory().executed_blocks, 0u);
        EXPECT_EQ(summary.has_value() ? summary->stats.blocks : 0, kBlocks);
        return result;
    }

    test::FakeState before_;
    std::vector<FinishedBlock> chain_;
    MemoryUse held_;  // while the sink took nothing
};

TEST_F(StreamMemoryTest, blocks_wait_for_the_sink_as_far_as_there_is_memory) {
    EXPECT_EQ(taken(2 * kBlocks * block_bytes()), kBlocks);
    EXPECT_LE(held_.executed_blocks, kBlocks);
    EXPECT_GE(held_.unfinished_bytes, kBlocks * block_bytes() / 2);
}

// Nine of them waited, however large they were.
TEST_F(StreamMemoryTest, no_more_blocks_wait_for_the_sink_than_there_is_memory_for) {
    // What blocks change, a quarter of what they take, is not known before they are executed.
    const std::size_t blocks = taken(3 * block_bytes() + block_bytes() / 2);
    EXPECT_GE(blocks, 3u);
    EXPECT_LE(blocks, 4u);
}

TEST_F(StreamMemoryTest, a_block_that_takes_more_than_all_of_it_passes_alone) {
    EXPECT_EQ(taken(1), 1u);
}

}  // namespace
}  // namespace heddle::executor
