// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The execution phase of the block builder: units of transactions on many threads, all on the
// state as it is committed, each unit's transactions one after the other and on each other's
// values. What becomes of what they did is its user's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <types/block.hpp>
#include <types/object.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

#include <executor/options.hpp>
#include <executor/schedule_observer.hpp>

#include "aria/reordering.hpp"
#include "state/attempt.hpp"
#include "state/versioned_state.hpp"
#include "stream/worker.hpp"
#include "workers/batch_barrier.hpp"
#include "workers/worker_parking.hpp"
#include "workers/worker_pool.hpp"

namespace heddle::executor {

/// A transaction that is being tried.
struct Trial {
    std::size_t candidate = 0;  // number
    const Transaction* tx = nullptr;
    std::size_t size_bytes = 0;
    std::optional<Uint256> upfront_cost;  // wei; absent: nobody can own as much

    // Of its last attempt.
    Attempt* attempt = nullptr;  // null: there is none, or it could not be validated
    unsigned worker = 0;         // whose buffers it has
    ObjectSet objects;
    Stamp stamp = 0;            // under which it was seen by its unit
    bool is_published = false;  // to its unit
    std::uint64_t gas = 0;      // that executing it has taken

    std::vector<ScheduleEvent> runs;  // its attempts, where somebody watches; without its index

    bool is_in = false;  // the block
    Stamp written = 0;   // under which, then
};

/// Transactions that are run one after the other: those of one sender, and others that are known to
/// disturb each other.
struct Unit {
    std::vector<std::uint32_t> trials;  // in the order of the candidates
    Footprint footprint;                // of all of them, where all have an attempt
    bool is_whole = false;              // all of them have
};

/// Thread safety: the thread that made it, which is one of the workers.
class BatchExecution final : private Work {
public:
    /// @param is_watched  Whether Trial::runs is filled.
    BatchExecution(const Options& options, const BlockHashes& block_hashes,
                   bool is_watched = false);
    ~BatchExecution() override = default;

    /// Nobody remembers anything; what is read is read from `base`.
    void attach(const StateView& base, const BlockEnv& env);

    /// Attempts all of them on what is committed. Fills in trials and footprints.
    /// @param first_position  Above all that is committed; as many from there on are used as there
    ///                        are trials.
    /// @param touches         Where footprints are reserved; null: nowhere.
    /// @param beside          What the calling thread does first, while the others have begun.
    void run(std::span<Trial> trials, std::span<Unit> units, std::uint64_t first_position,
             FirstTouches* touches, const std::function<void()>& beside);
    /// What the attempt's unit was shown is there no more, but code.
    static void hide(Trial& trial) noexcept;
    /// The attempt is not needed any more. While nobody attempts anything.
    void give_back(Trial& trial);

    [[nodiscard]] VersionedState& state() noexcept { return state_; }
    /// Of the calling thread.
    [[nodiscard]] Worker& worker() noexcept { return *workers_.front(); }
    [[nodiscard]] unsigned workers() const noexcept {
        return static_cast<unsigned>(workers_.size());
    }

private:
    bool run_once(unsigned worker) override;
    [[nodiscard]] bool has_work(unsigned worker) const noexcept override;
    void run(Worker& worker, std::uint32_t index);
    void order_units();
    /// As attempt(), and notes from when to when it ran.
    [[nodiscard]] bool attempt_watched(Worker& worker, Trial& trial, std::uint64_t position,
                                       std::uint64_t unit);
    [[nodiscard]] bool attempt(Worker& worker, Trial& trial, std::uint64_t position,
                               std::uint64_t unit);

    // Immutable after construction.
    const BlockHashes& block_hashes_;
    const bool is_watched_;
    const std::vector<std::unique_ptr<Worker>> workers_;  // the calling thread's first

    WorkerParking parking_;
    VersionedState state_;
    AttemptPool attempts_;
    BatchBarrier barrier_;
    StreamAtomics::Atomic<bool> is_over_{true};
    alignas(64) StreamAtomics::Atomic<bool> code_turn_{false};

    // The batch: filled in by the calling thread, read by who has taken a unit of it.
    BlockEnv env_;
    AccountCell* beneficiary_ = nullptr;
    std::span<Trial> trials_;
    std::span<Unit> units_;
    std::vector<std::uint32_t> order_;  // in which they are handed out
    std::uint64_t first_position_ = 0;
    FirstTouches* touches_ = nullptr;

    // Last, so that the threads end before what they use.
    WorkerPool pool_;
};

}  // namespace heddle::executor
