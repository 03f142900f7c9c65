// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// When a lane inserts what it was sent (Detock §3.4): so that lanes insert transactions of several
// homes in the same order as often as possible. It changes how often components appear, never what
// comes out. Time is what the caller says; there is no clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <consensus_adapter/lanes/lane.hpp>

namespace heddle::consensus_adapter::lanes {

/// The time from here to a lane on its own clock, out of probes: a probe carries when it was sent,
/// the answer is how much later, by the lane's clock, it came. Differences between clocks are in
/// it, so it may be negative.
class DelayEstimate {
public:
    void add(std::int64_t offset_us) noexcept;
    /// 0 before the first probe.
    [[nodiscard]] std::int64_t offset_us() const noexcept { return estimate_us_.value_or(0); }

private:
    std::optional<std::int64_t> estimate_us_;
};

/// When all lanes of a transaction should insert it: when the last of them has surely got it.
/// @param offsets_us  Of its lanes.
[[nodiscard]] std::uint64_t insertion_time_us(std::uint64_t now_us,
                                              std::span<const std::int64_t> offsets_us,
                                              std::uint64_t overshoot_us) noexcept;

struct InsertionRules {
    /// Nothing is held longer than this, whatever it asks for.
    std::uint64_t max_hold_us = 2'000'000;
    /// Held at once; beyond that the earliest is inserted early.
    std::size_t max_held = std::size_t{1} << 16;
};

/// What a lane holds back until its time has come: by time, then id, whatever order it came in.
///
/// Thread safety: none.
template <typename Item>
class InsertionQueue {
public:
    explicit InsertionQueue(InsertionRules rules = {}) : rules_(rules) {}

    /// @param insert_at_us  0, or past: it is due at once.
    void add(std::uint64_t now_us, std::uint64_t insert_at_us, TransactionId id, Item item) {
        const std::uint64_t latest = now_us + rules_.max_hold_us;
        const std::uint64_t due = std::min(std::max(insert_at_us, now_us), latest);
        held_.emplace(std::pair{due, id}, std::move(item));
    }
    /// What is to be inserted by `now_us`, in order.
    [[nodiscard]] std::vector<Item> take_due(std::uint64_t now_us) {
        std::vector<Item> result;
        while (!held_.empty() &&
               (held_.begin()->first.first <= now_us || held_.size() > rules_.max_held)) {
            result.push_back(std::move(held_.begin()->second));
            held_.erase(held_.begin());
        }
        return result;
    }
    [[nodiscard]] std::size_t size() const noexcept { return held_.size(); }

private:
    const InsertionRules rules_;
    std::multimap<std::pair<std::uint64_t, TransactionId>, Item> held_;
};

}  // namespace heddle::consensus_adapter::lanes
