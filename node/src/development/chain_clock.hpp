// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The time of a development chain, which its user may set: how far it is ahead of the machine's
// clock, and what the next block's is to be.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace heddle::node {

/// No time is set beyond this, in seconds: what JavaScript counts exactly.
inline constexpr std::uint64_t kLatestTime = (std::uint64_t{1} << 53) - 1;

/// Thread safety: none.
class ChainClock {
public:
    /// @param machine  Seconds since 1970.
    explicit ChainClock(std::function<std::uint64_t()> machine) : machine_(std::move(machine)) {}

    /// What the clock of the chain shows, in seconds.
    [[nodiscard]] std::uint64_t now() const;
    /// How far that is ahead of the machine's.
    [[nodiscard]] std::int64_t offset() const noexcept { return offset_; }

    /// It shows this time now, and goes on from there. What was set for the next block is dropped.
    void set(std::uint64_t time);
    /// @return false: it would go beyond kLatestTime; nothing has changed.
    bool advance(std::uint64_t seconds);
    /// Each block is to be as much after its parent; nullopt: blocks follow the clock.
    void set_interval(std::optional<std::uint64_t> seconds) noexcept { interval_ = seconds; }
    [[nodiscard]] bool has_interval() const noexcept { return interval_.has_value(); }
    /// The next block has this time, and the clock goes on from there.
    void set_next(std::uint64_t time) noexcept { next_ = time; }
    /// The next block is there and has this time. If that was set for it, or is later than what the
    /// clock shows because blocks are later than their parents, the clock goes on from there.
    void note_sealed(std::uint64_t time);

    /// What the next block's time would be now.
    /// @param earliest  That it may be; what was set before counts as little below that.
    [[nodiscard]] std::uint64_t next(std::uint64_t parent, std::uint64_t earliest) const;
    /// Whether the time of the next block was set.
    [[nodiscard]] bool is_set() const noexcept { return next_.has_value(); }

private:
    /// It shows this time now, and goes on from there.
    void show(std::uint64_t time);

    std::function<std::uint64_t()> machine_;
    std::int64_t offset_ = 0;
    std::optional<std::uint64_t> interval_;
    std::optional<std::uint64_t> next_;
};

}  // namespace heddle::node
