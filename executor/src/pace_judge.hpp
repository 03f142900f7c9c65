// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether attempting the transactions of blocks ahead of their turn pays, by the clock: there are
// blocks for which it does not, and what they cost is not seen in counts of gas. Now and then a few
// blocks are run another way and timed.
#pragma once

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
    in_order,  // one after the other; what else a block takes is done beside the next one
    alone,     // by the serial executor: the least work, and nothing beside it
};

/// Now and then a stretch of blocks is run another way and timed, with nothing else in flight: what
/// is attempted beside a block that runs in order is no part of its time, but slows it down, and
/// makes others seem fast. It is compared with what blocks took of late. What counts of a block is
/// how long it holds up the stream: from its begin, or from the end of the one before it, to its
/// own end; per gas, as blocks differ. The first block of a stretch, and the first after it, do not
/// count: what they read is in nobody's cache yet.
///
///   phase   event                                            next
///   usual   kFirstInterval blocks, later more                trial, behind a pause
///   trial   kStretch blocks another way, or fewer, if it is  usual, behind a pause, and by what
///           slower by kLoss percent                          was found:
///             it was faster by kGain percent                   once more after kConfirmAfter
///             the same, the second time running                that way from here on
///             it was not                                       twice as many until next time
///   any     the stream ends                                  usual
///
/// Of the two other ways one is tried, the next time the other one. So what a time costs is two
/// pauses and at most kStretch blocks that are little slower, or two that are much slower, of
/// kFirstInterval, and soon a sixtieth of that.
///
/// Thread safety: all by one thread, but ended(): any, one at a time.
class PaceJudge {
public:
    static constexpr std::uint64_t kFirstInterval = 16;  // blocks
    static constexpr std::uint64_t kLongestInterval = 1024;
    static constexpr std::uint64_t kConfirmAfter = 4;
    static constexpr std::uint64_t kStretch = 8;  // blocks
    static constexpr std::int64_t kGain = 5;      // percent
    static constexpr std::int64_t kLoss = 20;     // percent

    /// A new stream: nothing is under way. What was learned stays.
    void start() noexcept;
    /// Whether everything that has begun must have ended before next().
    [[nodiscard]] bool wants_pause() const noexcept;
    /// How the next block is to be run.
    [[nodiscard]] Pace next();
    /// That block begins. @param now_ns  Of a clock that does not go back.
    void begin(std::uint64_t now_ns);
    /// The oldest block that has begun was accepted. @param gas  What it used.
    void ended(std::uint64_t gas, std::uint64_t now_ns) noexcept;
    /// Why the pace has changed, in words, once.
    [[nodiscard]] std::optional<std::string> take_reason();

private:
    enum class Phase : std::uint8_t { usual, trial };
    struct Begun {
        Phase phase = Phase::usual;
        bool counts = false;
        std::uint64_t begin_ns = 0;
    };
    struct Sum {
        std::uint64_t ns = 0;
        std::uint64_t gas = 0;
    };
    /// Of blocks that use less the time is that of everything else.
    static constexpr std::uint64_t kLeastGas = 1'000'000;
    static constexpr std::uint64_t kMeanOf = 16;  // blocks, about

    /// The way that is tried when it is its turn.
    [[nodiscard]] Pace other() const noexcept;
    /// @return picoseconds per gas.
    [[nodiscard]] static std::int64_t cost(const Sum& sum) noexcept;
    [[nodiscard]] bool is_phase_over() const noexcept;
    /// What is tried is much slower, as far as it is known.
    [[nodiscard]] bool is_lost() const noexcept;
    void judge();

    mutable std::mutex lock_;  // of everything: a few operations a block
    std::deque<Begun> begun_;
    std::uint64_t last_end_ns_ = 0;
    Pace pace_ = Pace::ahead;
    std::uint64_t interval_ = kFirstInterval;
    std::uint64_t wait_ = kFirstInterval;  // blocks until the next time: interval_, or fewer
    bool has_won_ = false;                 // what is tried was faster the last time
    std::uint64_t trials_ = 0;
    Phase phase_ = Phase::usual;
    std::uint64_t begun_in_phase_ = 0;  // blocks
    Sum usual_;                         // of late
    Sum tried_;                         // of the trial
    std::optional<std::string> reason_;
};

}  // namespace heddle::executor
