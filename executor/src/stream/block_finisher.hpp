// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is left of a block when its last transaction is committed: the access list, roots, the
// comparison with the header, the sink. Beside the stream, so that the next block's transactions
// are committed meanwhile; block after block, and nothing of a block or what follows it if it is
// rejected.
//
// There is no finishing thread: whoever looks for work takes the role if it is free (Role). What
// makes a block ready is the count of those that have ended, raised by the committer when all of
// the block is in its BlockRun.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <vector>

#include <types/block_error.hpp>

#include <executor/executor.hpp>

#include "state/state_after.hpp"
#include "stream/block_run.hpp"
#include "stream/chain_tip.hpp"
#include "stream/in_flight_hashes.hpp"
#include "stream/leaf_hasher.hpp"
#include "stream/role.hpp"
#include "stream/worker.hpp"
#include "workers/atomics.hpp"
#include "workers/stopwatch.hpp"
#include "workers/tick_rate.hpp"

namespace heddle::executor {

/// Thread safety: attach(), tip(), summary() and error() while nothing is in flight; the rest says
/// so.
class BlockFinisher {
public:
    BlockFinisher(const Options& options, InFlightHashes& hashes, LeafHasher& leaves)
        : options_(options), hashes_(hashes), leaves_(leaves) {}

    void attach(const World& world, ChainHead head);

    /// Blocks in flight, in stream order. The dispatcher.
    void add(std::shared_ptr<BlockRun> block);
    /// The oldest block that has not ended has all it needs to be finished. The committer.
    void end(const BlockRun& block);

    /// Finishes what has ended, unless somebody else does. Any worker.
    void run(Worker& worker);
    /// Whether there is something for run(); out of date at once.
    [[nodiscard]] bool has_work() const noexcept { return !role_.is_taken() && !is_idle(); }
    /// Whether all blocks that have ended are finished.
    [[nodiscard]] bool is_idle() const noexcept {
        return finished_.load(std::memory_order_seq_cst) == ended_.load(std::memory_order_seq_cst);
    }
    /// Blocks that have ended and are not finished.
    [[nodiscard]] std::uint64_t backlog() const noexcept {
        const std::uint64_t finished = finished_.load(std::memory_order_seq_cst);
        return ended_.load(std::memory_order_seq_cst) - finished;
    }
    /// What was counted of all blocks that are finished, see BlockBytes. Any thread: whoever sees
    /// it sees what it was counted from.
    [[nodiscard]] std::size_t finished_bytes() const noexcept {
        return finished_bytes_.load(std::memory_order_seq_cst);
    }
    /// The block will never end. The submitting thread, while nothing is in flight.
    void drop(const BlockRun& block) noexcept { count_finished(block); }
    /// Helps until is_idle(). Waits for nobody but the one who is finishing a block.
    void catch_up(Worker& worker);

    /// A rejected block or stop(): what is in flight is dropped. Any thread.
    [[nodiscard]] bool is_halted() const noexcept {
        return is_halted_.load(std::memory_order_relaxed);
    }
    void halt() noexcept { is_halted_.store(true, std::memory_order_relaxed); }
    /// Whether it was a block that was found to be wrong. Any thread.
    [[nodiscard]] bool has_rejected() const noexcept {
        return has_rejected_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] const ChainTip& tip() const noexcept { return tip_; }
    [[nodiscard]] const Summary& summary() const noexcept { return summary_; }
    [[nodiscard]] const std::optional<BlockError>& error() const noexcept { return error_; }

private:
    struct Duty;  // of the role

    void finish_oldest(Worker& worker);
    void count_finished(const BlockRun& block) noexcept;
    /// Everything that can be wrong, in the order in which the serial executor finds it.
    [[nodiscard]] std::expected<void, BlockError> finish(BlockRun& block, LeafMaker& maker);
    [[nodiscard]] std::expected<void, BlockError> check_body(BlockRun& block, LeafMaker& maker);
    /// The access list, where the committer has left it.
    void make_list(BlockRun& block);
    /// Of a list that came with the block: its form and its hash, unless it is the one made.
    [[nodiscard]] static std::expected<void, BlockError> check_list(const BlockRun& block);
    [[nodiscard]] std::expected<void, BlockError> conclude(BlockRun& block, LeafMaker& maker);
    [[nodiscard]] std::expected<void, BlockError> hand_over(BlockRun& block);

    // Immutable after construction.
    const Options& options_;
    InFlightHashes& hashes_;
    LeafHasher& leaves_;
    const TickRate rate_;

    // Relaxed: they only say that what is left is not worth doing. What was wrong is in error_,
    // which is read when finished_ has told that nothing is in flight.
    StreamAtomics::Atomic<bool> is_halted_{false};
    StreamAtomics::Atomic<bool> has_rejected_{false};
    Role role_;
    // Each is stored by one thread at a time, sequentially consistent for those who sleep
    // (ParkingLot), and pairs with the loads of is_idle() and backlog(): as releases they publish
    // what the committer has left in the block, and what the finisher has made of it.
    StreamAtomics::Atomic<std::uint64_t> ended_{0};         // blocks; in the committer's role
    StreamAtomics::Atomic<std::uint64_t> finished_{0};      // of these; in the finisher's
    StreamAtomics::Atomic<std::size_t> finished_bytes_{0};  // of these; stored before it, likewise

    StreamAtomics::Mutex mutex_;
    std::vector<std::shared_ptr<BlockRun>> blocks_;  // in flight, in order; under the mutex

    // Whoever has the role.
    std::optional<World> world_;
    StateAfter after_;
    ChainTip tip_;
    Summary summary_;
    std::optional<BlockError> error_;
    Stopwatch watch_;  // since the last block was accepted
};

}  // namespace heddle::executor
