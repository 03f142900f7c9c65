// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Until when a client may take what is being written to it: a deadline of progress. One that takes
// a large answer slowly but steadily gets all of it; one that takes nothing, or next to nothing,
// does not hold its memory for longer than a short answer's.
#pragma once

#include <chrono>
#include <cstddef>

namespace heddle::node::rpc {

/// Thread safety: none.
class WriteDeadline {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// @param time   In which each part of `bytes` has to be taken, and what is left at last.
    /// @param bytes  At least one.
    void begin(Time now, std::chrono::milliseconds time, std::size_t bytes) noexcept {
        time_ = time;
        part_bytes_ = bytes;
        next_bytes_ = bytes;
        deadline_ = now + time;
    }
    /// So many bytes have been taken since begin().
    void note(Time now, std::size_t bytes) noexcept {
        if (bytes < next_bytes_) return;
        next_bytes_ = bytes + part_bytes_;
        deadline_ = now + time_;
    }
    /// All of it has been taken, or nothing is written.
    void end() noexcept { deadline_ = Time::max(); }
    [[nodiscard]] Time get() const noexcept { return deadline_; }

private:
    std::chrono::milliseconds time_{};
    std::size_t part_bytes_ = 1;
    std::size_t next_bytes_ = 1;
    Time deadline_ = Time::max();
};

}  // namespace heddle::node::rpc
