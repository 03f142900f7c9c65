// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells an observer of one run of a transaction, from here to the end of the scope. Without an
// observer it costs a comparison.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include <executor/schedule_observer.hpp>

#include "stream/block_run.hpp"
#include "stream/task.hpp"

namespace heddle::executor {

/// Of the clock that events are timed by.
[[nodiscard]] inline std::uint64_t trace_clock_ns() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds{now}.count());
}

class RunTrace {
public:
    using Kind = ScheduleEvent::Kind;

    /// The task may be gone at the end. @param observer  Null: there is none.
    RunTrace(ScheduleObserver* observer, unsigned worker, const Task& task, Kind kind)
        : observer_(observer) {
        if (observer_ == nullptr) [[likely]]
            return;
        event_ = {.kind = kind,
                  .index = task.index,
                  .worker = worker,
                  .attempt = task.withdrawn,
                  .block = task.block->block.header.number,
                  .begin_ns = trace_clock_ns()};
    }
    /// Of a transaction that has no task, at its `place` (block number, index).
    struct Place {
        std::uint64_t block = 0;
        std::uint32_t index = 0;
    };
    RunTrace(ScheduleObserver* observer, unsigned worker, Place place, Kind kind)
        : observer_(observer) {
        if (observer_ == nullptr) [[likely]]
            return;
        event_ = {.kind = kind,
                  .index = place.index,
                  .worker = worker,
                  .block = place.block,
                  .begin_ns = trace_clock_ns()};
    }
    ~RunTrace() {
        if (observer_ == nullptr) [[likely]]
            return;
        event_.end_ns = trace_clock_ns();
        observer_->on_event(event_);
    }
    RunTrace(const RunTrace&) = delete;
    RunTrace& operator=(const RunTrace&) = delete;

    void becomes(Kind kind) noexcept { event_.kind = kind; }

private:
    ScheduleObserver* const observer_;
    ScheduleEvent event_;
};

/// What `action` gives, which runs the transaction at `place`.
template <typename Action>
auto traced(ScheduleObserver* observer, unsigned worker, RunTrace::Place place, RunTrace::Kind kind,
            Action&& action) {
    const RunTrace trace(observer, worker, place, kind);
    return std::forward<Action>(action)();
}

}  // namespace heddle::executor
