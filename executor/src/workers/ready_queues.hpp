// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A ready set for policies that run the oldest first and steal: a queue for what is found ready
// where tasks arrive, and one for each worker, for what that worker has made ready.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "workers/ready_queue.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {

/// What a worker has taken.
struct ReadyBundle {
    std::size_t count = 0;
    bool is_stolen = false;  // from another worker's queue
    /// With none taken: something was done all the same, after which a commit may be due.
    bool has_worked = false;
};

/// How far ahead of the committer a worker follows what it has made ready itself, instead of going
/// back to the oldest that is ready.
inline constexpr std::uint64_t kMaxAhead = 128;

/// Every worker takes from its own queue or what was dispatched, whichever is older, then from the
/// others'; a ready task never waits while a worker is idle. Far ahead of the committer it takes
/// the oldest of all queues: what is attempted there keeps budget and memory until its turn, for
/// which what is older has to run.
///
/// Thread safety: push() by the worker's thread, push_dispatched() by the one that dispatches,
/// the rest any.
class ReadyQueues {
public:
    /// @param capacity  Of each queue: what can be ready at a time.
    ReadyQueues(unsigned workers, std::size_t capacity, WorkerParking& parking);

    /// A task is ready. Wakes somebody if anybody sleeps.
    void push(unsigned worker, ReadyItem item) noexcept { push(*queues_[worker], item); }
    void push_dispatched(ReadyItem item) noexcept { push(dispatched_, item); }

    /// The oldest, and with it the next ones of the same queue while their gas together stays
    /// within `max_gas`; at most as many as `items` has room for. By position.
    /// @param committed  All positions below are; what is more than kNear for each worker beyond is
    ///                   not taken while another worker's queue has something older.
    [[nodiscard]] ReadyBundle take(unsigned worker, std::span<ReadyItem> items,
                                   std::uint64_t max_gas, std::uint64_t committed) noexcept;

    /// Tasks that nobody has taken yet; out of date at once.
    [[nodiscard]] std::size_t backlog() const noexcept;
    /// Whether there are any; sequentially consistent, see ParkingLot.
    [[nodiscard]] bool has_ready() const noexcept;

private:
    /// So many are about what a worker does between two commits of another one.
    static constexpr std::uint64_t kNear = 8;

    /// What a worker takes from, then the other one of its own queue and what was dispatched.
    struct Choice {
        ReadyQueue* first;
        ReadyQueue* second;
        bool is_stolen;  // the first is another worker's
    };
    [[nodiscard]] ReadyBundle take_any(unsigned worker, std::span<ReadyItem> items,
                                       std::uint64_t max_gas, std::uint64_t committed) noexcept;
    [[nodiscard]] Choice choose(unsigned worker, std::uint64_t committed) noexcept;
    void push(ReadyQueue& queue, ReadyItem item) noexcept;

    WorkerParking& parking_;
    ReadyQueue dispatched_;
    std::vector<std::unique_ptr<ReadyQueue>> queues_;  // by worker
};

}  // namespace heddle::executor
