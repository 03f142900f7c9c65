// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one block changed in the flat state, with the values from before: enough to go forward and
// back. A StateDiff knows only what is new, and clears a storage as a whole; here every slot that
// was lost is named.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>
#include <types/uint256.hpp>

namespace heddle::ledger {

/// An account as the flat state holds it: with the root of its storage trie.
struct AccountRecord {
    Account account;
    Hash storage_root = kEmptyTrieRoot;
    friend bool operator==(const AccountRecord&, const AccountRecord&) = default;
};

struct SlotUpdate {
    Uint256 slot;
    Uint256 before;  // zero: there was none
    Uint256 after;   // zero: there is none
    friend bool operator==(const SlotUpdate&, const SlotUpdate&) = default;
};

struct AccountUpdate {
    Address address;
    std::optional<AccountRecord> before;  // nullopt: it did not exist
    std::optional<AccountRecord> after;   // nullopt: it no longer exists
    std::vector<SlotUpdate> slots;        // ascending by slot
    friend bool operator==(const AccountUpdate&, const AccountUpdate&) = default;
};

/// Invariants: ascending by address; each address and, within it, each slot once.
struct BlockChanges {
    std::vector<AccountUpdate> accounts;

    /// nullptr: the block did not touch it. Complexity: logarithmic.
    [[nodiscard]] const AccountUpdate* find(const Address& address) const noexcept;
    [[nodiscard]] AccountUpdate* find(const Address& address) noexcept;
    friend bool operator==(const BlockChanges&, const BlockChanges&) = default;
};

/// What they take in memory, in bytes, as types/held_bytes.hpp counts.
[[nodiscard]] std::size_t held_bytes(const BlockChanges& changes) noexcept;

/// Accounts and slots.
[[nodiscard]] std::size_t count_values(const BlockChanges& changes) noexcept;

/// nullptr: the block did not change it. Complexity: logarithmic.
[[nodiscard]] const SlotUpdate* find_slot(const AccountUpdate& update,
                                          const Uint256& slot) noexcept;

/// The values after the block as a diff, e.g. for the trie to follow.
[[nodiscard]] StateDiff forward_diff(const BlockChanges& changes);
/// The values before the block as a diff: takes the block back.
[[nodiscard]] StateDiff backward_diff(const BlockChanges& changes);

/// What all blocks changed together.
/// @param blocks  Consecutive, oldest first.
[[nodiscard]] BlockChanges merge(std::span<const BlockChanges* const> blocks);

/// Before and after exchanged.
[[nodiscard]] BlockChanges inverse(BlockChanges changes);

}  // namespace heddle::ledger
