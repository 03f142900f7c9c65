// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/progress.hpp"

#include <fmt/format.h>

#include <types/counted.hpp>

#include "program/say.hpp"

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

std::string Progress::time_left(double fraction_done, Clock::time_point now) const {
    if (fraction_done <= 0) return {};
    const double elapsed = std::chrono::duration<double>(now - begin_).count();
    return fmt::format(", {:.0f} %, {} left", 100 * fraction_done,
                       format_duration(elapsed * (1 - fraction_done) / fraction_done));
}

void Progress::show(const std::string& text, Clock::time_point now) {
    line_.show(text);
    last_ = now;
}

// What a reader waits for comes first: a narrow terminal cuts off the end.
void Progress::update(std::uint64_t number, const Work& done, double fraction_done) {
    const std::scoped_lock lock{mutex_};
    const auto now = Clock::now();
    if (!is_due(now)) return;
    const double since_last = std::chrono::duration<double>(now - last_).count();
    show(fmt::format("block {}{}: {:.0f} Mgas/s, {:.0f} tx/s; {}, {}", number,
                     time_left(fraction_done, now),
                     static_cast<double>(done.gas - at_last_.gas) / since_last / 1e6,
                     static_cast<double>(done.transactions - at_last_.transactions) / since_last,
                     counted(done.blocks, "block"), counted(done.transactions, "transaction")),
         now);
    at_last_ = done;
}

void Progress::update(const std::string& what, double fraction_done) {
    const std::scoped_lock lock{mutex_};
    const auto now = Clock::now();
    if (is_due(now)) show(what + time_left(fraction_done, now), now);
}

void Progress::note(std::string_view text) {
    const std::scoped_lock lock{mutex_};
    line_.clear();
    say("{}\n", text);
}

void Progress::finish() {
    const std::scoped_lock lock{mutex_};
    line_.clear();
}

}  // namespace heddle::node
