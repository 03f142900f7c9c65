// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Hands lanes entries that they have had before, or that another lane has: on a thread of its own,
// so that nobody waits for a lane that does not answer. What cannot be sent is dropped, for whoever
// gives it gives it again later (open_placements.hpp), or the placement is rejected by its age.
//
// mutex_ guards the queue, is_stopped_ and the counters; it is held for a few instructions, never
// while a lane is asked. All else belongs to the thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "lanes/lane_placer.hpp"
#include "lanes/open_placements.hpp"

namespace heddle::node::lanes {

struct EntrySenderOptions {
    std::size_t most_waiting = 4'096;  // what comes beyond it is dropped
    std::size_t most_bytes = std::size_t{16} << 20;
    std::size_t most_of_batch = 500;
    std::size_t most_bytes_of_batch = std::size_t{512} << 10;
    /// A lane whose CometBFT does not answer is left alone so long.
    std::chrono::milliseconds rest{2'000};
};

/// An entry counts once for each lane that it is for.
struct EntrySenderCounters {
    std::uint64_t sent = 0;     // a lane has taken it, or had it
    std::uint64_t dropped = 0;  // by a lane, for want of room, or because it was stopped
};

/// Thread safety: any.
class EntrySender {
public:
    /// @param send  Called from the thread. @param open  Told of lanes that fail; outlives it.
    EntrySender(LanePlacer::Send send, OpenPlacements& open, EntrySenderOptions options = {});
    /// As stop().
    ~EntrySender();
    EntrySender(const EntrySender&) = delete;
    EntrySender& operator=(const EntrySender&) = delete;

    void give(std::vector<SentEntry> entries);
    [[nodiscard]] EntrySenderCounters counters() const;
    /// Waits for the call that is being made, at most its timeout. Makes no other one.
    void stop();

private:
    using Clock = std::chrono::steady_clock;
    using LaneNumber = consensus_adapter::lanes::LaneNumber;

    void run();
    [[nodiscard]] bool is_stopped() const;
    [[nodiscard]] std::vector<SentEntry> take();
    void send(LaneNumber lane, const std::vector<SentEntry>& batch);

    const LanePlacer::Send send_;
    OpenPlacements& open_;
    const EntrySenderOptions options_;

    mutable std::mutex mutex_;
    std::condition_variable wakeup_;
    std::deque<SentEntry> waiting_;  // guarded by mutex_, as what follows
    std::size_t bytes_ = 0;
    bool is_stopped_ = false;
    EntrySenderCounters counters_;

    std::vector<Clock::time_point> rests_until_;  // by lane; of the thread
    std::thread thread_;
};

}  // namespace heddle::node::lanes
