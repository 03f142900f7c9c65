// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Balances that a block changes outside any transaction, gathered into one diff.
#pragma once

#include <algorithm>

#include <types/address.hpp>
#include <types/revision.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

namespace heddle::vm {

/// Few addresses only: looking one up is linear.
class BalanceChanges {
public:
    explicit BalanceChanges(const StateView& state) noexcept : state_(&state) {}

    /// The account as changed so far; one that does not exist comes into being.
    [[nodiscard]] Account& account(const Address& address) {
        const auto known = std::ranges::find(diff_.accounts, address, &AccountChange::address);
        if (known != diff_.accounts.end()) return *known->account;
        AccountChange& change = diff_.accounts.emplace_back();
        change.address = address;
        change.account = state_->account(address).value_or(Account{});
        return *change.account;
    }

    void credit(const Address& address, const Uint256& amount) {
        account(address).balance += amount;
    }

    /// The diff; from Spurious Dragon on, what is empty is gone (EIP-161).
    [[nodiscard]] StateDiff& finish(Revision revision) {
        if (revision >= Revision::spurious_dragon)
            for (AccountChange& change : diff_.accounts)
                if (change.account->is_empty()) change.account.reset();
        return diff_;
    }

private:
    const StateView* state_;
    StateDiff diff_;
};

}  // namespace heddle::vm
