// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Aria as a policy (Aria §4, §6): a batch is attempted on the state before it, and nothing of it is
// committed before all of it has been. Then who of it wrote an object first decides which attempts
// hold: one that has read what an earlier one writes does not. What holds is handed to the
// committer, the rest is attempted once more in the DAG that the sets it was seen to touch make.
// The transactions of one sender in a batch are a unit: one worker runs them one after the other,
// and they see each other's values.
//
// The paper's second rule, which reorders, is the block builder's: here the order is given. Nor is
// a write after a write a conflict, as values are kept by position.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <executor/schedulers.hpp>

#include "aria/batch_size.hpp"
#include "aria/footprint.hpp"
#include "dag/dag_scheduler.hpp"
#include "scheduler.hpp"
#include "stream/position_ring.hpp"
#include "stream/task.hpp"
#include "workers/batch_barrier.hpp"
#include "workers/counter.hpp"

namespace heddle::executor {

struct AriaSettings {
    /// Batches are as large as the count says, and end with their blocks: which transactions make
    /// one follows from the stream alone, but where the stream has to wait for room. Otherwise a
    /// batch is what is there when the last one is over, and at most as many.
    bool is_deterministic = true;
    std::uint32_t batch = 0;  // transactions; 0: adapted from what is aborted
};

/// What is released waits in a queue. From there on:
///
///   phase       begins when                             tasks of the batch are
///   gathering   the last batch is committed             waiting, in the queue
///   executing   the turn of the first in the queue has  waiting; attempted by any worker
///               come, and enough are there
///   settled     the last of them has been attempted     the first one handed over
///   committing  its turn, by whoever commits            handed over, or ready in the DAG
///
/// Progress: what is at the front of the queue waits for what is before it and for what makes the
/// batch full: the end of its block, more transactions, or the stream's having to wait
/// (stream_waits()).
///
/// Thread safety: as Scheduler says.
class AriaScheduler final : public Scheduler {
public:
    AriaScheduler(const SchedulerContext& context, const AriaSettings& settings);

    [[nodiscard]] Placement arrive(Task& task, std::uint64_t watermark) override;
    void release(Task& task) override;
    void stream_waits(std::uint64_t end) override;
    void stream_goes_on() override;

    [[nodiscard]] ReadyBundle take(unsigned worker, std::span<ReadyItem> items) override;
    [[nodiscard]] std::size_t backlog() const noexcept override;
    [[nodiscard]] bool has_ready() const noexcept override;
    void make_ready(unsigned worker, Task& task) override;

    [[nodiscard]] bool keeps_back() const noexcept override { return true; }
    [[nodiscard]] Task* attempted(unsigned worker, Task& task, bool may_continue) override;
    [[nodiscard]] Sight sight(const Task& task) const noexcept override;
    void settle(unsigned worker, Task& task, TaskState state) override;
    void its_turn(unsigned worker, Task& task, KeptBack& kept) override;
    [[nodiscard]] Repair overtaken(const Task& task) override;
    [[nodiscard]] bool is_commit_awaited(const Task& task) override;
    void committed(unsigned worker, Task& task) override;

    void forget_objects(std::size_t kept_accounts, std::size_t kept_slots) override;
    [[nodiscard]] std::size_t memory_bytes() const noexcept override;
    void add_counts(ParallelStats& stats) const override;

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

    /// A transaction of the batch.
    struct Member {
        std::uint64_t position = 0;
        std::uint64_t gas = 0;       // the transaction's limit
        std::uint32_t next = kNone;  // of the same unit
        std::uint32_t last = kNone;  // of the unit's first: its last
        TaskState settled = TaskState::unattempted;
    };
    /// Beside each task in flight.
    struct Links {
        std::uint32_t member = kNone;  // of the batch while that is attempted
        Sight sight = {};
        bool is_in_dag = false;  // the DAG knows of it
        bool is_held = false;    // the attempt on the state before the batch holds
    };
    /// One worker's: what it has not yet been given of a unit.
    struct alignas(64) Rest {
        std::uint32_t member = kNone;
    };
    /// What was released, in order, by one thread and taken by whoever has claimed the barrier.
    /// Between what belongs to different blocks there is a mark.
    struct Queue {
        static constexpr std::uint64_t kMark = 0;

        explicit Queue(std::size_t capacity);
        [[nodiscard]] std::uint64_t at(std::uint64_t number) const noexcept;
        void push(std::uint64_t entry) noexcept;

        const std::size_t mask;
        std::unique_ptr<StreamAtomics::Atomic<std::uint64_t>[]> entries;
        alignas(64) StreamAtomics::Atomic<std::uint64_t> tail{0};
        StreamAtomics::Atomic<std::uint64_t> last_mark{0};  // number after it
        alignas(64) StreamAtomics::Atomic<std::uint64_t> head{0};
    };

    [[nodiscard]] bool can_form() const noexcept;
    [[nodiscard]] bool form();
    void gather();
    void add_member(std::uint64_t position);
    [[nodiscard]] std::size_t take_units(unsigned worker, std::span<ReadyItem> items);
    [[nodiscard]] bool holds(std::uint32_t index, const Task& task) const;
    void resolve(unsigned worker, std::uint32_t index, KeptBack& kept);
    [[nodiscard]] Placement order(Task& task, bool is_attempted, bool is_held);

    // Immutable after construction.
    const AriaSettings settings_;
    const unsigned workers_;
    Window& window_;
    WorkerParking& parking_;

    PositionRing<Links> links_;
    DagScheduler dag_;
    BatchSize size_;
    Queue queue_;
    BatchBarrier barrier_;
    /// All positions below are committed, as far as values go. Whoever commits.
    alignas(64) StreamAtomics::Atomic<std::uint64_t> next_turn_{1};
    /// Where the stream waits, all that has been submitted lies below; kNever: it does not.
    StreamAtomics::Atomic<std::uint64_t> awaited_{kNever};

    // The batch: filled in by who has claimed the barrier, read by who has taken a unit of it.
    std::vector<Member> members_;
    std::vector<std::uint32_t> units_;  // their first members
    std::vector<Rest> rests_;           // by worker
    ObjectTables writers_;
    Reservations senders_;  // by account
    std::uint64_t last_position_ = 0;
    bool is_resolved_ = true;  // whoever commits
    std::vector<ObjectRequest> requests_;

    Counter batches_;
    Counter aborted_;  // of those that were attempted on the state before the batch
    std::uint32_t aborted_in_batch_ = 0;
};

/// What can be set: see AriaSettings.
inline constexpr std::array<std::string_view, 2> kAriaDeterministicWords = {"on", "off"};
inline constexpr std::array<std::string_view, 1> kAriaBatchWords = {"adaptive"};
inline constexpr std::array kAriaSettings = {
    SettingInfo{.name = "deterministic",
                .description = "batches by count, or by what is there",
                .initial = "on",
                .words = kAriaDeterministicWords},
    SettingInfo{.name = "batch",
                .description = "transactions of a batch",
                .initial = "adaptive",
                .words = kAriaBatchWords,
                .least = 1,
                .most = BatchSize::kMost},
};

[[nodiscard]] std::unique_ptr<Scheduler> make_aria_scheduler(const SchedulerContext& context);

}  // namespace heddle::executor
