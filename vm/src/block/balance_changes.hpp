// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Balances that a block changes outside any transaction, gathered into one diff.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <types/address.hpp>
#include <types/hash_index.hpp>
#include <types/revision.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

#include <vm/access.hpp>

namespace heddle::vm {

/// What a step of a block that is no message call has changed; see BlockStep.
struct StepChanges {
    StateDiff diff;
    AccessRecord accesses;
};

/// Looks addresses up by hash: before Osaka nothing bounds how many withdrawals a block has.
class BalanceChanges {
public:
    explicit BalanceChanges(const StateView& state) noexcept : state_(&state) {}

    /// An account that does not exist comes into being.
    void credit(const Address& address, const Uint256& amount) {
        account(address, FieldAccess::add).balance += amount;
    }
    /// @return what the account had, in wei.
    [[nodiscard]] Uint256 take_all(const Address& address) {
        return std::exchange(account(address, FieldAccess::write).balance, Uint256{});
    }

    /// From Spurious Dragon on, what is empty is gone (EIP-161).
    [[nodiscard]] StepChanges finish(Revision revision) {
        for (std::size_t i = 0; i < changes_.diff.accounts.size(); ++i) {
            AccountChange& change = changes_.diff.accounts[i];
            AccountAccess& access = changes_.accesses.accounts[i];
            const bool is_dead = change.account->is_empty();
            // Who comes out of nothing gets a balance that is known, see AccessRecord.
            if (is_dead != was_dead_[i]) access.code = access.balance = FieldAccess::write;
            if (is_dead && revision >= Revision::spurious_dragon) change.account.reset();
            changes_.accesses.changed_accounts.push_back(static_cast<std::uint32_t>(i));
        }
        return std::move(changes_);
    }

private:
    [[nodiscard]] Account& account(const Address& address, FieldAccess balance) {
        std::vector<AccountChange>& accounts = changes_.diff.accounts;
        const auto is_known = [&](std::uint32_t i) { return accounts[i].address == address; };
        const std::uint64_t hash = AddressHasher{}(address);
        if (const std::uint32_t known = index_.find(hash, is_known); known != index_.kAbsent) {
            AccountAccess& access = changes_.accesses.accounts[known];
            access.balance = std::max(access.balance, balance);
            return *accounts[known].account;
        }
        index_.insert(hash, [&](std::uint32_t i) { return AddressHasher{}(accounts[i].address); });
        const std::optional<Account> before = state_->account(address);
        was_dead_.push_back(!before.has_value() || before->is_empty());
        AccountAccess& access = changes_.accesses.accounts.emplace_back();
        access.address = address;
        access.balance = balance;
        AccountChange& change = accounts.emplace_back();
        change.address = address;
        change.account = before.value_or(Account{});
        access.seen_balance = change.account->balance;
        return *change.account;
    }

    const StateView* state_;
    StepChanges changes_;
    HashIndex<> index_;           // of the diff's accounts
    std::vector<bool> was_dead_;  // before, by account
};

}  // namespace heddle::vm
