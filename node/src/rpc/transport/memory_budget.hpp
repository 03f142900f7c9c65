// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A bound on the memory that many holders have together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
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

/// A client may have no more than there is room left: who fills it with answers that it does not
/// read leaves others some of it.
/// Thread safety: any.
class MemoryBudget {
public:
    explicit MemoryBudget(std::size_t bytes) noexcept : bytes_(bytes) {}

    /// @param client  Who needs it (Client::key).
    /// @return false: so much is not left for this client, and nothing was taken.
    [[nodiscard]] bool take(std::uint64_t client, std::size_t bytes) {
        const std::scoped_lock lock{mutex_};
        const auto found = by_client_.find(client);
        const std::size_t mine = found == by_client_.end() ? 0 : found->second;
        if (taken_ + mine > bytes_ || bytes > bytes_ - taken_ - mine) return false;
        taken_ += bytes;
        if (found == by_client_.end())
            by_client_.emplace(client, bytes);
        else
            found->second += bytes;
        return true;
    }
    void give_back(std::uint64_t client, std::size_t bytes) noexcept {
        const std::scoped_lock lock{mutex_};
        taken_ -= bytes;
        const auto found = by_client_.find(client);
        found->second -= bytes;
        if (found->second == 0) by_client_.erase(found);
    }
    [[nodiscard]] std::size_t taken() const noexcept {
        const std::scoped_lock lock{mutex_};
        return taken_;
    }

private:
    const std::size_t bytes_;
    mutable std::mutex mutex_;  // guards what follows
    std::size_t taken_ = 0;
    std::unordered_map<std::uint64_t, std::size_t> by_client_;  // what each has taken; none has 0
};

/// What one holder took; gives it back at its end. Small amounts are free, so that what is usual
/// takes no lock; thousands of connections may hold as much.
/// Thread safety: one thread at a time.
class MemoryShare {
public:
    static constexpr std::size_t kFree = 8 << 10;

    /// @param client  Whose holder it is (Client::key).
    MemoryShare(MemoryBudget& budget, std::uint64_t client) noexcept
        : budget_(&budget), client_(client) {}
    MemoryShare(MemoryShare&& other) noexcept
        : budget_(other.budget_), client_(other.client_), taken_(std::exchange(other.taken_, 0)) {}
    MemoryShare& operator=(MemoryShare&&) = delete;
    ~MemoryShare() { release(); }

    /// @return false: so much is not left; the share stays as it was.
    [[nodiscard]] bool grow_to(std::size_t bytes) {
        if (bytes <= kFree || bytes <= taken_) return true;
        if (!budget_->take(client_, bytes - taken_)) return false;
        taken_ = bytes;
        return true;
    }
    void release() noexcept {
        if (taken_ != 0) budget_->give_back(client_, std::exchange(taken_, 0));
    }

private:
    MemoryBudget* budget_;
    std::uint64_t client_;
    std::size_t taken_ = 0;
};

}  // namespace heddle::node::rpc
