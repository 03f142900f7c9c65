// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Showing how far long work has come: one line rewritten in place on a terminal, plain lines now
// and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "program/terminal.hpp"

namespace heddle::node {

/// What has been done so far.
struct Work {
    std::uint64_t blocks = 0;
    std::uint64_t transactions = 0;
    std::uint64_t gas = 0;
};

/// Reports to standard error, so that standard output holds results only.
/// Thread safety: any.
class Progress {
public:
    Progress();

    /// Shows the state of things unless it was shown a moment ago.
    /// @param number  Of the newest block.
    /// @param fraction_done  From 0 to 1; 0 where it is unknown.
    void update(std::uint64_t number, const Work& done, double fraction_done);
    /// The same for work that is not blocks.
    void update(const std::string& what, double fraction_done);
    /// A line that stays, above the one that is rewritten.
    void note(std::string_view text);
    /// Clears the rewritten line, so that other text may follow.
    void finish();

    [[nodiscard]] double seconds() const;

private:
    using Clock = std::chrono::steady_clock;

    /// Whether nothing was shown for a while.
    [[nodiscard]] bool is_due(Clock::time_point now) const;
    /// `, 14 %, 20 s left`; nothing where nobody knows.
    [[nodiscard]] std::string time_left(double fraction_done, Clock::time_point now) const;
    void show(const std::string& text, Clock::time_point now);

    const Clock::time_point begin_;
    std::mutex mutex_;  // guards what follows
    RewrittenLine line_;
    Clock::time_point last_;
    Work at_last_;
};

/// `1h02m`, `3m20s`, `14 s`, `0.82 s`.
[[nodiscard]] std::string format_duration(double seconds);

}  // namespace heddle::node
