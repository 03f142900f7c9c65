// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Restores stream order: takes the tasks as they stand in the stream, checks that what each attempt
// saw still holds, applies it or runs it again. The only place where results become final; what is
// left of a block when all of it is committed is BlockFinisher's.
//
// There is no committing thread: whoever has finished a task takes the role if it is free (Role).
// The thread that dispatches announces that it wants the role for a task that runs in stream order.
#pragma once

#include <cstdint>
#include <optional>

#include <executor/executor.hpp>

#include "state/committed_state.hpp"
#include "stream/block_finisher.hpp"
#include "stream/block_run.hpp"
#include "stream/in_flight_hashes.hpp"
#include "stream/leaf_hasher.hpp"
#include "stream/role.hpp"
#include "stream/standing.hpp"
#include "stream/window.hpp"
#include "stream/worker.hpp"
#include "workers/counter.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {

class ScheduleObserver;
class Scheduler;
class SetCredit;
class Speculation;

/// What the committer works with. Borrowed: everything outlives it.
struct CommitterParts {
    const Options& options;
    Window& window;
    VersionedState& state;
    InFlightHashes& hashes;
    AttemptPool& attempts;
    LeafHasher& leaves;
    BlockFinisher& finisher;
    Scheduler& scheduler;
    Speculation& speculation;
    SetCredit& set_credit;
    WorkerParking& parking;  // told when the window has moved, and of work beside the stream
    ScheduleObserver* observer = nullptr;  // null: nobody watches
};

/// Whoever commits stays at it as long as there is something to commit. If that is the thread that
/// submits transactions, the other workers run out of them meanwhile.
class Relief {
public:
    virtual ~Relief() = default;
    /// Whether it has to do something that others cannot do.
    [[nodiscard]] virtual bool is_due() const noexcept = 0;
};

/// Thread safety: run() from any worker, run_first() from the one that dispatches; attach() while
/// nothing is in flight; the rest says so.
class Committer final : public StandingJudge {
public:
    explicit Committer(const CommitterParts& parts);

    void attach(const World& world);

    /// Commits what can be committed, unless somebody else does.
    void run(Worker& worker);
    /// The same, and asks whoever does to leave it to this thread.
    void run_first(Worker& worker);
    [[nodiscard]] Standing look_at(Worker& worker, Task& task, Attempt& attempt) override;
    [[nodiscard]] bool is_busy() const noexcept override { return role_.is_taken(); }

    /// Whether there is something for run(); out of date at once.
    [[nodiscard]] bool has_work() const noexcept {
        return !role_.is_taken() && window_.is_committable();
    }

    /// From now on the submitting thread leaves the role to others when this is due; null: it stays
    /// as long as there is work. Called by that thread; borrowed.
    void relieve_by(const Relief* relief) noexcept { relief_ = relief; }

    /// The cells have been forgotten.
    void forget_cells() noexcept { committed_.forget(); }

    /// Gas limits and objects of all tasks committed so far. Any thread.
    [[nodiscard]] std::uint64_t committed_gas() const noexcept { return gas_.get(); }
    [[nodiscard]] std::uint64_t committed_objects() const noexcept { return objects_.get(); }
    /// What was counted of what executing blocks has left, see BlockBytes. Any thread.
    [[nodiscard]] std::size_t made_bytes() const noexcept { return made_bytes_.get(); }

private:
    struct Duty;      // of the role
    class Returning;  // what a policy keeps back

    /// Whether nothing is run any more: the stream is halted, or is going to be.
    [[nodiscard]] bool is_over() const noexcept { return has_failed_ || finisher_.is_halted(); }
    /// Commits the next one; or leaves it to be attempted again, and then it is not committable.
    void run_next(Worker& worker);
    void fetch_ahead(std::uint64_t position) const noexcept;
    void close(Worker& worker, Task& task);
    /// Whether the next task is still settled, and stays so.
    [[nodiscard]] static bool is_ours(Task& task) noexcept;
    /// @return whether the task is to be attempted again; it is no longer the committer's then.
    [[nodiscard]] bool commit(Worker& worker, Task& task);
    [[nodiscard]] static bool fits_block(const Task& task) noexcept;
    void cancel(Task& task);
    void drop(Worker& worker, Task& task, AccountCell* by);
    [[nodiscard]] bool repair(Worker& worker, Task& task);
    [[nodiscard]] bool commit_transaction(Worker& worker, Task& task);
    void begin_block(Worker& worker, Task& task);
    void end_block(Worker& worker, Task& task);
    void run_end(Worker& worker, Task& task);
    void run_in_order(Worker& worker, Task& task);
    void accept(Worker& worker, BlockRun& block, vm::Outcome& outcome);
    /// Of what executing the block has left.
    void count(BlockRun& block, std::size_t bytes) noexcept;
    void publish_receipts(Worker& worker, BlockRun& block, bool is_last);

    // Immutable after construction.
    const Options& options_;
    Window& window_;
    InFlightHashes& hashes_;
    AttemptPool& attempts_;
    LeafHasher& leaves_;
    BlockFinisher& finisher_;
    Scheduler& scheduler_;
    Speculation& speculation_;
    SetCredit& set_credit_;
    WorkerParking& parking_;
    ScheduleObserver* const observer_;
    const bool looks_ahead_;  // the policy does, at attempts
    const bool keeps_back_;   // the policy does, see Scheduler
    const bool fetches_ahead_;

    const Relief* relief_ = nullptr;  // the submitting thread's
    Role role_;
    Counter gas_;
    Counter objects_;
    Counter made_bytes_;

    // Whoever has the role.
    std::optional<World> world_;
    CommittedState committed_;
    /// A block that is going to be rejected has ended: what follows has no state to run on.
    bool has_failed_ = false;
};

}  // namespace heddle::executor
