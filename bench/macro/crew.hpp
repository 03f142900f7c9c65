// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads of the synthetic executors, with the executor's ready queues and parking lot: one
// queue per thread, own queue first, then the others'. What a position means is its user's
// business.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <types/assert.hpp>

#include <parking_lot.hpp>
#include <ready_queue.hpp>

#include "machine.hpp"

namespace heddle::bench {

/// Thread 0 is the one that makes the crew; it works only when it calls run_one().
class Crew {
public:
    using Execute = std::function<void(unsigned thread, std::uint64_t position)>;

    /// @param most_ready  Positions that can be ready at a time.
    Crew(unsigned threads, std::size_t most_ready, Execute execute) : execute_(std::move(execute)) {
        for (unsigned i = 0; i <= threads; ++i)
            queues_.push_back(std::make_unique<executor::ReadyQueue>(most_ready));
        bind_to_processor(0);
        for (unsigned i = 1; i < threads; ++i)
            threads_.emplace_back([this, i] {
                bind_to_processor(i);
                work(i);
            });
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() {
        is_stopping_.store(true, std::memory_order_seq_cst);
        lot_.notify();
        for (std::thread& thread : threads_)
            thread.join();
    }

    /// By thread 0: ready from the start.
    void add_ready(std::uint64_t position) { add(queues_.size() - 1, position); }
    /// By that thread: it has been woken.
    void add_woken(unsigned thread, std::uint64_t position) { add(thread, position); }

    /// @return whether there was something to do.
    bool run_one(unsigned thread) {
        std::array<executor::ReadyItem, 1> item;
        const std::size_t threads = queues_.size() - 1;
        for (std::size_t i = 0; i <= threads; ++i) {
            const std::size_t queue = i == threads ? threads : (thread + i) % threads;
            if (queues_[queue]->take(item, ~std::uint64_t{0}) == 0) continue;
            execute_(thread, item[0].position);
            return true;
        }
        return false;
    }

private:
    void add(std::size_t queue, std::uint64_t position) {
        HEDDLE_ASSERT(queues_[queue]->push({position, 0}));
        lot_.notify();
    }
    void work(unsigned thread) {
        const auto has_work = [this] {
            if (is_stopping_.load(std::memory_order_seq_cst)) return true;
            for (const auto& queue : queues_)
                if (queue->size() != 0) return true;
            return false;
        };
        while (!is_stopping_.load(std::memory_order_relaxed)) {
            if (!run_one(thread)) lot_.wait(has_work);
        }
    }

    Execute execute_;
    std::vector<std::unique_ptr<executor::ReadyQueue>> queues_;
    executor::ParkingLot lot_;
    std::atomic<bool> is_stopping_{false};
    std::vector<std::thread> threads_;
};

}  // namespace heddle::bench
