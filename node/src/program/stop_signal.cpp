// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/stop_signal.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <utility>

#include "program/input_file.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::BlockSource;
using consensus_adapter::OrderedBlock;
using consensus_adapter::SourceError;

/// When the first signal came, in ms. One value, for two threads may handle a signal each at once.
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
std::atomic<std::int64_t> raised_at_ms = kNever;
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a handler sets it");
std::atomic<int> raised_signal = SIGTERM;  // the first one

/// SIGHUP: the terminal has been closed.
constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP};

/// Whether it is not to be listened to: nohup has SIGHUP ignored.
bool is_left_alone(int signal) noexcept {
    struct sigaction action = {};
    return signal == SIGHUP && ::sigaction(signal, nullptr, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

std::int64_t now_ms() noexcept {
    timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);  // which a handler may call
    return std::int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

/// A second signal ends the process at once. But not one that belongs to the first: whoever stops a
/// group of processes often tells each of them twice, and what is to be tidied up would stay.
void on_stop_signal(int signal) {
    constexpr std::int64_t kTogether = 1'000;  // ms
    const std::int64_t now = now_ms();
    std::int64_t first = kNever;
    if (raised_at_ms.compare_exchange_strong(first, now, std::memory_order_relaxed)) {
        raised_signal.store(signal, std::memory_order_relaxed);
        return;
    }
    if (now - first < kTogether) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

class StoppableSource final : public BlockSource {
public:
    explicit StoppableSource(std::unique_ptr<BlockSource> source) : source_(std::move(source)) {}

    std::optional<OrderedBlock> next() override {
        if (StopSignal::is_raised()) return std::nullopt;
        return source_->next();
    }
    const std::optional<SourceError>& error() const noexcept override { return source_->error(); }
    consensus_adapter::SourceProgress progress() const noexcept override {
        return source_->progress();
    }

private:
    const std::unique_ptr<BlockSource> source_;
};

}  // namespace

StopSignal::StopSignal() {
    give_up_waiting_when([]() noexcept { return is_raised(); });
    raised_at_ms.store(kNever, std::memory_order_relaxed);
    for (const int signal : kStopSignals)
        if (!is_left_alone(signal)) std::signal(signal, on_stop_signal);
}

StopSignal::~StopSignal() {
    // What was to be stopped is on its way out, and more than this is tidied up on it: a signal
    // that belongs to the first must not end it now either.
    if (is_raised()) return;
    for (const int signal : kStopSignals)
        if (!is_left_alone(signal)) std::signal(signal, SIG_DFL);
}

bool StopSignal::is_raised() noexcept {
    return raised_at_ms.load(std::memory_order_relaxed) != kNever;
}

void StopSignal::obey() {
    const int signal = raised_signal.load(std::memory_order_relaxed);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    std::abort();  // not reached: none of them is blocked
}

std::unique_ptr<BlockSource> make_stoppable_source(std::unique_ptr<BlockSource> source) {
    return std::make_unique<StoppableSource>(std::move(source));
}

}  // namespace heddle::node
