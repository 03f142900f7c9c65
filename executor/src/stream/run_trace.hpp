// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells an observer of one run of a transaction, from here to the end of the scope. Without an
// observer it costs a comparison.
#pragma once

#include <chrono>
#include <cstdint>

#include <executor/schedule_observer.hpp>

#include "stream/block_run.hpp"
#include "stream/task.hpp"

namespace heddle::executor {

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
                  .begin_ns = now_ns()};
    }
    ~RunTrace() {
        if (observer_ == nullptr) [[likely]]
            return;
        event_.end_ns = now_ns();
        observer_->on_event(event_);
    }
    RunTrace(const RunTrace&) = delete;
    RunTrace& operator=(const RunTrace&) = delete;

    void becomes(Kind kind) noexcept { event_.kind = kind; }

private:
    [[nodiscard]] static std::uint64_t now_ns() noexcept {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<std::uint64_t>(std::chrono::nanoseconds{now}.count());
    }

    ScheduleObserver* const observer_;
    ScheduleEvent event_;
};

}  // namespace heddle::executor
