// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether attempting the transactions of blocks ahead of their turn pays, by the clock: there are
// blocks for which it does not, and what they cost is not seen in counts of gas. Now and then a few
// blocks are run the other way and timed.
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

/// What is timed is how long a block holds up the stream: from its begin, or from the end of the
/// one before it, to its own end; per gas, as blocks differ.
///
///   event                                       blocks run     then
///   kFirstInterval blocks since the last trial  the other way  kTrial blocks
///   a trial was slower, or little faster        as before      twice as many until the next one
///   a trial was faster by kGain percent         the other way  kFirstInterval until the next one
///
/// So what trials cost is at most kTrial of kFirstInterval blocks, and soon a thirtieth of that.
///
/// Thread safety: begin(), start() and take_reason() by one thread; ended() any, one at a time.
class PaceJudge {
public:
    static constexpr std::uint64_t kFirstInterval = 32;  // blocks
    static constexpr std::uint64_t kLongestInterval = 1024;
    static constexpr std::uint64_t kTrial = 3;  // the first one is not counted: others overlap it
    static constexpr std::int64_t kGain = 10;   // percent

    /// A new stream: nothing is under way. What was learned stays.
    void start() noexcept;
    /// A block begins. @param now_ns  Of a clock that does not go back.
    [[nodiscard]] Pace begin(std::uint64_t now_ns);
    /// The oldest block that has begun was accepted. @param gas  What it used.
    void ended(std::uint64_t gas, std::uint64_t now_ns) noexcept;
    /// Why the pace has changed, in words, once.
    [[nodiscard]] std::optional<std::string> take_reason();

private:
    struct Begun {
        Pace pace = Pace::ahead;
        bool is_trial = false;
        bool counts = false;
        std::uint64_t begin_ns = 0;
    };
    /// Of blocks that use less the time is that of everything else.
    static constexpr std::uint64_t kLeastGas = 1'000'000;
    static constexpr std::int64_t kMeanOf = 4;  // blocks, about

    [[nodiscard]] static constexpr Pace other(Pace pace) noexcept {
        return pace == Pace::ahead ? Pace::in_order : Pace::ahead;
    }
    /// @return picoseconds per gas.
    [[nodiscard]] static std::int64_t cost(std::uint64_t ns, std::uint64_t gas) noexcept;
    void judge() noexcept;

    std::mutex lock_;  // of everything: a few operations a block
    std::deque<Begun> begun_;
    std::uint64_t last_end_ns_ = 0;
    Pace pace_ = Pace::ahead;
    std::uint64_t interval_ = kFirstInterval;
    std::uint64_t since_trial_ = 0;
    std::uint64_t trial_ = 0;      // blocks of it that have begun
    std::int64_t usual_ = 0;       // ps per gas; 0: not known
    std::uint64_t tried_ns_ = 0;   // of the trial
    std::uint64_t tried_gas_ = 0;  // the same
    std::optional<std::string> reason_;
};

}  // namespace heddle::executor
