// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Counting while others look.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::executor {

/// A count that its thread raises and others may read at any time.
class Counter {
public:
    void add(std::uint64_t count = 1) noexcept {
        // One writer: no read-modify-write needed.
        value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t get() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }
    void reset() noexcept { value_.store(0, std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

}  // namespace heddle::executor
