// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/stop_signal.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <utility>

namespace heddle::node {

namespace {

using consensus_adapter::BlockSource;
using consensus_adapter::OrderedBlock;
using consensus_adapter::SourceError;

// Set by a signal handler.
std::atomic<bool> raised = false;
std::atomic<std::int64_t> raised_at_ms = 0;
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

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
    if (!raised.exchange(true, std::memory_order_relaxed)) {
        raised_at_ms.store(now_ms(), std::memory_order_relaxed);
        return;
    }
    if (now_ms() - raised_at_ms.load(std::memory_order_relaxed) < kTogether) return;
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
    raised.store(false, std::memory_order_relaxed);
    for (const int signal : kStopSignals)
        if (!is_left_alone(signal)) std::signal(signal, on_stop_signal);
}

StopSignal::~StopSignal() {
    for (const int signal : kStopSignals)
        if (!is_left_alone(signal)) std::signal(signal, SIG_DFL);
}

bool StopSignal::is_raised() noexcept {
    return raised.load(std::memory_order_relaxed);
}

std::unique_ptr<BlockSource> make_stoppable_source(std::unique_ptr<BlockSource> source) {
    return std::make_unique<StoppableSource>(std::move(source));
}

}  // namespace heddle::node
