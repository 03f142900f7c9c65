// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads of early scheduling: a lane for each, who drives them, and who steals from whom
// (Early Scheduling, algorithms 1 to 8). What a request is, is its user's business.
//
// Lane L is driven by worker L modulo the workers. Worker 0 is away most of the time, because it
// dispatches: its lanes are also driven by any other worker that has nothing to do, in every model.
// So nothing waits until somebody submits again. Of several lanes it drives the one first that has
// the oldest request.
//
//   event                                          who may go on             woken
//   a request is put into a lane                   its driver                it; or a thief
//   the last one outstanding in a lane is done     its driver                it
//   the last lane arrives at a barrier             all lanes of the class    their drivers
//   a request that lanes met for is done           the same                  the same
//   a bundle is taken and leaves something behind  a thief                   anybody
//
// Each is made visible with sequential consistency before anybody is woken, and has_ready() looks
// at what they change: so of who parks and who wakes one sees the other (ParkingLot).
//
// Progress: lanes have requests in stream order. Let p be the first request that is not done. What
// is before it in its lanes is done, so each of these lanes comes to p, and p is taken. So nobody
// waits for anything that is behind p.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <types/assert.hpp>

#include "early/class_mapping.hpp"
#include "early/lane.hpp"
#include "early/thread_model.hpp"
#include "stream/position_ring.hpp"
#include "workers/ready_queues.hpp"

namespace heddle::executor {

/// Parking: notify_worker(worker) and notify_any(), each telling whether somebody was woken.
///
/// Thread safety: add() and fence() by the dispatcher; take() and has_ready() by the worker named;
/// done() by whoever runs the request; the rest any.
template <typename Atomics, typename Parking>
class BasicLanes {
public:
    struct Shape {
        unsigned lanes = 1;  // 1 to kMaxThreads
        unsigned workers = 1;
        std::size_t window = 1;  // positions in flight
        ThreadModel model = ThreadModel::optimistic;
    };

    /// @param parking  Outlives it.
    BasicLanes(const Shape& shape, const RequestClasses& classes, Parking& parking)
        : classes_(classes),
          traits_(traits_of(shape.model)),
          workers_(shape.workers),
          parking_(parking),
          notes_(shape.window),
          meetings_(classes.count() + 1),
          next_cycle_(classes.count() + 1),
          next_lane_(classes.count()) {
        HEDDLE_ASSERT(shape.lanes >= 1 && shape.lanes <= kMaxThreads);
        // What is in flight, a request that was committed before the lane has left it, and a fence.
        for (unsigned i = 0; i < shape.lanes; ++i)
            lanes_.push_back(std::make_unique<Lane>(shape.window + 2));
    }

    [[nodiscard]] unsigned count() const noexcept { return static_cast<unsigned>(lanes_.size()); }

    // --- The dispatcher --------------------------------------------------------------------------
    /// A request, in stream order (algorithms 1 and 6).
    void add(std::uint64_t position, std::uint64_t gas, ClassId id, const ClassPlace& place) {
        LaneRequest request{.position = position, .class_id = id};
        ThreadSet lanes = place.threads;
        if (!place.is_sequential) {
            lanes = pick_one(id, lanes);
        } else if (count_of(lanes) == 1) {
            request.form = RequestForm::alone;
        } else {
            request.form = RequestForm::together;
            request.cycle = turn_cycle(id);
        }
        notes_.make(position) = {lanes, gas, id, request.form, request.cycle};
        push(request, lanes);
    }
    /// Whether fence() may be called: all lanes have left the last one.
    [[nodiscard]] bool has_passed_fence() const noexcept {
        return lanes_inside_fence_.load(std::memory_order_acquire) == 0;
    }
    /// Nothing behind is begun before everything before is done. Where classes get other lanes.
    void fence() noexcept {
        HEDDLE_ASSERT(has_passed_fence());
        if (count() == 1) return;
        const ClassId id = fence_class();
        lanes_inside_fence_.store(count(), std::memory_order_relaxed);
        push({.class_id = id, .form = RequestForm::together, .cycle = turn_cycle(id)}, all_lanes());
    }

