// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A bound on the memory that many holders have together.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

namespace heddle::node::rpc {

/// Frees what `text` has. Assigning an empty string would keep the memory.
inline void release_memory(std::string& text) noexcept {
    std::string{}.swap(text);
}
/// For a response that is complete: what it grew to may be twice its size, or, where a long one was
/// given up for an error, much more. What is left is nearly what the budget counts.
inline void release_excess(std::string& text) {
    if (text.capacity() > text.size() + text.size() / 8 + (4 << 10)) text.shrink_to_fit();
}

/// Thread safety: any.
class MemoryBudget {
public:
    explicit MemoryBudget(std::size_t bytes) noexcept : bytes_(bytes) {}

    /// @return false: so much is not left, and nothing was taken.
    [[nodiscard]] bool take(std::size_t bytes) noexcept {
        // Only the sum matters; no other memory is published through it.
        if (taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_) return true;
        give_back(bytes);
        return false;
    }
    void give_back(std::size_t bytes) noexcept {
        taken_.fetch_sub(bytes, std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t taken() const noexcept {
        return taken_.load(std::memory_order_relaxed);
    }

private:
    const std::size_t bytes_;
    std::atomic<std::size_t> taken_{0};
};

/// What one holder took; gives it back at its end. Small amounts are free, so that what is usual
/// costs no shared counter; thousands of connections may hold as much.
/// Thread safety: one thread at a time.
class MemoryShare {
public:
    static constexpr std::size_t kFree = 8 << 10;

    explicit MemoryShare(MemoryBudget& budget) noexcept : budget_(&budget) {}
    MemoryShare(MemoryShare&& other) noexcept
        : budget_(other.budget_), taken_(std::exchange(other.taken_, 0)) {}
    MemoryShare& operator=(MemoryShare&&) = delete;
    ~MemoryShare() { release(); }

    /// @return false: so much is not left; the share stays as it was.
    [[nodiscard]] bool grow_to(std::size_t bytes) noexcept {
        if (bytes <= kFree || bytes <= taken_) return true;
        if (!budget_->take(bytes - taken_)) return false;
        taken_ = bytes;
        return true;
    }
    void release() noexcept {
        if (taken_ != 0) budget_->give_back(std::exchange(taken_, 0));
    }

private:
    MemoryBudget* budget_;
    std::size_t taken_ = 0;
};

}  // namespace heddle::node::rpc
