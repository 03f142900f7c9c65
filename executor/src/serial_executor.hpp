// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The oracle behind the executor's face: one thread, one transaction after another.
#pragma once

#include <atomic>
#include <expected>
#include <optional>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>

#include <vm/block.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include <executor/executor.hpp>

#include "block_assembler.hpp"
#include "block_state.hpp"
#include "chain_tip.hpp"

namespace heddle::executor {

class SerialExecutor final : public Executor {
public:
    explicit SerialExecutor(Options options);

    void start(const World& world, ChainHead head) override;
    [[nodiscard]] std::expected<void, BlockError> begin_block(BlockStart block) override;
    using Executor::submit;
    void submit(Transaction tx, std::optional<ObjectSet> objects) override;
    void end_block() override;
    [[nodiscard]] std::expected<Summary, BlockError> drain() override;
    void stop() noexcept override;

private:
    using Result = std::expected<void, BlockError>;

    /// The whole of a block: check, execute, compare, commit.
    [[nodiscard]] Result run_block();
    /// What can be checked, or filled in, before anything runs.
    [[nodiscard]] Result prepare(bool is_merged);
    void recover_senders();
    /// @return the block's requests.
    [[nodiscard]] std::expected<std::vector<Bytes>, BlockError> execute(const BlockEnv& env);
    [[nodiscard]] Result execute_transaction(const BlockEnv& env, std::size_t index);
    /// Compares with the header's claims, or fills them in.
    [[nodiscard]] Result conclude(const std::vector<Bytes>& requests);
    [[nodiscard]] Result commit(StateDiff diff, Timing& timing, class Stopwatch& watch);

    [[nodiscard]] bool is_halted() const noexcept;

    // Immutable after construction.
    const Options options_;

    // Of the stream.
    std::optional<World> world_;
    ChainTip tip_;
    Summary summary_;
    std::optional<BlockError> error_;
    std::atomic<bool> is_stopped_ = false;  // a flag only: nothing is published through it

    // Of the block at hand.
    bool is_in_block_ = false;
    BlockMode mode_ = BlockMode::import;
    std::size_t encoded_size_bytes_ = 0;
    Block block_;

    // Reused from block to block.
    vm::Evm evm_;
    vm::Outcome outcome_;
    BlockState state_;
    BlockAssembler assembler_;
    std::vector<ObjectSet> object_sets_;
};

}  // namespace heddle::executor
