// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <measure/handover.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <types/processors.hpp>

namespace heddle::measure {
namespace {

constexpr std::uint32_t kBatches = 15;
constexpr std::uint32_t kRounds = 256;  // of a batch: there and back

using Turn = std::atomic<std::uint32_t>;

void await(const Turn& turn, std::uint32_t value) noexcept {
    // Who waits for a thread that is not running has to let it run.
    constexpr unsigned kPatience = 10'000;  // looks
    for (unsigned looks = 0; turn.load(std::memory_order_acquire) != value; ++looks)
        if (looks >= kPatience) std::this_thread::yield();
}

/// Waits for each odd value and answers with the next one.
void answer(Turn& turn) noexcept {
    for (std::uint32_t i = 0; i < kBatches * kRounds; ++i) {
        await(turn, 2 * i + 1);
        turn.store(2 * i + 2, std::memory_order_release);
    }
}

double time_batch(Turn& turn, std::uint32_t first) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    for (std::uint32_t i = first; i < first + kRounds; ++i) {
        turn.store(2 * i + 1, std::memory_order_release);
        await(turn, 2 * i + 2);
    }
    const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
    return taken.count() / (2 * kRounds);
}

}  // namespace

double handover_ns() {
    if (processor_count() < 2) return 0;
    alignas(64) Turn turn{0};
    const std::jthread other([&turn] { answer(turn); });
    double least = time_batch(turn, 0);
    for (std::uint32_t i = 1; i < kBatches; ++i)
        least = std::min(least, time_batch(turn, i * kRounds));
    return least;
}

}  // namespace heddle::measure
