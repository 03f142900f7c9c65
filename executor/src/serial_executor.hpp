// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The oracle behind the executor's face: one thread, one transaction after another.
#pragma once

#include <atomic>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/ordered_root.hpp>

#include <vm/block_execution.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include <executor/executor.hpp>
#include <executor/schedule_observer.hpp>

#include "state/access_patterns.hpp"
#include "state/block_state.hpp"
#include "state/read_ahead.hpp"
#include "stream/chain_tip.hpp"
#include "stream/leaf_hasher.hpp"
#include "stream/leaf_maker.hpp"
#include "stream/signer_recovery.hpp"

namespace heddle::executor {

class Stopwatch;

/// The order of a block's steps is that of run_block(). With share() others read and hash ahead,
/// and make leaves and blooms, while this thread executes; what comes out is the same.
///
/// Thread safety: as Executor.
class SerialExecutor final : public Executor {
public:
    /// @param observer  Outlives it; null: nobody watches.
    explicit SerialExecutor(Options options, ScheduleObserver* observer = nullptr);
    /// From here on, for blocks that are worth it, other threads do what is not execution: they
    /// recover signers, read and hash ahead, hash leaves and make blooms. Before start().
    /// @param signers, hasher, ahead  Outlive all blocks.
    void share(SignerRecovery& signers, LeafHasher& hasher, ReadAhead& ahead) noexcept {
        signers_ = &signers;
        hasher_ = &hasher;
        ahead_ = &ahead;
    }

    void start(const World& world, ChainHead head) override;
    /// The stream goes on at `head`, after blocks that others have executed: start() on the same
    /// world, but what is at hand of it stays.
    /// @param missed  What these blocks have changed, in their order.
    void go_on(ChainHead head, std::span<const StateDiff> missed);
    [[nodiscard]] std::expected<void, BlockError> begin_block(BlockStart block) override;
    using Executor::submit;
    void submit(Transaction tx, std::optional<ObjectSet> objects) override;
    void end_block() override;
    [[nodiscard]] std::expected<Summary, BlockError> drain() override;
    void stop() noexcept override;

    /// Keys that the executing thread has hashed itself. For tests.
    [[nodiscard]] std::uint64_t hashes_made() const noexcept { return evm_.hashes_made(); }

    /// The last block accepted, or the one that the stream started on.
    [[nodiscard]] const ChainTip& tip() const noexcept { return tip_; }

private:
    using Result = std::expected<void, BlockError>;

    /// Nothing of the stream has been executed here yet.
    void stand_on(ChainHead head);
    /// The whole of a block: check, execute, compare, commit.
    [[nodiscard]] Result run_block();
    void begin_leaves();
    [[nodiscard]] Result check_body(bool is_merged) const;
    /// Checks the access list that came with the block, if one did: its form and its hash.
    [[nodiscard]] Result check_list() const;
    /// Takes over what others have read ahead for the transaction that is about to be executed, and
    /// fetches memory for some of the next ones.
    /// @param index  Of that transaction in the block.
    void look_ahead(std::uint32_t index);
    /// Executes one transaction, and learns from it what others like it will need.
    [[nodiscard]] std::expected<void, TransactionError> run_transaction(std::uint32_t index);
    [[nodiscard]] Result execute(const BlockEnv& env);
    /// Compares with the header's claims, or fills them in.
    [[nodiscard]] Result conclude();
    /// Hands the block to the sink. @param watch  Was read when the block had been concluded.
    [[nodiscard]] Result commit(StateDiff diff, Timing& timing, Stopwatch& watch);

    [[nodiscard]] bool is_halted() const noexcept;
    /// What runs at the begin and at the end of a block: a tracer is told of transactions alone.
    [[nodiscard]] vm::Evm& block_evm() noexcept { return quiet_evm_ ? *quiet_evm_ : evm_; }

    // Immutable after construction.
    const Options options_;
    ScheduleObserver* const observer_;

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
    Bytes claimed_list_;  // RLP of the access list that came with the block; may be empty
    Block block_;

    // Reused from block to block.
    vm::Evm evm_;
    std::optional<vm::Evm> quiet_evm_;  // for system calls, where transactions are traced
    vm::Outcome outcome_;
    BlockState state_;
    vm::BlockExecution execution_;
    vm::ObjectSetRecorder object_sets_;
    BlockLeaves leaves_;
    LeafMaker leaf_;
    SignerRecovery own_signers_{nullptr};
    SignerRecovery* signers_ = &own_signers_;
    LeafHasher own_hasher_{nullptr};
    LeafHasher* hasher_ = &own_hasher_;
    ReadAhead* ahead_ = nullptr;  // null: nobody reads ahead
    AccessPatterns patterns_;
    CallNotes notes_;
    bool is_read_ahead_ = false;       // of the block at hand
    std::uint64_t hashes_before_ = 0;  // that the machine had missed when it was looked at
};

}  // namespace heddle::executor
