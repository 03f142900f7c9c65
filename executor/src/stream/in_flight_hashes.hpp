// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Hashes of the blocks in flight on top of those accepted: BLOCKHASH of a block that drains while
// its successor runs.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include <types/hash.hpp>
#include <types/state_view.hpp>

namespace heddle::executor {

/// Thread safety: any.
class InFlightHashes final : public BlockHashes {
public:
    void attach(const BlockHashes& accepted) {
        const std::lock_guard guard(mutex_);
        accepted_ = &accepted;
        hashes_.clear();
    }
    void add(std::uint64_t number, const Hash& hash) {
        const std::lock_guard guard(mutex_);
        hashes_[number] = hash;
    }
    /// The block has been accepted: from here on the other side knows it.
    void remove(std::uint64_t number) {
        const std::lock_guard guard(mutex_);
        hashes_.erase(number);
    }

    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        {
            const std::lock_guard guard(mutex_);
            if (const auto found = hashes_.find(number); found != hashes_.end())
                return found->second;
        }
        return accepted_->block_hash(number);
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Hash> hashes_;
    const BlockHashes* accepted_ = nullptr;
};

}  // namespace heddle::executor
