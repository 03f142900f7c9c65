// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether attempting the transactions of blocks ahead of their turn pays, by the clock: there are
// blocks for which it does not, and what they cost is not seen in counts of gas. Now and then a few
// stretches of blocks are timed both ways.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace heddle::executor {

/// How the transactions of a block are run by the stream.
enum class Pace : std::uint8_t {
    ahead,     // as the policy has it
    in_order,  // one after the other
};

/// Now and then two stretches of blocks are timed, one each way, with nothing else in flight: what
/// is attempted beside a block that runs in order is no part of its time, but slows it down, and
/// makes others seem fast. What counts of a block is how long it holds up the stream: from its
/// begin, or from the end of the one before it, to its own end; per gas, as blocks differ.
///
///   phase  event                              next
///   usual  kFirstInterval blocks, later more  timing the usual way, behind a pause
///   same   kStretch blocks                    timing the other way, behind a pause
///   other  kStretch blocks                    usual, behind a pause, and by what was found:
///            it was faster by kGain percent     the other way from here on
///            it was not                         as before, twice as many until the next time
///   any    the stream ends                    usual
///
/// So what trials cost is at most kStretch of kFirstInterval blocks the other way and three pauses,
/// and soon a thirtieth of that.
///
/// Thread safety: begin(), wants_pause(), start() and take_reason() by one thread; ended() any, one
/// at a time.
class PaceJudge {
public:
    static constexpr std::uint64_t kFirstInterval = 32;  // blocks
    static constexpr std::uint64_t kLongestInterval = 1024;
    static constexpr std::uint64_t kStretch = 4;  // blocks
    static constexpr std::int64_t kGain = 5;      // percent

    /// A new stream: nothing is under way. What was learned stays.
    void start() noexcept;
    /// Whether everything that has begun must have ended before the next block begins.
    [[nodiscard]] bool wants_pause() const noexcept;
    /// A block begins. @param now_ns  Of a clock that does not go back.
    [[nodiscard]] Pace begin(std::uint64_t now_ns);
    /// The oldest block that has begun was accepted. @param gas  What it used.
    void ended(std::uint64_t gas, std::uint64_t now_ns) noexcept;
    /// Why the pace has changed, in words, once.
    [[nodiscard]] std::optional<std::string> take_reason();

private:
    enum class Phase : std::uint8_t { usual, same, other };
    struct Begun {
        Phase phase = Phase::usual;
        std::uint64_t begin_ns = 0;
    };
    struct Sum {
        std::uint64_t ns = 0;
        std::uint64_t gas = 0;
    };
    /// Of blocks that use less the time is that of everything else.
    static constexpr std::uint64_t kLeastGas = 1'000'000;

    [[nodiscard]] static constexpr Pace other(Pace pace) noexcept {
        return pace == Pace::ahead ? Pace::in_order : Pace::ahead;
    }
    /// @return picoseconds per gas.
    [[nodiscard]] static std::int64_t cost(const Sum& sum) noexcept;
    [[nodiscard]] bool is_phase_over() const noexcept;
    void judge();

    mutable std::mutex lock_;  // of everything: a few operations a block
    std::deque<Begun> begun_;
    std::uint64_t last_end_ns_ = 0;
    Pace pace_ = Pace::ahead;
    std::uint64_t interval_ = kFirstInterval;
    Phase phase_ = Phase::usual;
    std::uint64_t begun_in_phase_ = 0;  // blocks
    Sum same_;                          // of the stretches
    Sum other_;
    std::optional<std::string> reason_;
};

}  // namespace heddle::executor
