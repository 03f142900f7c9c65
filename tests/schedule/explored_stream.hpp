// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the executor is built on when a whole stream is explored (see workers/atomics.hpp): atomics,
// locks and threads of which the explorer decides who goes on.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "explored_atomics.hpp"

namespace heddle::test {

class ExploredMutex {
public:
    void lock() noexcept {
        while (is_held_.exchange(true))
            is_held_.wait(true);
    }
    void unlock() noexcept {
        is_held_.store(false);
        is_held_.notify_one();
    }

private:
    ExploredAtomic<bool> is_held_{false};
};

/// A thread that the code under exploration starts. The case that made it runs its body as one of
/// its own threads, see take_explored_threads(); join() waits for that.
class ExploredThread {
public:
    explicit ExploredThread(std::function<void()> body) : shared_(std::make_shared<Shared>()) {
        shared_->body = std::move(body);
        started().push_back(shared_);
    }
    void join() noexcept { shared_->is_done.wait(false); }

private:
    friend std::vector<std::function<void()>> take_explored_threads();

    struct Shared {
        std::function<void()> body;
        ExploredAtomic<bool> is_done{false};
    };
    static std::vector<std::shared_ptr<Shared>>& started() {
        thread_local std::vector<std::shared_ptr<Shared>> threads;
        return threads;
    }

    std::shared_ptr<Shared> shared_;
};

/// The bodies of those started since the last time, in order.
[[nodiscard]] inline std::vector<std::function<void()>> take_explored_threads() {
    std::vector<std::function<void()>> bodies;
    for (const auto& shared : std::exchange(ExploredThread::started(), {}))
        bodies.emplace_back([shared] {
            shared->body();
            shared->is_done.store(true);
            shared->is_done.notify_all();
        });
    return bodies;
}

struct ExploredStream {
    template <typename T>
    using Atomic = ExploredAtomic<T>;
    using Mutex = ExploredMutex;
    using Thread = ExploredThread;
    /// Whoever would look again and again sleeps at once: all that looking shows is in other
    /// schedules.
    static constexpr unsigned kPatience = 0;
    /// No time passes: a schedule that is driven again runs as before.
    [[nodiscard]] static std::int64_t ticks() noexcept { return 0; }
};

}  // namespace heddle::test
