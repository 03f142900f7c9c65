// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Drives a dispatcher through a stream: transactions are dispatched, and completed in the order in
// which they became ready, some distance behind; nothing is executed in between. The same for every
// dispatcher, which is a template argument, so that only the schemes differ.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <types/assert.hpp>

#include <executor/executor.hpp>

#include <workers/parking_lot.hpp>
#include <workers/ready_queue.hpp>

#include "access_stream.hpp"
#include "machine.hpp"

namespace heddle::bench {

/// Two positions may be apart by this much in all: the distance kept, and as much again for those
/// that wait for a slow one.
inline constexpr std::size_t kFlowWindow = 8192;

/// First in, first out; of at most kFlowWindow.
class ReadyList {
public:
    void push(std::uint64_t position) noexcept { slots_[tail_++ % kFlowWindow] = position; }
    [[nodiscard]] std::uint64_t pop() noexcept { return slots_[head_++ % kFlowWindow]; }
    [[nodiscard]] bool empty() const noexcept { return head_ == tail_; }

private:
    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(kFlowWindow);
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
};

/// The completing side: takes what is ready, completes it, commits the prefix that is complete.
template <typename Dispatcher>
class Completer {
public:
    /// @param next_position  The first position that will be dispatched.
    Completer(Dispatcher& dispatcher, std::uint64_t next_position)
        : dispatcher_(dispatcher), committed_(next_position) {}

    void add_ready(std::uint64_t position) noexcept { ready_.push(position); }
    [[nodiscard]] bool has_ready() const noexcept { return !ready_.empty(); }

    void complete_one() noexcept {
        const std::uint64_t position = ready_.pop();
        dispatcher_.complete(position, [this](std::uint64_t woken) { ready_.push(woken); });
        is_complete_[position % kFlowWindow] = 1;
        ++completed_;
        while (is_complete_[committed_ % kFlowWindow] != 0) {
            is_complete_[committed_ % kFlowWindow] = 0;
            dispatcher_.commit(committed_++);
        }
    }