    // --- Workers ---------------------------------------------------------------------------------
    /// What the worker runs next, in this order.
    [[nodiscard]] ReadyBundle take(unsigned worker, std::span<ReadyItem> items) noexcept {
        Standstill standstill;
        Standstill theirs;
        Turns turns;
        order_turns(worker, turns);
        for (unsigned i = 0; i < turns.count; ++i) {
            const unsigned lane = turns.lanes[i].second;
            const auto taken = drive(lane, items, is_own(worker, lane) ? standstill : theirs);
            if (taken != 0) return {taken, false};
        }
        if (!standstill.allows_stealing(traits_)) return {};
        return {steal(worker, items, standstill), true};
    }
    /// Whether take() would give it something; sequentially consistent, see ParkingLot.
    [[nodiscard]] bool has_ready(unsigned worker) const noexcept {
        Standstill standstill;
        Standstill theirs;
        for (unsigned lane = 0; lane < count(); ++lane) {
            const bool is_mine = is_own(worker, lane);
            if ((is_mine || is_own(0, lane)) && can_drive(lane, is_mine ? standstill : theirs))
                return true;
        }
        if (!standstill.allows_stealing(traits_)) return false;
        for (unsigned lane = 0; lane < count(); ++lane)
            if (!is_own(worker, lane) && can_steal(lane, standstill)) return true;
        return false;
    }
    /// A request that was taken has been executed, or is final without.
    void done(std::uint64_t position) noexcept {
        const Note note = notes_.at(position);  // from here on it may be used again
        if (note.form == RequestForm::together) {
            meetings_[note.class_id].done(note.cycle);
            wake(note.lanes);
        } else if (lanes_[lane_of(note.lanes)]->finish_one()) {
            wake(note.lanes);
        }
    }

    // --- Any thread ------------------------------------------------------------------------------
    /// Requests that are in a lane; out of date at once.
    [[nodiscard]] std::size_t backlog() const noexcept {
        std::size_t count = 0;
        for (const auto& lane : lanes_)
            count += lane->size();
        return count;
    }
    /// Waited in meetings, over all lanes, in nanoseconds.
    [[nodiscard]] std::uint64_t waited_ns() const noexcept {
        std::uint64_t sum = 0;
        for (const auto& lane : lanes_)
            sum += lane->waited_ns.get();
        return sum;
    }

private:
    using Lane = BasicLane<Atomics>;
    using Lock = std::lock_guard<typename Atomics::Mutex>;

    /// What is to be known of a request when it is done; while it is in flight.
    struct Note {
        ThreadSet lanes = 0;
        std::uint64_t gas = 0;
        ClassId class_id = 0;
        RequestForm form = RequestForm::concurrent;
        bool cycle = false;
    };
    /// Why a worker has nothing of its own to run.
    struct Standstill {
        bool is_held_up = false;  // by something else than a meeting that gathers
        std::size_t gathering = 0;
        std::array<ClassId, kMaxThreads> classes;  // so many: what it gathers for

        [[nodiscard]] bool allows_stealing(const ThreadTraits& traits) const noexcept {
            return traits.steals && !is_held_up &&
                   (gathering == 0 || traits.steals_while_gathering);
        }
    };

    /// Lanes that a worker may drive and in which there is something, with the position there.
    struct Turns {
        unsigned count = 0;
        std::array<std::pair<std::uint64_t, unsigned>, kMaxThreads> lanes;
    };

    [[nodiscard]] static unsigned lane_of(ThreadSet lanes) noexcept {
        return static_cast<unsigned>(std::countr_zero(lanes));
    }
    [[nodiscard]] ThreadSet all_lanes() const noexcept { return first_threads(count()); }
    [[nodiscard]] ClassId fence_class() const noexcept {
        return static_cast<ClassId>(classes_.count());
    }
    [[nodiscard]] bool is_own(unsigned worker, unsigned lane) const noexcept {
        return lane % workers_ == worker;
    }

    // --- The dispatcher --------------------------------------------------------------------------
    [[nodiscard]] bool turn_cycle(ClassId id) noexcept {
        next_cycle_[id] = !next_cycle_[id];
        return next_cycle_[id];
    }
    /// Round robin.
    [[nodiscard]] ThreadSet pick_one(ClassId id, ThreadSet lanes) noexcept {
        unsigned& next = next_lane_[id];
        const ThreadSet behind = next < kMaxThreads ? lanes & (~ThreadSet{0} << next) : 0;
        const unsigned lane = lane_of(behind != 0 ? behind : lanes);
        next = lane + 1;
        return ThreadSet{1} << lane;
    }
    void push(const LaneRequest& request, ThreadSet lanes) noexcept {
        for (ThreadSet left = lanes; left != 0; left &= left - 1)
            lanes_[lane_of(left)]->push(request);
        const bool is_woken = wake(lanes);
        if (!is_woken && traits_.steals && request.form == RequestForm::concurrent)
            parking_.notify_any();
    }

