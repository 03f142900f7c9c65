// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The executor's core on synthetic transactions: its records, nodes, workers, ready queues, bounds
// of the window and role of the committer; without the EVM, so that what is measured is scheduling.
// The same with a barrier after each batch is the epoch-batched executor, and without the order the
// one with locks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include <stream/role.hpp>
#include <stream/window_bounds.hpp>

#include "access_stream.hpp"
#include "crew.hpp"
#include "dag_dispatcher.hpp"
#include "dispatch_flow.hpp"
#include "machine.hpp"
#include "synthetic_job.hpp"

namespace heddle::bench {

struct CoreOptions {
    unsigned threads = 2;         // the dispatching one included
    bool dispatcher_runs = true;  // whether it executes while it waits
    /// Not 0: a batch is dispatched when all of it has arrived and the one before is committed.
    std::size_t batch = 0;
};

/// What both executors share: arrivals in order, waiting for them.
class CoreClock {
public:
    CoreClock() : start_(now_ns()) {}
    [[nodiscard]] std::uint64_t now() const noexcept { return now_ns() - start_; }

private:
    std::uint64_t start_;
};

/// Deterministic: conflicting transactions in stream order, commit in stream order.
class StreamingCore {
public:
    static constexpr std::size_t kWindow = 16'384;

    StreamingCore(const SyntheticJob& job, const CoreOptions& options)
        : job_(job),
          options_(options),
          times_(job.stream.size()),
          dispatcher_(job.objects, kWindow, job.stream.objects_per_tx()),
          is_complete_(kWindow) {
        HEDDLE_ASSERT(options.batch <= kWindow);
    }

    [[nodiscard]] SyntheticTimes run() {
        Crew crew(options_.threads, kWindow,
                  [this](unsigned thread, std::uint64_t position) { execute(thread, position); });
        crew_ = &crew;
        clock_ = CoreClock{};
        const std::size_t count = job_.stream.size();
        for (std::size_t i = 0; i < count; ++i) {
            prefetch(i);
            wait_for_turn(i);
            const std::uint64_t position = i + 1;
            times_.dispatched[i] = clock_.now();
            // Before anybody can complete it, as in the executor.
            bounds_.set_dispatched(position + 1, false);
            if (dispatcher_.dispatch(position, job_.stream[i], bounds_.committed(), job_.writes))
                crew.add_ready(position);
        }
        wait_until([&] { return bounds_.committed() > count; });
        return std::move(times_);
    }

private:
    static constexpr std::size_t kLookAhead = 8;

    void prefetch(std::size_t i) {
        if (i + kLookAhead >= job_.stream.size()) return;
        for (const std::uint32_t object : job_.stream[i + kLookAhead])
            dispatcher_.prefetch(object);
    }

    template <typename Condition>
    void wait_until(Condition&& condition) {
        unsigned idle = 0;
        while (!condition()) {
            if (options_.dispatcher_runs && crew_->help_once())
                idle = 0;
            else
                idle_briefly(idle);
        }
    }

    void wait_for_turn(std::size_t i) {
        const std::size_t batch = options_.batch;
        if (batch != 0 && i % batch == 0) wait_until([&] { return bounds_.committed() > i; });
        if (!job_.arrivals.empty()) {
            const std::size_t last =
                batch == 0 ? i : std::min(i / batch * batch + batch, job_.arrivals.size()) - 1;
            wait_until([&] { return clock_.now() >= job_.arrivals[last]; });
        }
        wait_until([&] { return i + 1 - bounds_.committed() < kWindow; });
    }

    void execute(unsigned thread, std::uint64_t position) {
        times_.started[position - 1] = clock_.now();
        job_.serve(position);
        times_.completed[position - 1] = clock_.now();
        dispatcher_.complete(position,
                             [&](std::uint64_t woken) { crew_->add_woken(thread, woken); });
        is_complete_[position % kWindow].store(1, std::memory_order_release);
        role_.run(Duty{*this});
    }