    [[nodiscard]] std::uint64_t completed() const noexcept { return completed_; }
    /// All positions below are committed.
    [[nodiscard]] std::uint64_t watermark() const noexcept { return committed_; }

private:
    Dispatcher& dispatcher_;
    ReadyList ready_;
    std::vector<std::uint8_t> is_complete_ = std::vector<std::uint8_t>(kFlowWindow);
    std::uint64_t completed_ = 0;
    std::uint64_t committed_;
};

struct FlowOptions {
    std::size_t in_flight = 1024;  // transactions dispatched and not complete
    /// How many transactions ahead objects are prefetched; 0: never.
    std::size_t look_ahead = 8;
};

struct FlowTime {
    std::uint64_t wall_ns = 0;
    std::uint64_t dispatching_ns = 0;  // of it, the dispatching thread did not wait
};

/// Dispatch and completion in one thread. `next_position` goes on where the last run ended.
template <typename Dispatcher>
FlowTime run_in_one_thread(Dispatcher& dispatcher, const AccessStream& stream,
                           const FlowOptions& options, std::uint64_t& next_position) {
    Completer<Dispatcher> completer(dispatcher, next_position);
    const std::uint64_t start = now_ns();
    for (std::size_t i = 0; i < stream.size(); ++i) {
        if (options.look_ahead != 0 && i + options.look_ahead < stream.size())
            for (const std::uint32_t object : stream[i + options.look_ahead])
                dispatcher.prefetch(object);
        while (i - completer.completed() >= options.in_flight ||
               next_position - completer.watermark() >= kFlowWindow)
            completer.complete_one();
        if (dispatcher.dispatch(next_position, stream[i], completer.watermark()))
            completer.add_ready(next_position);
        ++next_position;
    }
    while (completer.has_ready())
        completer.complete_one();
    const std::uint64_t wall = now_ns() - start;
    HEDDLE_ASSERT(completer.completed() == stream.size());
    return {wall, wall};
}

/// What dispatching and completing thread share.
struct FlowMeeting {
    executor::ReadyQueue ready{kFlowWindow};
    alignas(64) std::atomic<std::uint64_t> dispatched{0};
    alignas(64) std::atomic<std::uint64_t> completed{0};
    std::atomic<std::uint64_t> watermark{0};
};

/// Waits for a moment, longer the more often it was in vain.
inline void idle_briefly(unsigned& times) noexcept {
    if (++times > 1000)
        std::this_thread::yield();
    else
        executor::pause_briefly();
}

template <typename Dispatcher>
void complete_behind(Dispatcher& dispatcher, std::uint64_t first, std::uint64_t count,
                     std::size_t in_flight, FlowMeeting& meeting) {
    Completer<Dispatcher> completer(dispatcher, first);
    std::array<executor::ReadyItem, executor::ReadyQueue::kMaxTaken> items;
    unsigned idle = 0;
    while (completer.completed() < count) {
        const std::uint64_t dispatched = meeting.dispatched.load(std::memory_order_acquire);
        const std::size_t taken = meeting.ready.take(items, ~std::uint64_t{0});
        for (std::size_t i = 0; i < taken; ++i)
            completer.add_ready(items[i].position);
        // What is left at the end is completed without anybody behind it, and the dispatcher must
        // not be left waiting for the oldest.
        const auto is_due = [&] {
            return dispatched == count || completer.completed() + in_flight < dispatched ||
                   first + dispatched - completer.watermark() >= kFlowWindow / 2;
        };
        bool has_worked = false;
        while (completer.has_ready() && is_due()) {
            completer.complete_one();
            has_worked = true;
        }
        // Release pairs with the dispatcher's acquire: what was freed is free.
        meeting.completed.store(completer.completed(), std::memory_order_relaxed);
        meeting.watermark.store(completer.watermark(), std::memory_order_release);
        if (has_worked || taken != 0)
            idle = 0;
        else
            idle_briefly(idle);
    }
}

/// Dispatch in the calling thread, completion in another, at least `in_flight` behind.
template <typename Dispatcher>
FlowTime run_in_two_threads(Dispatcher& dispatcher, const AccessStream& stream,
                            const FlowOptions& options, std::uint64_t& next_position) {
    FlowMeeting meeting;
    meeting.watermark.store(next_position, std::memory_order_relaxed);
    executor::bind_this_thread(0);
    std::thread completing([&, first = next_position] {
        executor::bind_this_thread(1);
        complete_behind(dispatcher, first, stream.size(), options.in_flight, meeting);
    });
    constexpr std::size_t kPublished = 16;
    std::uint64_t waited = 0;
    const std::uint64_t start = now_ns();
    for (std::size_t i = 0; i < stream.size(); ++i) {
        if (options.look_ahead != 0 && i + options.look_ahead < stream.size())
            for (const std::uint32_t object : stream[i + options.look_ahead])
                dispatcher.prefetch(object);
        std::uint64_t watermark = 0;
        const auto has_room = [&] {
            watermark = meeting.watermark.load(std::memory_order_acquire);
            return next_position - watermark < kFlowWindow &&
                   i - meeting.completed.load(std::memory_order_relaxed) < 2 * options.in_flight;
        };
        if (!has_room()) {
            const std::uint64_t from = now_ns();
            meeting.dispatched.store(i, std::memory_order_release);
            unsigned idle = 0;
            while (!has_room())
                idle_briefly(idle);
            waited += now_ns() - from;
        }
        if (dispatcher.dispatch(next_position, stream[i], watermark))
            HEDDLE_ASSERT(meeting.ready.push({next_position, 0}));
        ++next_position;
        if (i % kPublished == 0) meeting.dispatched.store(i + 1, std::memory_order_release);
    }
    const std::uint64_t dispatching = now_ns() - start - waited;
    meeting.dispatched.store(stream.size(), std::memory_order_release);
    completing.join();
    return {now_ns() - start, dispatching};
}

}  // namespace heddle::bench