    // --- Workers ---------------------------------------------------------------------------------
    /// @return whether anybody was asleep.
    bool wake(ThreadSet lanes) noexcept {
        bool is_woken = false;
        for (; lanes != 0; lanes &= lanes - 1) {
            const unsigned worker = lane_of(lanes) % workers_;
            // Anybody drives worker 0's lanes.
            const bool was_asleep =
                worker == 0 ? parking_.notify_any() : parking_.notify_worker(worker);
            is_woken = is_woken || was_asleep;
        }
        return is_woken;
    }

    /// The oldest first: what is far ahead of the committer is attempted on credit, and ended where
    /// that is spent (see Speculation).
    void order_turns(unsigned worker, Turns& turns) const noexcept {
        for (unsigned lane = 0; lane < count(); ++lane)
            if ((is_own(worker, lane) || is_own(0, lane)) && !lanes_[lane]->is_empty())
                turns.lanes[turns.count++] = {lanes_[lane]->front().position, lane};
        std::sort(turns.lanes.begin(), turns.lanes.begin() + turns.count);
    }
    /// Goes on in the lane. @return how many were taken; 0: none, and `standstill` says why.
    [[nodiscard]] std::size_t drive(unsigned number, std::span<ReadyItem> items,
                                    Standstill& standstill) noexcept {
        Lane& lane = *lanes_[number];
        if (lane.is_empty()) return 0;
        ThreadSet woken = 0;
        std::size_t taken = 0;
        {
            const Lock lock(lane.mutex);
            taken = drive_locked(number, items, standstill, woken);
        }
        wake(woken & ~(ThreadSet{1} << number));
        if (taken != 0) offer_rest(lane);
        return taken;
    }
    [[nodiscard]] std::size_t drive_locked(unsigned number, std::span<ReadyItem> items,
                                           Standstill& standstill, ThreadSet& woken) noexcept {
        Lane& lane = *lanes_[number];
        while (!lane.is_empty()) {
            const LaneRequest request = lane.front();
            if (request.form != RequestForm::together) return take_run(lane, items, standstill);
            switch (attend(number, request, woken)) {
                case Advance::execute:
                    items[0] = {request.position, notes_.at(request.position).gas};
                    return 1;
                case Advance::leave:
                    leave(lane, request);
                    break;
                case Advance::wait:
                    note_standstill(lane, request, standstill);
                    return 0;
            }
        }
        return 0;
    }
    /// The lane's part in the meeting for the request at its head.
    [[nodiscard]] Advance attend(unsigned number, const LaneRequest& request,
                                 ThreadSet& woken) noexcept {
        Lane& lane = *lanes_[number];
        const bool is_fence = request.class_id == fence_class();
        if (lane.visit.phase == Visit::Phase::outside) {
            // Stolen ones among them: "wait until the stealer finishes".
            if (lane.outstanding() != 0) return Advance::wait;
            lane.is_closed = false;
            // It cannot be committed before this lane has come, so its note is there.
            const ThreadSet lanes = is_fence ? all_lanes() : notes_.at(request.position).lanes;
            lane.visit = {
                .cycle = request.cycle, .is_first = lane_of(lanes) == number, .lanes = lanes};
            lane.watch = {};
        }
        const Visit& visit = lane.visit;
        auto& meeting = meetings_[request.class_id];
        const auto others = [&] { woken |= visit.lanes; };
        Advance advance = meeting.step(traits_.meetings, lane.visit, others);
        if (advance == Advance::execute) {
            lane.waited_ns.add(lane.watch.lap());
            if (!is_fence) return advance;
            // Nothing to be run: it is done when all are there.
            meeting.done(request.cycle);
            others();
            advance = meeting.step(traits_.meetings, lane.visit, others);
        }
        return advance;
    }
    void leave(Lane& lane, const LaneRequest& request) noexcept {
        lane.waited_ns.add(lane.watch.lap());
        lane.pop();
        // Release pairs with has_passed_fence(): the lane has left.
        if (request.class_id == fence_class())
            lanes_inside_fence_.fetch_sub(1, std::memory_order_acq_rel);
    }
    /// What the lane has at its head that needs no meeting.
    [[nodiscard]] std::size_t take_run(Lane& lane, std::span<ReadyItem> items,
                                       Standstill& standstill) noexcept {
        const bool is_idle = lane.outstanding() == 0;
        if (is_idle) lane.is_closed = false;
        std::size_t count = 0;
        bool has_alone = false;
        if (!lane.is_closed)
            count = take_front(lane, items, [&](const LaneRequest& request) {
                if (request.form == RequestForm::alone) has_alone = is_idle;
                return request.form == RequestForm::concurrent || has_alone;
            });
        if (has_alone) lane.is_closed = true;
        if (count == 0) standstill.is_held_up = true;
        return count;
    }
    /// From the head on, while `may_take(request)` and the gas together is small.
    template <typename MayTake>
    [[nodiscard]] std::size_t take_front(Lane& lane, std::span<ReadyItem> items,
                                         MayTake&& may_take) noexcept {
        std::size_t count = 0;
        std::uint64_t gas = 0;
        while (count < items.size() && !lane.is_empty()) {
            const LaneRequest request = lane.front();
            if (request.form == RequestForm::together) break;
            gas += notes_.at(request.position).gas;
            if (count != 0 && gas > kMaxTakenGas) break;
            if (!may_take(request)) break;
            items[count++] = {request.position, notes_.at(request.position).gas};
            lane.pop();
        }
        lane.add_outstanding(count);
        return count;
    }
    void note_standstill(const Lane& lane, const LaneRequest& request,
                         Standstill& standstill) const noexcept {
        if (lane.visit.phase == Visit::Phase::gathering)
            standstill.classes[standstill.gathering++] = request.class_id;
        else
            standstill.is_held_up = true;
    }
    /// What was left behind may be stolen.
    void offer_rest(const Lane& lane) noexcept {
        if (traits_.steals && !lane.is_empty()) parking_.notify_any();
    }

