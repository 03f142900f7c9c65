// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads that work, one of them the thread that owns the pool. What work is and in which order
// it is done is not their business.
#pragma once

#include <vector>

#include "workers/atomics.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {

/// What a pool does for its owner.
class Work {
public:
    virtual ~Work() = default;
    /// Does something. @return whether there was anything to do.
    virtual bool run_once(unsigned worker) = 0;
    /// Whether there is something for the worker's run_once(); sequentially consistent, see
    /// ParkingLot.
    [[nodiscard]] virtual bool has_work(unsigned worker) const noexcept = 0;
};

/// Worker 0 is the thread that owns the pool: it helps while it waits.
///
/// Thread safety: the owning thread.
class WorkerPool {
public:
    /// @param count  Workers, the owning thread included; at least one.
    /// @param pins_threads  See ParallelOptions::pin_threads.
    /// Errors: std::system_error where the machine does not give it so many threads.
    WorkerPool(unsigned count, bool pins_threads, WorkerParking& parking, Work& work);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// The owning thread takes part once. @return whether there was anything to do.
    bool help_once() { return work_.run_once(0); }
    /// The owning thread takes part until `is_done()`, which is looked at again after
    /// WorkerParking::notify_owner().
    template <typename IsDone>
    void help_until(IsDone&& is_done) {
        while (!is_done()) {
            if (help_once()) continue;
            parking_.wait_as_owner([&] { return is_done() || work_.has_work(0); });
        }
    }

private:
    WorkerPool(bool pins_threads, WorkerParking& parking, Work& work);

    void run(unsigned worker);

    Work& work_;
    WorkerParking& parking_;
    const bool pins_threads_;
    StreamAtomics::Atomic<bool> is_stopping_{false};
    std::vector<StreamAtomics::Thread> threads_;
};

}  // namespace heddle::executor
