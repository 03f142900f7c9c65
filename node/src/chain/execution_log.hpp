// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How the last blocks ran on this node: which worker ran which transaction when, and where the time
// of the block went. For the page and for whoever looks for what is slow; nothing decides by it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <executor/schedule_observer.hpp>
#include <types/block.hpp>
#include <types/hash.hpp>

namespace heddle::node {

/// What is kept of a block for long. Times are nanoseconds of the wall clock.
struct ExecutionFigures {
    std::uint64_t number = 0;
    Hash hash{};
    std::uint64_t timestamp = 0;  // of its header, in seconds
    std::uint64_t transactions = 0;
    std::uint64_t gas_used = 0;
    std::uint64_t recovery_ns = 0;   // senders that the mempool did not know
    std::uint64_t execution_ns = 0;  // from the block's beginning to its last transaction's end
    std::uint64_t tries_ns = 0;      // the state root
    std::uint64_t disk_ns = 0;       // until it was acknowledged
    // Of its transactions' runs.
    std::uint64_t busy_ns = 0;    // of all workers together
    std::uint64_t attempted = 0;  // ahead of their turn, to their end
    std::uint64_t lost = 0;       // of these and of those given up: not what counted in the end
    std::uint64_t repaired = 0;   // transactions that ran again at their turn
    std::uint64_t in_order = 0;   // transactions that ran at their turn only
    std::uint32_t workers = 0;    // that ran any
    std::uint64_t not_kept = 0;   // runs beyond the bounds, which are missing in all of these
};

/// One run of a transaction. Times count from the beginning of its block.
struct TransactionRun {
    std::uint32_t index = 0;  // of the transaction, in its block
    std::uint32_t worker = 0;
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
    executor::ScheduleEvent::Kind kind = executor::ScheduleEvent::Kind::in_order;
    bool is_final = false;  // what the block has of the transaction is what this run gave
};
/// In the order in which they began.
using BlockRuns = std::vector<TransactionRun>;

struct ObservedExecution {
    ExecutionFigures figures;
    std::shared_ptr<const BlockRuns> runs;  // null: not kept any more
};

struct ExecutionLogLimits {
    std::size_t blocks = 4'096;                       // figures of so many
    std::size_t run_bytes = std::size_t{32} << 20;    // runs of all blocks that have them
    std::size_t events_of_block = 32'768;             // what was told of one block
    std::size_t events_in_flight_of_worker = 16'384;  // of blocks that are not staged yet
};

/// A block goes through it like this; a number that begins anew drops what there was of it:
///
///     on_block ─► on_event … (any worker) ─► staged ─► acknowledged
///
/// Thread safety: any.
class ExecutionLog final : public executor::ScheduleObserver {
public:
    explicit ExecutionLog(const ExecutionLogLimits& limits = {}) : limits_(limits) {}
    ~ExecutionLog() = default;
    ExecutionLog(const ExecutionLog&) = delete;
    ExecutionLog& operator=(const ExecutionLog&) = delete;

    [[nodiscard]] const ExecutionLogLimits& limits() const noexcept { return limits_; }

    /// Of the clock of all times here.
    [[nodiscard]] static std::uint64_t now_ns() noexcept;

    void on_block(std::uint64_t number) noexcept override;
    void on_event(const executor::ScheduleEvent& event) noexcept override;
    /// Senders of the next block to be staged were recovered, in so much time.
    void recovered(std::uint64_t elapsed_ns);
    /// The ledger holds the block. @param began_ns, ended_ns  Of computing its state root.
    void staged(const BlockHeader& header, const Hash& hash, std::size_t transactions,
                std::uint64_t began_ns, std::uint64_t ended_ns);
    /// What was staged last is acknowledged, after waiting for so long.
    void acknowledged(std::uint64_t elapsed_ns);

    /// nullopt: it was not seen, or is not kept any more.
    [[nodiscard]] std::optional<ObservedExecution> find(const Hash& hash) const;
    /// The newest ones, at most `count`, ascending by number.
    [[nodiscard]] std::vector<ExecutionFigures> newest(std::size_t count) const;
    /// Of runs and figures, in bytes.
    [[nodiscard]] std::size_t kept_bytes() const {
        const std::scoped_lock lock{mutex_};
        return run_bytes_ + blocks_.size() * sizeof(ObservedExecution);
    }

private:
    /// What the workers of equal number modulo kShards have run, of blocks that are not staged.
    struct alignas(64) Shard {
        std::mutex mutex;
        std::vector<executor::ScheduleEvent> events;  // guarded by mutex, as the next
        std::uint64_t lost = 0;                       // for want of room
    };
    static constexpr std::size_t kShards = 16;

    /// Takes out what belongs to this block, and forgets those before it.
    [[nodiscard]] std::vector<executor::ScheduleEvent> take_events(std::uint64_t number,
                                                                   std::uint64_t& not_kept);
    // With mutex_.
    void forget(ObservedExecution& block);
    void forget_oldest();

    const ExecutionLogLimits limits_;
    std::array<Shard, kShards> shards_;

    mutable std::mutex mutex_;                      // for what follows
    std::map<std::uint64_t, std::uint64_t> begun_;  // when, by number; not staged yet
    std::uint64_t recovery_ns_ = 0;                 // of the next block
    std::deque<ObservedExecution> blocks_;          // ascending
    std::size_t run_bytes_ = 0;
};

/// What an observer was told of one block, as runs: of each transaction the last one that was
/// accepted, confirmed or ran at its turn is final.
/// @param began_ns  When the block began.
[[nodiscard]] BlockRuns make_runs(std::span<const executor::ScheduleEvent> events,
                                  std::uint64_t began_ns);

}  // namespace heddle::node
