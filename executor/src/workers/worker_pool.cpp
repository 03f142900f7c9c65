// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "workers/worker_pool.hpp"

#include <types/assert.hpp>
#include <types/processors.hpp>

#include <executor/executor.hpp>

namespace heddle::executor {

WorkerPool::WorkerPool(bool pins_threads, WorkerParking& parking, Work& work)
    : work_(work), parking_(parking), pins_threads_(pins_threads) {}

// There is a pool before there are threads: where the machine has no room for all of them, its
// destructor ends those that there are.
WorkerPool::WorkerPool(unsigned count, bool pins_threads, WorkerParking& parking, Work& work)
    : WorkerPool(pins_threads, parking, work) {
    HEDDLE_ASSERT(count > 0);
    if (count > processor_count()) parking.sleep_at_once();
    for (unsigned i = 1; i < count; ++i)
        threads_.emplace_back([this, i] { run(i); });
}

WorkerPool::~WorkerPool() {
    is_stopping_.store(true, std::memory_order_seq_cst);
    parking_.notify_others();
    for (StreamAtomics::Thread& thread : threads_)
        thread.join();
}

void WorkerPool::run(unsigned worker) {
    if (pins_threads_) bind_this_thread(worker);
    while (!is_stopping_.load(std::memory_order_relaxed)) {
        if (work_.run_once(worker)) continue;
        parking_.wait(worker, [this, worker] {
            return is_stopping_.load(std::memory_order_seq_cst) || work_.has_work(worker);
        });
    }
}

}  // namespace heddle::executor
