// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "development/impersonation.hpp"

#include <types/uint256.hpp>

namespace heddle::node {

bool Impersonation::add(const Address& account) {
    const std::scoped_lock lock{mutex_};
    if (accounts_.size() >= kMost) return accounts_.contains(account);
    accounts_.insert(account);
    return true;
}

bool Impersonation::remove(const Address& account) {
    const std::scoped_lock lock{mutex_};
    return accounts_.erase(account) != 0;
}

void Impersonation::clear() {
    set_all(false);
    const std::scoped_lock lock{mutex_};
    accounts_.clear();
}

bool Impersonation::contains(const Address& account) const {
    if (all_.load(std::memory_order_relaxed)) return true;
    const std::scoped_lock lock{mutex_};
    return accounts_.contains(account);
}

void sign_as(const Address& sender, Transaction& tx) {
    constexpr unsigned kAddressBits = 160;
    tx.sender = sender;
    tx.y_parity = 0;
    // Above zero also for the zero address, and below the order of the curve.
    tx.r = (Uint256{1} << kAddressBits) + load_be_partial(sender.bytes);
    tx.s = 1;
}

}  // namespace heddle::node
