// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Showing how far long work has come: one line rewritten in place on a terminal, plain lines now
// and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "program/terminal.hpp"

namespace heddle::node {

/// What has been done so far.
struct Work {
    std::uint64_t blocks = 0;
    std::uint64_t transactions = 0;
    std::uint64_t gas = 0;
};

/// Reports to standard error, so that standard output holds results only.
/// Thread safety: one thread at a time.
class Progress {
public:
    Progress();

    /// Shows the state of things unless it was shown a moment ago.
    /// @param number  Of the newest block.
    /// @param fraction_done  From 0 to 1; 0 where it is unknown.
    void update(std::uint64_t number, const Work& done, double fraction_done);
    /// The same for work that is not blocks.
    void update(const std::string& what, double fraction_done);
    /// Clears the rewritten line, so that other text may follow.
    void finish() { line_.clear(); }

    [[nodiscard]] double seconds() const;

private:
    using Clock = std::chrono::steady_clock;

    /// Whether nothing was shown for a while.
    [[nodiscard]] bool is_due(Clock::time_point now) const;
    void show(std::string text, double fraction_done, Clock::time_point now);

    RewrittenLine line_;
    Clock::time_point begin_;
    Clock::time_point last_;
    Work at_last_;
};

/// `1h02m`, `3m20s`, `14 s`, `0.82 s`.
[[nodiscard]] std::string format_duration(double seconds);

}  // namespace heddle::node