    /// Whatever one run commits is committed at one moment.
    struct Duty {
        StreamingCore& core;
        std::uint64_t now = 0;

        [[nodiscard]] bool has_work() const noexcept {
            return core.bounds_.is_committable([this](std::uint64_t position) {
                return core.is_complete_[position % kWindow].load(std::memory_order_acquire) != 0;
            });
        }
        void run_once() {
            if (now == 0) now = core.clock_.now();
            core.commit(core.bounds_.committed(), now);
        }
        void before_giving_back() noexcept {
            core.bounds_.announce_committed();
            now = 0;
        }
        void after_giving_back() noexcept {}
    };

    void commit(std::uint64_t position, std::uint64_t& now) {
        is_complete_[position % kWindow].store(0, std::memory_order_relaxed);
        dispatcher_.commit(position);
        now = std::max(now, times_.completed[position - 1]);
        times_.committed[position - 1] = now;
        bounds_.set_committed(position + 1);
    }

    const SyntheticJob& job_;
    const CoreOptions options_;
    SyntheticTimes times_;
    DagDispatcher dispatcher_;
    std::vector<std::atomic<std::uint8_t>> is_complete_;
    Crew* crew_ = nullptr;
    CoreClock clock_;
    executor::WindowBounds bounds_;
    executor::Role role_;
};

/// Not deterministic: a transaction runs when a thread is free, under the locks of its objects,
/// taken in ascending order (DORADD §5.2). Nothing is committed in order.
class LockingCore {
public:
    LockingCore(const SyntheticJob& job, const CoreOptions& options)
        : job_(job), options_(options), times_(job.stream.size()), locks_(job.objects) {}

    [[nodiscard]] SyntheticTimes run() {
        const std::size_t count = job_.stream.size();
        Crew crew(options_.threads, count,
                  [this](unsigned, std::uint64_t position) { execute(position); });
        clock_ = CoreClock{};
        const auto wait_until = [&](auto&& condition) {
            unsigned idle = 0;
            while (!condition()) {
                if (options_.dispatcher_runs && crew.help_once())
                    idle = 0;
                else
                    idle_briefly(idle);
            }
        };
        for (std::size_t i = 0; i < count; ++i) {
            if (!job_.arrivals.empty())
                wait_until([&] { return clock_.now() >= job_.arrivals[i]; });
            times_.dispatched[i] = clock_.now();
            crew.add_ready(i + 1);
        }
        wait_until([&] { return finished_.load(std::memory_order_acquire) == count; });
        times_.committed = times_.completed;
        return std::move(times_);
    }

private:
    void execute(std::uint64_t position) {
        std::vector<std::uint32_t>& objects = scratch();
        const auto accessed = job_.stream[position - 1];
        objects.assign(accessed.begin(), accessed.end());
        std::ranges::sort(objects);
        for (const std::uint32_t object : objects)
            __builtin_prefetch(&locks_[object], 1);
        for (const std::uint32_t object : objects) {
            unsigned idle = 0;
            while (locks_[object].exchange(1, std::memory_order_acquire) != 0)
                idle_briefly(idle);
        }
        times_.started[position - 1] = clock_.now();
        job_.serve(position);
        times_.completed[position - 1] = clock_.now();
        for (auto object = objects.rbegin(); object != objects.rend(); ++object)
            locks_[*object].store(0, std::memory_order_release);
        finished_.fetch_add(1, std::memory_order_release);
    }
    [[nodiscard]] static std::vector<std::uint32_t>& scratch() {
        thread_local std::vector<std::uint32_t> objects;
        return objects;
    }

    const SyntheticJob& job_;
    const CoreOptions options_;
    SyntheticTimes times_;
    HugeArray<std::atomic<std::uint32_t>> locks_;
    CoreClock clock_;
    std::atomic<std::uint64_t> finished_{0};
};

}  // namespace heddle::bench
