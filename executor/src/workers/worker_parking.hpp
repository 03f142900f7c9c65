// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the workers of one executor sleep: the thread that owns them apart from the others, as it
// waits for other things too. Made before the threads, so that whoever makes work knows it.
//
// Usually anybody does whatever there is to do, and one lot holds all that sleep. Where some work
// is one worker's only, each sleeps in a lot of its own.
#pragma once

#include <memory>
#include <vector>

#include "workers/parking_lot.hpp"

namespace heddle::executor {

/// Thread safety: separate() and sleep_at_once() before there are threads; wait_as_owner() by the
/// owning thread; the rest any.
class WorkerParking {
public:
    /// From here on notify_worker() may be called, for workers below `count`.
    void separate(unsigned count) {
        while (lots_.size() + 1 < count)
            lots_.push_back(std::make_unique<ParkingLot>());
    }

    /// From here on nobody looks for work for a while before sleeping. Where workers outnumber
    /// processors, whoever looks has the one that somebody with work waits for.
    void sleep_at_once() noexcept { sleeps_at_once_ = true; }

    /// There is work, made visible with sequential consistency: wakes one of those who sleep.
    /// @return whether there was one.
    bool notify_any() noexcept {
        if (others_.notify()) return true;
        for (const auto& lot : lots_)
            if (lot->notify()) return true;
        return owner_.notify();
    }
    /// There is work for this worker. @return whether it was asleep.
    bool notify_worker(unsigned worker) noexcept {
        return worker == 0 ? owner_.notify() : lots_[worker - 1]->notify();
    }
    /// Something changed that the owning thread may wait for.
    void notify_owner() noexcept { owner_.notify(); }
    /// Everybody but the owning thread.
    void notify_others() noexcept {
        while (others_.notify()) {
        }
        for (const auto& lot : lots_)
            while (lot->notify()) {
            }
    }

    /// `worker`: not the owning one.
    template <typename HasWork>
    void wait(unsigned worker, HasWork&& has_work) noexcept {
        wait_in(lots_.empty() ? others_ : *lots_[worker - 1], has_work);
    }
    template <typename HasWork>
    void wait_as_owner(HasWork&& has_work) noexcept {
        wait_in(owner_, has_work);
    }

private:
    template <typename HasWork>
    void wait_in(ParkingLot& lot, HasWork& has_work) noexcept {
        if (!sleeps_at_once_) return lot.wait(has_work);
        while (!has_work())
            lot.park(has_work);
    }

    bool sleeps_at_once_ = false;
    ParkingLot others_;
    ParkingLot owner_;
    std::vector<std::unique_ptr<ParkingLot>> lots_;  // from worker 1 on, where they are separate
};

}  // namespace heddle::executor
