// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/attempt.hpp"

#include <utility>

namespace heddle::executor {
namespace {

template <typename Item>
std::size_t bytes_of(const std::vector<Item>& items) noexcept {
    return items.capacity() * sizeof(Item);
}

}  // namespace

std::size_t Attempt::kept_bytes() const noexcept {
    const vm::AccessRecord& accesses = outcome.accesses;
    std::size_t bytes = sizeof *this + bytes_of(accounts) + bytes_of(slots) +
                        bytes_of(changed_slots) + bytes_of(outcome.output) +
                        bytes_of(outcome.receipt.logs) + bytes_of(outcome.diff.accounts) +
                        bytes_of(accesses.accounts) + bytes_of(accesses.slots) +
                        bytes_of(accesses.changed_accounts) + bytes_of(accesses.changed_slots) +
                        bytes_of(accesses.fresh_slots);
    for (const AccountChange& change : outcome.diff.accounts)
        bytes += bytes_of(change.storage);
    return bytes;
}

void AttemptPool::take(std::vector<Attempt*>& attempts) {
    const std::lock_guard guard(lock_);
    for (std::size_t i = 0; i < kBatch; ++i) {
        if (free_.empty()) {
            all_.push_back(std::make_unique<Attempt>());
            all_.back()->place = all_.size() - 1;
            attempts.push_back(all_.back().get());
            continue;
        }
        attempts.push_back(free_.back());
        free_.pop_back();
        kept_bytes_ -= attempts.back()->kept_bytes();
    }
}

void AttemptPool::give_back(std::vector<Attempt*>& attempts) {
    const std::lock_guard guard(lock_);
    const auto end = attempts.begin() + kBatch;
    for (auto at = attempts.begin(); at != end; ++at) {
        const std::size_t bytes = (*at)->kept_bytes();
        if (kept_bytes_ + bytes > max_kept_bytes_) {
            destroy(**at);
            continue;
        }
        kept_bytes_ += bytes;
        free_.push_back(*at);
    }
    attempts.erase(attempts.begin(), end);
}

void AttemptPool::destroy(const Attempt& attempt) noexcept {
    const std::size_t place = attempt.place;
    std::swap(all_[place], all_.back());
    all_[place]->place = place;
    all_.pop_back();
}

}  // namespace heddle::executor