    /// Whether drive() would come further.
    [[nodiscard]] bool can_drive(unsigned number, Standstill& standstill) const noexcept {
        const Lane& lane = *lanes_[number];
        if (lane.is_empty()) return false;
        const Lock lock(lane.mutex);
        if (lane.is_empty()) return false;
        const LaneRequest request = lane.front();
        const bool is_idle = lane.outstanding() == 0;
        if (request.form == RequestForm::together) {
            const bool is_inside = lane.visit.phase != Visit::Phase::outside;
            if (is_inside ? meetings_[request.class_id].can_step(traits_.meetings, lane.visit)
                          : is_idle)
                return true;
            note_standstill(lane, request, standstill);
            return false;
        }
        if (is_idle || (request.form == RequestForm::concurrent && !lane.is_closed)) return true;
        standstill.is_held_up = true;
        return false;
    }

    // --- Thieves ---------------------------------------------------------------------------------
    /// From the first victim that has something to steal.
    [[nodiscard]] std::size_t steal(unsigned worker, std::span<ReadyItem> items,
                                    const Standstill& standstill) noexcept {
        for (unsigned i = 0; i < count(); ++i) {
            const unsigned victim = traits_.begins_with_next ? (worker + 1 + i) % count() : i;
            if (is_own(worker, victim)) continue;
            Lane& lane = *lanes_[victim];
            if (traits_.looks_before_locking && !may_be_stolen(lane, standstill)) continue;
            std::size_t taken = 0;
            {
                const Lock lock(lane.mutex);
                if (lane.is_open())
                    taken = take_front(lane, items, [&](const LaneRequest& request) {
                        return is_loot(request, standstill);
                    });
            }
            if (taken == 0) continue;
            offer_rest(lane);
            return taken;
        }
        return 0;
    }
    [[nodiscard]] bool can_steal(unsigned victim, const Standstill& standstill) const noexcept {
        const Lane& lane = *lanes_[victim];
        if (!may_be_stolen(lane, standstill)) return false;
        const Lock lock(lane.mutex);
        return lane.is_open() && may_be_stolen(lane, standstill);
    }
    /// The conditions of algorithm 8, as far as they can be told without the lock.
    [[nodiscard]] bool may_be_stolen(const Lane& lane,
                                     const Standstill& standstill) const noexcept {
        return !lane.is_empty() && is_loot(lane.front(), standstill);
    }
    /// Concurrent, and in conflict with nothing that the thief waits for.
    [[nodiscard]] bool is_loot(const LaneRequest& request,
                               const Standstill& standstill) const noexcept {
        if (request.form != RequestForm::concurrent) return false;
        for (std::size_t i = 0; i < standstill.gathering; ++i)
            if (standstill.classes[i] == fence_class() ||
                classes_.conflict(standstill.classes[i], request.class_id))
                return false;
        return true;
    }

    // Immutable after construction.
    const RequestClasses classes_;
    const ThreadTraits traits_;
    const unsigned workers_;
    Parking& parking_;

    std::vector<std::unique_ptr<Lane>> lanes_;
    PositionRing<Note> notes_;                     // the dispatcher's, then for whoever takes
    std::vector<BasicMeeting<Atomics>> meetings_;  // by class; the fence's last
    typename Atomics::template Atomic<unsigned> lanes_inside_fence_{0};

    // The dispatcher's.
    std::vector<char> next_cycle_;     // by class
    std::vector<unsigned> next_lane_;  // by class
};

}  // namespace heddle::executor
