// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the workers of one executor sleep: the thread that owns them apart from the others, as it
// waits for other things too. Made before the threads, so that whoever makes work knows it.
#pragma once

#include "workers/parking_lot.hpp"

namespace heddle::executor {

/// Thread safety: wait_as_owner() by the owning thread; the rest any.
class WorkerParking {
public:
    /// There is work, made visible with sequential consistency: wakes one of those who sleep.
    void notify_any() noexcept {
        if (!others_.notify()) owner_.notify();
    }
    /// Something changed that the owning thread may wait for.
    void notify_owner() noexcept { owner_.notify(); }
    /// Everybody but the owning thread.
    void notify_others() noexcept {
        while (others_.notify()) {
        }
    }

    template <typename HasWork>
    void wait(HasWork&& has_work) noexcept {
        others_.wait(has_work);
    }
    template <typename HasWork>
    void wait_as_owner(HasWork&& has_work) noexcept {
        owner_.wait(has_work);
    }

private:
    ParkingLot others_;
    ParkingLot owner_;
};

}  // namespace heddle::executor
