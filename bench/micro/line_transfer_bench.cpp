// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What it takes until a processor sees what another one has written: two threads that are bound to
// two processors pass a number to and fro. Everything that workers tell each other costs this, and
// on a virtual machine it changes while other figures stay as they are: the host may move its
// processors together, below one cache, or apart.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <executor/executor.hpp>
#include <measure/statistics.hpp>
#include <types/processors.hpp>

#include "arguments.hpp"
#include "table.hpp"

namespace {

using namespace heddle;

/// For --help.
constexpr const char* kPurpose =
    "What it takes until a processor sees what another one has written, in nanoseconds.";

/// Nanoseconds from one processor to the other, on average of `count`, an even number.
double measure_transfer(std::uint64_t count) {
    constexpr std::uint64_t kBefore = 1'000;  // until both threads are there
    const std::uint64_t end = kBefore + count;
    alignas(64) std::atomic<std::uint64_t> ball{0};
    const auto pass = [&](std::uint64_t turn) {
        while (ball.load(std::memory_order_acquire) != turn) {
        }
        ball.store(turn + 1, std::memory_order_release);
    };
    std::jthread other([&] {
        executor::bind_this_thread(1);
        for (std::uint64_t turn = 1; turn < end; turn += 2)
            pass(turn);
    });
    std::chrono::steady_clock::time_point begin;
    for (std::uint64_t turn = 0; turn < end; turn += 2) {
        if (turn == kBefore) begin = std::chrono::steady_clock::now();
        pass(turn);
    }
    while (ball.load(std::memory_order_acquire) != end) {
    }
    const auto taken = std::chrono::steady_clock::now() - begin;
    return std::chrono::duration<double, std::nano>(taken).count() / static_cast<double>(count);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Arguments arguments(argc, argv, kPurpose);
    const std::uint64_t rounds =
        arguments.number("rounds", 21, "rounds, of which the median counts");
    const std::uint64_t transfers =
        arguments.number("transfers", 20'000, "transfers of a round") / 2 * 2;
    const std::string json =
        arguments.text("json", "", "also write the table to this file, as JSON");
    arguments.finish();
    if (processor_count() < 2) {
        std::puts("one processor: nothing to measure");
        return 0;
    }
    executor::bind_this_thread(0);
    std::vector<double> ns;
    for (std::uint64_t i = 0; i < rounds; ++i)
        ns.push_back(measure_transfer(transfers));
    bench::Tables tables;
    tables
        .add("from processor to processor, ns by round",
             {{"median", 0}, {"a_tenth_below", 0}, {"a_tenth_above", 0}})
        .add({measure::median(ns), measure::percentile(std::span(ns), 0.1),
              measure::percentile(std::span(ns), 0.9)});
    tables.write_json(json);
    return 0;
}
