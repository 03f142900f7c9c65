// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The executing threads: where they look for work and where they wait for it. What work is is not
// their business.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include <vm/evm.hpp>

#include "parking_lot.hpp"
#include "worker.hpp"

namespace heddle::executor {

/// What a pool does for its owner.
class Work {
public:
    virtual ~Work() = default;
    /// Runs ready tasks, which were taken from the queue of worker `from`.
    virtual void run(Worker& worker, std::span<const ReadyItem> items, unsigned from) = 0;
    /// Something to do beside the stream. @return whether there was anything.
    virtual bool run_aside(Worker& worker) = 0;
    /// Something to do in the stream that is in no queue. @return whether there was anything.
    virtual bool run_other(Worker& worker) = 0;
    /// Whether there is something for one of these two.
    [[nodiscard]] virtual bool has_other() const noexcept = 0;
};

/// Worker 0 is the thread that owns the pool: it helps while it waits. Every worker takes
/// from its own queue or what was dispatched, whichever is older, then from the others'; a ready
/// task never waits while a worker is idle. What is to be done beside the stream is done by the
/// others first, by the owning thread last: it has what it dispatched in its caches.
///
/// Thread safety: help_*() by the owning thread; the rest says so.
class WorkerPool {
public:
    /// @param count  Workers, the owning thread included; at least one.
    /// @param pins_threads  See DagOptions::pin_threads.
    WorkerPool(unsigned count, bool pins_threads, const vm::EvmOptions& options,
               std::size_t queue_capacity, Work& work);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    [[nodiscard]] Worker& owner() noexcept { return *workers_.front(); }
    [[nodiscard]] std::span<const std::unique_ptr<Worker>> workers() const noexcept {
        return workers_;
    }

    /// A task is ready. Wakes somebody if anybody sleeps. The worker's own thread.
    void push(Worker& worker, ReadyItem item) noexcept { push(worker.queue, item); }
    /// The same, from the thread that dispatches.
    void push(ReadyItem item) noexcept { push(dispatched_, item); }
    /// There is something for Work::run_aside() or run_other().
    void notify_any() noexcept {
        if (!parking_.notify()) owner_parking_.notify();
    }
    /// Something changed that the owning thread may wait for.
    void notify_owner() noexcept { owner_parking_.notify(); }

    /// Ready tasks that nobody has taken yet; out of date at once.
    [[nodiscard]] std::size_t backlog() const noexcept;

    /// The owning thread takes part once. @return whether there was anything to do.
    bool help_once();
    /// The owning thread takes part until `is_done()`, which is looked at again after
    /// notify_owner().
    template <typename IsDone>
    void help_until(IsDone&& is_done) {
        while (!is_done()) {
            if (help_once()) continue;
            owner_parking_.wait([&] { return is_done() || has_work(); });
        }
    }

private:
    void push(ReadyQueue& queue, ReadyItem item) noexcept;
    void run(Worker& worker);
    bool work_once(Worker& worker);
    [[nodiscard]] bool has_work() const noexcept;

    Work& work_;
    const bool pins_threads_;
    ParkingLot parking_;        // all but the owning thread
    ParkingLot owner_parking_;  // it waits for other things too
    std::atomic<bool> is_stopping_{false};
    ReadyQueue dispatched_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::thread> threads_;
};

}  // namespace heddle::executor
