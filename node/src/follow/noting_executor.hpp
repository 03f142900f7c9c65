// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// An executor that remembers what it was given until it is known what came of it, so that a
// recording can say both.
#pragma once

#include <deque>
#include <expected>
#include <mutex>
#include <optional>
#include <span>

#include <executor/executor.hpp>

#include "shim/block_shim.hpp"
#include "shim/given_block.hpp"

namespace heddle::node::follow {

/// What is remembered is bounded by how many blocks the executor has under way.
/// Thread safety: as Executor; taken() from the thread on which the executor gives its blocks to
/// the sink.
class NotingExecutor final : public executor::Executor {
public:
    /// Both outlive it.
    NotingExecutor(executor::Executor& inner, BlockShim& shim) : inner_(inner), shim_(shim) {}

    /// The block, which is executed and about to be kept, as it was given.
    [[nodiscard]] GivenBlock taken();

    void start(const executor::World& world, executor::ChainHead head) override;
    [[nodiscard]] std::expected<void, BlockError> begin_block(executor::BlockStart block) override;
    void recover_signers(std::span<Transaction> transactions) override {
        inner_.recover_signers(transactions);
    }
    void submit(Transaction tx, std::optional<ObjectSet> objects) override;
    void end_block() override;
    /// Tells the shim of the block that was rejected.
    [[nodiscard]] std::expected<executor::Summary, BlockError> drain() override;
    void stop() noexcept override { inner_.stop(); }
    [[nodiscard]] executor::MemoryUse memory() const override { return inner_.memory(); }

private:
    executor::Executor& inner_;
    BlockShim& shim_;
    GivenBlockWriter writer_;  // of the block that is being given
    std::mutex mutex_;
    std::deque<GivenBlock> given_;  // guarded by mutex_: and not taken yet, ascending
};

}  // namespace heddle::node::follow
