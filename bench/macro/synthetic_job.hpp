// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the synthetic executors run, and what they say about it afterwards.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "access_stream.hpp"
#include "machine.hpp"

namespace heddle::bench {

/// Transactions that do nothing but take time (DORADD §5.1, §5.2).
struct SyntheticJob {
    const AccessStream& stream;
    const Spin& spin;
    std::size_t objects = 0;
    std::size_t writes = 0;        // so many objects of each transaction are written
    std::uint64_t service_ns = 0;  // processor time of a transaction
    /// When each transaction arrives, in nanoseconds from the start; empty: all at once.
    std::vector<std::uint64_t> arrivals{};
    std::uint64_t straggler_every = 0;  // 0: no stragglers
    std::uint64_t straggler_ns = 0;
    bool straggler_sleeps = false;  // else it computes

    /// Numbered from 1. In the middle of its group, so that there are transactions behind it.
    [[nodiscard]] bool is_straggler(std::uint64_t position) const noexcept {
        return straggler_every != 0 && position % straggler_every == straggler_every / 2;
    }
    void serve(std::uint64_t position) const {
        if (!is_straggler(position))
            spin.run_for(service_ns);
        else if (straggler_sleeps)
            std::this_thread::sleep_for(std::chrono::nanoseconds(straggler_ns));
        else
            spin.run_for(straggler_ns);
    }
};

/// Moments in nanoseconds from the start, by transaction.
struct SyntheticTimes {
    explicit SyntheticTimes(std::size_t count)
        : dispatched(count), started(count), completed(count), committed(count) {}

    std::vector<std::uint64_t> dispatched;
    std::vector<std::uint64_t> started;
    std::vector<std::uint64_t> completed;
    std::vector<std::uint64_t> committed;
};

}  // namespace heddle::bench
