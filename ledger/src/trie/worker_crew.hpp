// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A few threads that wait for loops to share: parallel_for without a library, so that a trie can
// use several cores where it pays. Not a task system.
//
// A loop is open from the moment its number is raised until the caller finds nothing left to do. A
// helper that wakes meanwhile joins it; one that the system wakes later sleeps on, and nobody
// waits for it. The caller returns when it is alone.
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
    /// `worker` is the number of the thread, below thread_count(); the calling one is 0.
    using Body = std::function<void(std::size_t i, unsigned worker)>;

    /// The calling thread counts: `thread_count` 1 starts none.
    /// Errors: std::system_error where the machine does not give it so many threads.
    explicit WorkerCrew(unsigned thread_count);
    WorkerCrew(const WorkerCrew&) = delete;
    WorkerCrew& operator=(const WorkerCrew&) = delete;
    ~WorkerCrew();

    [[nodiscard]] unsigned thread_count() const noexcept {
        return static_cast<unsigned>(threads_.size()) + 1;
    }

    /// Calls `body(i)` for every i below `count`, each once, in any order and on any of the
    /// threads, and returns when all are done. `body` does not throw.
    void for_each(std::size_t count, const std::function<void(std::size_t)>& body);
    /// The same, and says by which thread: calls with the same `worker` come one after another.
    void for_each_on_workers(std::size_t count, const Body& body);
    /// Calls `body(begin, end)` for pieces of at most `size` that together are everything below
    /// `count`. `crew` null: one call.
    static void for_pieces(WorkerCrew* crew, std::size_t count, std::size_t size,
                           const std::function<void(std::size_t begin, std::size_t end)>& body);

private:
    void stop();
    void serve(unsigned worker);
    void work(unsigned worker);

    std::mutex mutex_;
    std::condition_variable started_;
    std::condition_variable finished_;
    // Under mutex_.
    std::size_t loop_ = 0;
    std::size_t busy_ = 0;  // helpers that have joined the loop and not left it
    bool is_open_ = false;
    bool is_stopping_ = false;
    // Set before the loop opens, when no helper is in one; seen by way of mutex_ by those who join.
    const Body* body_ = nullptr;
    std::size_t count_ = 0;
    std::atomic<std::size_t> next_{0};  // hands out numbers and nothing else: relaxed
    std::vector<std::thread> threads_;
};

}  // namespace heddle::ledger
