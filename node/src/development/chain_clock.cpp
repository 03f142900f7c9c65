// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "development/chain_clock.hpp"

#include <algorithm>

namespace heddle::node {

std::uint64_t ChainClock::now() const {
    const auto shown = static_cast<std::int64_t>(machine_()) + offset_;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(shown, 0));
}

void ChainClock::show(std::uint64_t time) {
    offset_ = static_cast<std::int64_t>(std::min(time, kLatestTime)) -
              static_cast<std::int64_t>(machine_());
}

void ChainClock::set(std::uint64_t time) {
    show(time);
    next_.reset();
}

bool ChainClock::advance(std::uint64_t seconds) {
    const std::uint64_t time = now();
    if (seconds > kLatestTime || time > kLatestTime - seconds) return false;
    offset_ += static_cast<std::int64_t>(seconds);
    return true;
}

void ChainClock::note_sealed(std::uint64_t time) {
    // A block that had to be later than the time set for it was the next one all the same.
    if (next_.has_value() && *next_ <= time) {
        set(time);
    } else if (time > now()) {
        show(time);
    }
}

std::uint64_t ChainClock::next(std::uint64_t parent, std::uint64_t earliest) const {
    if (next_.has_value()) return std::max(*next_, earliest);
    if (interval_.has_value()) {
        // Near the end of time blocks are closer together, as close as they may be.
        const std::uint64_t room = kLatestTime - std::min(parent, kLatestTime);
        return std::max(parent + std::min(*interval_, room), earliest);
    }
    return std::max(now(), earliest);
}

}  // namespace heddle::node
