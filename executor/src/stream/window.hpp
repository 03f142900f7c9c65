// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of the stream that is in flight: a ring of tasks by position, from the next one to be
// committed to the last one dispatched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stream/position_ring.hpp"
#include "stream/task.hpp"
#include "stream/window_bounds.hpp"

namespace heddle::executor {

/// A slot is used again when its position is no longer held(), so that a task in flight never
/// moves, and a task far behind cannot hold back more than the window's length.
///
/// Thread safety: make() by the thread that fills in tasks; at() for positions in flight by anybody
/// who got the position from a queue, and below for nobody; the bounds as they say.
class Window : public WindowBounds {
public:
    explicit Window(std::size_t capacity) : tasks_(capacity) {}

    [[nodiscard]] std::size_t capacity() const noexcept { return tasks_.capacity(); }
    [[nodiscard]] Task& at(std::uint64_t position) const noexcept { return tasks_.at(position); }
    /// Makes sure that the position's slot exists.
    [[nodiscard]] Task& make(std::uint64_t position) { return tasks_.make(position); }
    [[nodiscard]] bool is_committable() const noexcept {
        return WindowBounds::is_committable([this](std::uint64_t position) {
            return is_settled(at(position).state.load(std::memory_order_acquire));
        });
    }

private:
    PositionRing<Task> tasks_;
};

}  // namespace heddle::executor
