// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks fetched ahead of their use by several conversations at once, and given out in order. What
// waits here is bounded; that each block is on the one before is checked where it leaves.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include <consensus_adapter/follow/follower.hpp>
#include <consensus_adapter/follow/origin.hpp>

#include "archive/gas_plausibility.hpp"

namespace heddle::consensus_adapter::follow {

/// Counted by several threads, read by anybody: no order with anything else is asked of them.
struct SharedCounters {
    std::atomic<std::uint64_t> fetched_blocks = 0;
    std::atomic<std::uint64_t> fetched_bytes = 0;
    std::atomic<std::uint64_t> retries = 0;
};

/// Several fetching threads and one consumer:
///
///     a range of numbers is   by                          and goes on when
///     wanted                  extend()                    a thread claims it, first numbers first
///     claimed                 a thread with room ahead    its blocks come; a part that comes is
///                                                         ready at once
///     ready                   the thread that fetched     next() takes it
///
/// All of it under mutex_. Only claims wait for room, and the range that next() waits for was
/// claimed before every other: it always comes through.
///
/// A thread asks again what failed, kTries times in a row at most; then all end, and next() says
/// why once what is ready before has been given out.
///
/// Thread safety: extend(), next() by one thread.
class BlockWindow {
public:
    /// @param chain     The first block is to be on its head.
    /// @param counters  Outlives it.
    BlockWindow(const MakeOrigin& make_origin, const FollowOptions& options,
                const FollowedChain& chain, SharedCounters& counters);
    /// Ends the threads, whatever they are waiting for.
    ~BlockWindow();
    BlockWindow(const BlockWindow&) = delete;
    BlockWindow& operator=(const BlockWindow&) = delete;

    /// Blocks up to this one are wanted.
    void extend(std::uint64_t last);
    /// The next block, where it comes in time; nullopt: not yet. Errors: those of the origin, and
    /// disconnected where it is not on the block before.
    [[nodiscard]] std::expected<std::optional<FetchedBlock>, FollowError> next(
        std::chrono::milliseconds wait);
    /// The last block given out.
    [[nodiscard]] const BlockId& parent() const noexcept { return parent_; }

private:
    struct Range {
        std::uint64_t first = 0;
        std::size_t count = 0;
        GasBound bound;
    };

    void fetch(const std::stop_token& stop, std::uint64_t seed);
    [[nodiscard]] std::optional<Range> claim(const std::stop_token& stop);
    [[nodiscard]] bool has_room() const noexcept;
    /// Recovers senders on the calling thread: it is what there is several of.
    void deliver(std::vector<FetchedBlock> blocks);
    void fail(FollowError error);
    void sleep(const std::stop_token& stop, std::chrono::milliseconds pause);

    // Immutable after construction.
    const MakeOrigin& make_origin_;
    const FollowOptions options_;
    SharedCounters& counters_;

    // Consumer only.
    BlockId parent_;

    std::mutex mutex_;  // guards what follows
    std::condition_variable_any changed_;
    std::uint64_t next_given_;    // number of the next block to give out
    std::uint64_t next_claimed_;  // the first that nobody has claimed
    std::uint64_t last_wanted_;
    std::map<std::uint64_t, FetchedBlock> ready_;
    std::size_t ready_bytes_ = 0;
    GasPlausibility plausibility_;  // of blocks given out
    std::optional<FollowError> error_;

    std::vector<std::jthread> threads_;  // last: they use everything above
};

}  // namespace heddle::consensus_adapter::follow
