// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One lane: the queue of what one thread of the paper runs in its order, and how far it has come. A
// lane is a role, not a thread: whoever drives it holds its lock for a few dozen instructions and
// takes what can be run.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <types/assert.hpp>

#include "early/meeting.hpp"
#include "early/request_classes.hpp"
#include "workers/counter.hpp"
#include "workers/stopwatch.hpp"

namespace heddle::executor {

/// How a request is run by the lanes that have it.
enum class RequestForm : std::uint8_t {
    concurrent,  // in one lane, beside whatever else of this form
    alone,       // in one lane, after what is before it there and before what is behind it
    together,    // in several lanes, which meet for it
};

struct LaneRequest {
    std::uint64_t position = 0;
    ClassId class_id = 0;
    RequestForm form = RequestForm::concurrent;
    bool cycle = false;  // of its class; where lanes meet
};

/// Protocol: slots [head, tail) hold requests. The dispatcher writes slot `tail` and then moves
/// tail; whoever has the lock reads at head and moves it.
///
/// What was taken and is not done is counted as outstanding (the markers of algorithm 5, added up).
/// A request that needs the lane for itself is begun when nothing is outstanding, and nothing is
/// taken while one is:
///
///   state                  event                                          next
///   open, outstanding n    k concurrent ones are taken, by anybody         open, outstanding n + k
///   open, outstanding 0    k are taken, one of them alone                  closed, outstanding k
///   open, outstanding 0    the head's lanes meet: its Visit is begun       visiting
///   visiting               Advance::leave                                  open, outstanding 0
///   any, outstanding n>0   one is done                                     same, outstanding n - 1
///   closed, outstanding 0  somebody looks                                  open
///
/// Thread safety: push() by the dispatcher; what is under the lock by whoever has it; the rest any.
template <typename Atomics>
class BasicLane {
public:
    /// @param capacity  Requests that can be in it at a time; rounded up to a power of two.
    explicit BasicLane(std::size_t capacity)
        : mask_(std::bit_ceil(capacity) - 1), slots_(std::make_unique<Slot[]>(mask_ + 1)) {}

    // --- The dispatcher --------------------------------------------------------------------------
    void push(LaneRequest request) noexcept {
        const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        // Acquire pairs with pop(): the slot's old request has been read.
        HEDDLE_ASSERT(tail - head_.load(std::memory_order_acquire) <= mask_);
        slots_[tail & mask_].store(pack(request), std::memory_order_relaxed);
        // Release publishes the request. Sequentially consistent for those that park.
        tail_.store(tail + 1, std::memory_order_seq_cst);
    }

    // --- Any thread ------------------------------------------------------------------------------
    /// Out of date at once; sequentially consistent, see ParkingLot.
    [[nodiscard]] std::size_t size() const noexcept {
        const std::uint64_t head = head_.load(std::memory_order_seq_cst);
        return static_cast<std::size_t>(tail_.load(std::memory_order_seq_cst) - head);
    }
    [[nodiscard]] bool is_empty() const noexcept { return size() == 0; }
    /// The oldest request, if there is one; without the lock it may be gone already.
    [[nodiscard]] LaneRequest front() const noexcept {
        return unpack(
            slots_[head_.load(std::memory_order_acquire) & mask_].load(std::memory_order_relaxed));
    }
    [[nodiscard]] std::uint32_t outstanding() const noexcept {
        // Acquire pairs with finish_one(): what was done is visible.
        return outstanding_.load(std::memory_order_seq_cst);
    }
    /// One that was taken is done. @return whether nothing is outstanding any more.
    [[nodiscard]] bool finish_one() noexcept {
        return outstanding_.fetch_sub(1, std::memory_order_seq_cst) == 1;
    }

    // --- Under the lock --------------------------------------------------------------------------
    void pop() noexcept {
        // Release pairs with push().
        head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    void add_outstanding(std::size_t count) noexcept {
        outstanding_.fetch_add(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
    }
    /// Whether something may be begun, apart from what is outstanding.
    [[nodiscard]] bool is_open() const noexcept { return !is_closed || outstanding() == 0; }

    mutable typename Atomics::Mutex mutex;
    bool is_closed = false;
    Visit visit;
    Stopwatch watch;  // since the visit's begin
    Counter waited_ns;

private:
    using Slot = typename Atomics::template Atomic<std::uint64_t>;
    static constexpr unsigned kPositionShift = 16;
    static constexpr unsigned kClassShift = 3;
    static_assert(RequestClasses::kMaxClasses < std::size_t{1} << (kPositionShift - kClassShift));

    [[nodiscard]] static std::uint64_t pack(const LaneRequest& request) noexcept {
        return request.position << kPositionShift | std::uint64_t{request.class_id} << kClassShift |
               std::uint64_t{request.cycle} << 2 | static_cast<std::uint64_t>(request.form);
    }
    [[nodiscard]] static LaneRequest unpack(std::uint64_t word) noexcept {
        constexpr std::uint64_t kClassMask =
            (std::uint64_t{1} << (kPositionShift - kClassShift)) - 1;
        return {.position = word >> kPositionShift,
                .class_id = static_cast<ClassId>(word >> kClassShift & kClassMask),
                .form = static_cast<RequestForm>(word & 3),
                .cycle = (word >> 2 & 1) != 0};
    }

    const std::size_t mask_;
    const std::unique_ptr<Slot[]> slots_;
    alignas(64) typename Atomics::template Atomic<std::uint64_t> head_{0};
    typename Atomics::template Atomic<std::uint32_t> outstanding_{0};
    alignas(64) typename Atomics::template Atomic<std::uint64_t> tail_{0};
};

}  // namespace heddle::executor
