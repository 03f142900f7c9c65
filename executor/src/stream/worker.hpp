// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one executing thread owns: its machine, its view, its attempts, its counters.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include <executor/stats.hpp>

#include "state/access_forecaster.hpp"
#include "state/attempt.hpp"
#include "state/attempt_view.hpp"
#include "stream/leaf_maker.hpp"
#include "workers/counter.hpp"

namespace heddle::executor {

struct alignas(64) Worker {
    Worker(unsigned number, vm::EvmOptions options) : index(number), evm(std::move(options)) {}

    void reset_counters() noexcept {
        for (Counter* counter :
             {&executed, &stolen, &continued, &unattempted, &in_order, &repaired, &stopped, &held,
              &checked, &taken_back, &suspended, &attempted_gas, &wasted_gas, &in_order_gas})
            counter->reset();
    }
    void add_counts(ParallelStats& stats) const noexcept {
        stats.executed += executed.get();
        stats.stolen += stolen.get();
        stats.continued += continued.get();
        stats.in_order += in_order.get();
        stats.unattempted += unattempted.get();
        stats.repaired += repaired.get();
        stats.stopped += stopped.get();
        stats.held += held.get();
        stats.checked += checked.get();
        stats.taken_back += taken_back.get();
        stats.suspended += suspended.get();
        stats.attempted_gas += attempted_gas.get();
        stats.wasted_gas += wasted_gas.get();
        stats.in_order_gas += in_order_gas.get();
    }

    /// Attempts not in use, the last one given back first: its memory is still in the caches.
    [[nodiscard]] Attempt& take_attempt(AttemptPool& pool) {
        if (attempts.empty()) pool.take(attempts);
        Attempt& attempt = *attempts.back();
        attempts.pop_back();
        return attempt;
    }
    void give_back(Attempt& attempt, AttemptPool& pool) {
        attempt.trim();
        attempts.push_back(&attempt);
        if (attempts.size() > 4 * AttemptPool::kBatch) pool.give_back(attempts);
    }

    const unsigned index;
    vm::Evm evm;
    AttemptView view;
    std::vector<Attempt*> attempts;
    /// Of whatever runs in stream order on this thread.
    vm::Outcome outcome;
    LeafMaker leaf;
    AccessForecaster forecaster;
    std::uint64_t delays = 0;  // state of the generator of artificial delays

    Counter executed;     // attempts ahead of their turn
    Counter stolen;       // of these, taken from another worker's queue
    Counter continued;    // of these, run at once by the worker that released them
    Counter unattempted;  // could not be validated ahead of their turn
    Counter in_order;     // run at their turn by decision of the scheduler
    Counter repaired;     // overtaken and run again at their turn
    Counter stopped;      // attempts that were ended before their end
    Counter held;         // not attempted, because attempts of the kind were overtaken of late
    Counter checked;      // attempts looked at ahead of their turn
    Counter taken_back;   // of these, overtaken, to be made again
    Counter suspended;    // attempts that have read what was going to be replaced, to be made again

    // Gas, as vm::Supervisor counts it.
    Counter attempted_gas;  // of all attempts ahead of their turn
    Counter wasted_gas;     // of those among them that were not accepted
    Counter in_order_gas;   // of what was run at its turn
};

}  // namespace heddle::executor
