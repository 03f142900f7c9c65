// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How many transactions make a batch: many where few of them disturb each other, few where many do.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace heddle::executor {

/// Doubled after a full batch of which at most one in eight was aborted, halved after one of which
/// more than one in four was. From counts alone, so the same batches give the same sizes.
/// Thread safety: adapt() by one thread at a time; current() any.
class BatchSize {
public:
    static constexpr std::uint32_t kMost = 1024;

    /// @param least  It does not adapt below this.
    /// @param fixed  It stays this; 0: it adapts.
    BatchSize(std::uint32_t least, std::uint32_t fixed) noexcept
        : is_fixed_(fixed != 0),
          least_(std::min(least, kMost)),
          current_(fixed != 0 ? fixed : std::max<std::uint32_t>(kFirst, least_)) {}

    [[nodiscard]] std::uint32_t current() const noexcept {
        return current_.load(std::memory_order_relaxed);
    }
    /// @param size     Of a batch that is over.
    /// @param aborted  Of these, what did not hold.
    void adapt(std::uint32_t size, std::uint32_t aborted) noexcept {
        if (is_fixed_) return;
        const std::uint32_t now = current();
        if (aborted > size / 4)
            current_.store(std::max(now / 2, least_), std::memory_order_relaxed);
        else if (size >= now && aborted <= size / 8)
            current_.store(std::min(2 * now, kMost), std::memory_order_relaxed);
    }

private:
    static constexpr std::uint32_t kFirst = 64;

    const bool is_fixed_;
    const std::uint32_t least_;
    std::atomic<std::uint32_t> current_;
};

}  // namespace heddle::executor
