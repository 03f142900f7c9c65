// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A few threads that wait for loops to share: parallel_for without a library, so that a trie can
// use two cores where it pays. Not a task system.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::ledger {

/// How many threads an option means: 0 stands for one per processor.
[[nodiscard]] unsigned thread_count(unsigned option) noexcept;

/// Thread safety: none; one loop at a time. The threads end with the object.
class WorkerCrew {
public:
    /// The calling thread counts: `thread_count` 1 starts none.
    explicit WorkerCrew(unsigned thread_count);
    WorkerCrew(const WorkerCrew&) = delete;
    WorkerCrew& operator=(const WorkerCrew&) = delete;
    ~WorkerCrew();

    /// Calls `body(i)` for every i below `count`, each once, in any order and on any of the
    /// threads, and returns when all are done. `body` does not throw.
    void for_each(std::size_t count, const std::function<void(std::size_t)>& body);

private:
    void serve();
    void work();

    std::mutex mutex_;
    std::condition_variable started_;
    std::condition_variable finished_;
    // Under mutex_. A loop begins when its number is raised and ends when no helper is in it.
    std::size_t loop_ = 0;
    std::size_t busy_ = 0;
    bool is_stopping_ = false;
    // Set before the loop begins; helpers see them by way of mutex_.
    const std::function<void(std::size_t)>* body_ = nullptr;
    std::size_t count_ = 0;
    std::atomic<std::size_t> next_{0};
    std::vector<std::thread> threads_;
};

}  // namespace heddle::ledger
