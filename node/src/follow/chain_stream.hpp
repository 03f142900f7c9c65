// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain as a follower feeds it: blocks stream through an executor, each becomes the head as
// soon as it is found right, and readers see it once it is kept.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <consensus_adapter/follow/follower.hpp>
#include <executor/executor.hpp>
#include <types/block_sink.hpp>

#include "chain/chain.hpp"
#include "chain/execution_log.hpp"
#include "follow/noting_executor.hpp"
#include "mempool/mempool.hpp"
#include "shim/block_shim.hpp"
#include "shim/digest.hpp"

namespace heddle::node::follow {

struct ChainStreamOptions {
    executor::Options executor;  // record_sets and make_access_lists are set
    std::string scheduler{executor::kDefaultScheduler};
    /// Whether access lists are kept that no header claims (before Amsterdam).
    bool stores_lists = false;
    /// Told how each block ran; outlives the stream. Null: nobody is.
    ExecutionLog* executions = nullptr;
    /// Told of each block that came, and of what came of it; outlives the stream, and is the
    /// mempool's, too. Null: nobody is.
    BlockShim* shim = nullptr;
    /// Called after each block, from the thread that keeps it: nothing is under way then but blocks
    /// that come later.
    std::function<void(const consensus_adapter::BlockId&)> after_commit{};
};

/// Thread safety: as FollowedChain.
class ChainStream final : public consensus_adapter::follow::FollowedChain, private BlockSink {
public:
    /// Everything outlives it.
    ChainStream(Chain& chain, Mempool& mempool, ChainStreamOptions options);
    ~ChainStream() override;

    [[nodiscard]] consensus_adapter::follow::ChainIdentity identity() const override;
    [[nodiscard]] consensus_adapter::BlockId head() const override;
    [[nodiscard]] std::uint64_t head_gas_limit() const override;
    [[nodiscard]] std::optional<Hash> hash_of(std::uint64_t number) const override;
    [[nodiscard]] std::expected<executor::Executor*, BlockError> begin() override;

    /// Of the executor. From any thread.
    [[nodiscard]] executor::MemoryUse executor_memory() const { return executor_->memory(); }

private:
    // As BlockSink, for the executor.
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override;
    void foresee(const Hash& parent, const StateDiff& diff) override;
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override;

    /// Makes the block that is held the head, for readers and for the mempool.
    [[nodiscard]] std::expected<consensus_adapter::BlockId, BlockError> keep();

    Chain& chain_;
    Mempool& mempool_;
    const bool stores_lists_;
    ExecutionLog* const executions_;
    BlockShim* const shim_;
    const std::function<void(const consensus_adapter::BlockId&)> after_commit_;
    const std::unique_ptr<executor::Executor> executor_;
    const std::unique_ptr<NotingExecutor> noting_;  // null: nobody wants to know what came
    Digester digester_;                             // the committing thread's
};

}  // namespace heddle::node::follow
