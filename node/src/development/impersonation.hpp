// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Accounts in whose name a development chain takes transactions without their keys.
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_set>

#include <types/address.hpp>
#include <types/transaction.hpp>

namespace heddle::node {

/// Thread safety: any.
class Impersonation {
public:
    /// Most accounts at once.
    static constexpr std::size_t kMost = 100'000;

    /// @return false: there are too many.
    bool add(const Address& account);
    /// @return whether it was one of them.
    bool remove(const Address& account);
    /// Whether every account is one of them.
    void set_all(bool all) noexcept { all_.store(all, std::memory_order_relaxed); }
    void clear();
    [[nodiscard]] bool contains(const Address& account) const;

private:
    std::atomic<bool> all_ = false;
    mutable std::mutex mutex_;
    std::unordered_set<Address, AddressHasher> accounts_;  // guarded by mutex_
};

/// Gives the transaction the sender, and a signature that nobody could have made: its form is
/// right, and two senders never have the same, so that hashes differ.
void sign_as(const Address& sender, Transaction& tx);

}  // namespace heddle::node
