// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a transaction, a system call or a block changed: new values only, never how they came about.
#pragma once

#include <optional>
#include <vector>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle {

struct StorageChange {
    Uint256 slot;
    Uint256 value;  // zero: the slot is gone
    friend bool operator==(const StorageChange&, const StorageChange&) = default;
};

/// One account's new values. Applied in this order: storage cleared, account set, slots written.
struct AccountChange {
    Address address;
    /// The account after the change; nullopt: it no longer exists (its storage is gone with it).
    std::optional<Account> account;
    /// All slots that existed before are gone: the account was destroyed, or created anew in place
    /// of an earlier one. `storage` holds what was written afterwards.
    bool storage_cleared = false;
    std::vector<StorageChange> storage;
    friend bool operator==(const AccountChange&, const AccountChange&) = default;
};

/// Code that an account was given and is left with, by hash. Applying it twice is harmless.
struct CodeChange {
    Hash hash;
    Bytes code;
    friend bool operator==(const CodeChange&, const CodeChange&) = default;
};

/// Invariants: each address and, within it, each slot occurs at most once.
struct StateDiff {
    std::vector<AccountChange> accounts;
    std::vector<CodeChange> codes;

    [[nodiscard]] bool empty() const noexcept { return accounts.empty() && codes.empty(); }
    void clear() noexcept {
        accounts.clear();
        codes.clear();
    }
    friend bool operator==(const StateDiff&, const StateDiff&) = default;
};

}  // namespace heddle
