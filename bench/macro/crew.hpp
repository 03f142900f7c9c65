// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads of the synthetic executors: the executor's own workers, ready queues and parking
// lots. What a position means is its user's business.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include <executor/executor.hpp>

#include <workers/ready_queues.hpp>
#include <workers/worker_parking.hpp>
#include <workers/worker_pool.hpp>

namespace heddle::bench {

/// Thread 0 is the one that makes the crew; it works only when it calls help_once().
class Crew final : private executor::Work {
public:
    using Execute = std::function<void(unsigned thread, std::uint64_t position)>;

    /// @param most_ready  Positions that can be ready at a time.
    Crew(unsigned threads, std::size_t most_ready, Execute execute)
        : execute_(std::move(execute)),
          ready_(threads, most_ready, parking_),
          pool_(threads, true, parking_, *this) {
        executor::bind_this_thread(0);
    }

    /// By thread 0: ready from the start.
    void add_ready(std::uint64_t position) { ready_.push_dispatched({position, 0}); }
    /// By that thread: it has been woken.
    void add_woken(unsigned thread, std::uint64_t position) { ready_.push(thread, {position, 0}); }

    /// By thread 0. @return whether there was something to do.
    bool help_once() { return pool_.help_once(); }

private:
    bool run_once(unsigned thread) override {
        std::array<executor::ReadyItem, 1> item;
        if (ready_.take(thread, item, 0, executor::ReadyQueue::kNoPosition).count == 0)
            return false;
        execute_(thread, item[0].position);
        return true;
    }
    [[nodiscard]] bool has_work(unsigned /*thread*/) const noexcept override {
        return ready_.has_ready();
    }

    Execute execute_;
    executor::WorkerParking parking_;
    executor::ReadyQueues ready_;
    executor::WorkerPool pool_;  // last, so that the threads end before what they use
};

}  // namespace heddle::bench
