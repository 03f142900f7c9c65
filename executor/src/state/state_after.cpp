// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/state_after.hpp"

#include <algorithm>

#include <types/address.hpp>

namespace heddle::executor {
namespace {

std::uint64_t hash_of(const Address& address) noexcept {
    return AddressHasher{}(address);
}
std::uint64_t hash_of(const Hash& hash) noexcept {
    return HashHasher{}(hash);
}

}  // namespace

void StateAfter::attach(const StateView& before, const StateDiff& diff) {
    before_ = &before;
    diff_ = &diff;
    index_.clear_and_shrink();
    for (const AccountChange& change : diff.accounts)
        index_.insert(hash_of(change.address),
                      [&](std::uint32_t i) { return hash_of(diff.accounts[i].address); });
    codes_.clear_and_shrink();
    for (const CodeChange& change : diff.codes)
        codes_.insert(hash_of(change.hash),
                      [&](std::uint32_t i) { return hash_of(diff.codes[i].hash); });
}

const AccountChange* StateAfter::find(const Address& address) const noexcept {
    const std::uint32_t place = index_.find(
        hash_of(address), [&](std::uint32_t i) { return diff_->accounts[i].address == address; });
    return place == HashIndex<>::kAbsent ? nullptr : &diff_->accounts[place];
}

std::optional<Account> StateAfter::account(const Address& address) const noexcept {
    const AccountChange* const change = find(address);
    return change != nullptr ? change->account : before_->account(address);
}

Uint256 StateAfter::storage(const Address& address, const Uint256& slot) const noexcept {
    if (const AccountChange* const change = find(address); change != nullptr) {
        const auto written = std::ranges::find(change->storage, slot, &StorageChange::slot);
        if (written != change->storage.end()) return written->value;
        if (!change->account.has_value() || change->storage_cleared) return {};
    }
    return before_->storage(address, slot);
}

bool StateAfter::has_storage(const Address& address) const noexcept {
    const AccountChange* const change = find(address);
    if (change == nullptr) return before_->has_storage(address);
    const auto is_set = [](const StorageChange& written) { return !written.value.is_zero(); };
    if (std::ranges::any_of(change->storage, is_set)) return true;
    return change->account.has_value() && !change->storage_cleared && before_->has_storage(address);
}

BytesView StateAfter::code(const Hash& code_hash) const noexcept {
    const std::uint32_t place = codes_.find(
        hash_of(code_hash), [&](std::uint32_t i) { return diff_->codes[i].hash == code_hash; });
    return place != HashIndex<>::kAbsent ? BytesView{diff_->codes[place].code}
                                         : before_->code(code_hash);
}

}  // namespace heddle::executor
