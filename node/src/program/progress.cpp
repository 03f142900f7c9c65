// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/progress.hpp"

#include <fmt/format.h>

#include <types/counted.hpp>

namespace heddle::node {

namespace {

constexpr double kTerminalInterval = 0.2;  // seconds between two updates
constexpr double kPlainInterval = 5.0;

}  // namespace

std::string format_duration(double seconds) {
    if (seconds < 10) return fmt::format("{:.2f} s", seconds);
    const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
    return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

Progress::Progress() : begin_(Clock::now()), last_(begin_) {}

double Progress::seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
}

bool Progress::is_due(Clock::time_point now) const {
    const double since_last = std::chrono::duration<double>(now - last_).count();
    return since_last >= (line_.is_terminal() ? kTerminalInterval : kPlainInterval);
}

void Progress::show(std::string text, double fraction_done, Clock::time_point now) {
    const double elapsed = std::chrono::duration<double>(now - begin_).count();
    if (fraction_done > 0)
        text += fmt::format(", {:.0f} %, {} left", 100 * fraction_done,
                            format_duration(elapsed * (1 - fraction_done) / fraction_done));
    line_.show(text);
    last_ = now;
}

void Progress::update(std::uint64_t number, const Work& done, double fraction_done) {
    const auto now = Clock::now();
    if (!is_due(now)) return;
    const double since_last = std::chrono::duration<double>(now - last_).count();
    show(fmt::format("block {}: {}, {}, {:.0f} Mgas/s, {:.0f} tx/s", number,
                     counted(done.blocks, "block"), counted(done.transactions, "transaction"),
                     static_cast<double>(done.gas - at_last_.gas) / since_last / 1e6,
                     static_cast<double>(done.transactions - at_last_.transactions) / since_last),
         fraction_done, now);
    at_last_ = done;
}

void Progress::update(const std::string& what, double fraction_done) {
    const auto now = Clock::now();
    if (is_due(now)) show(what, fraction_done, now);
}

}  // namespace heddle::node
