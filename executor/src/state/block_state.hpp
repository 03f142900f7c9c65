// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The world while a block runs: committed state with the block's changes on top. What has been read
// or written stays at hand for the blocks after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <types/hash_index.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>

#include <vm/mutable_state.hpp>

#include "state/read_ahead.hpp"

namespace heddle::executor {

/// Thread safety: none, not even for concurrent reads: reading fills the cache.
/// Invariants: 1. a clean entry equals the committed state; 2. each changed account is listed once
/// in changed_accounts_, each changed slot once in its account's list.
class BlockState final : public vm::MutableState {
public:
    /// Forgets everything and stands on `committed`, which must outlive the use.
    void attach(const StateView& committed);

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;

    void apply(const StateDiff& diff) override;

    /// Transaction `running` is about to be executed. What one of the next will find of its sender
    /// and its recipient is on its way from memory meanwhile. Changes nothing that is seen.
    /// @param ahead  Of the block; what others have read is at hand from here on. Null: nobody has.
    /// @return what is known of a transaction that comes soon, once for each. Null: nothing is.
    const TransactionAhead* expect_next(std::span<const Transaction> block, std::size_t running,
                                        ReadAhead* ahead = nullptr) noexcept;
    /// Transactions. Where so many have found all that they need at hand, so will the next ones.
    /// What misses() says is new after expect_next() of each that is a multiple of it.
    static constexpr std::size_t kLookedAtOnce = 16;
    /// Whether accounts or slots that were not at hand had to be found of late, as far as
    /// expect_next() is called.
    [[nodiscard]] bool misses() const noexcept { return misses_; }

    /// What is read of slots from here on is noted. Null: no more.
    /// @param notes  Gets CallNotes::kMostNotes at most.
    void note_reads(std::vector<SlotValue>* notes) noexcept { notes_ = notes; }

    /// All changes since attach() or the last accept(), merged.
    [[nodiscard]] StateDiff diff() const;

    /// The committed state now shows the changes: they are no changes any more.
    void accept();

    /// The committed state shows a block that others have executed: what is at hand of it is
    /// brought up to date. Nothing is read or added. Not while there are changes.
    void follow(const StateDiff& diff);

    /// Memory for accounts and slots, used or not.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return account_index_.memory_bytes() + slot_index_.memory_bytes() +
               accounts_.capacity() * sizeof(AccountEntry) + slots_.capacity() * sizeof(SlotEntry);
    }

private:
    static constexpr std::uint32_t kNone = HashIndex<>::kAbsent;

    struct AccountEntry {
        Address address;
        std::uint32_t generation = 0;        // counts clearings of the storage
        std::uint32_t changed_slot = kNone;  // newest of the account's changed slots
        bool exists = false;
        bool is_changed = false;
        bool is_storage_cleared = false;  // committed slots do not show through
        Account account;
    };
    struct SlotEntry {
        std::uint32_t account = 0;           // index
        std::uint32_t generation = 0;        // valid while it is the account's
        std::uint32_t next_changed = kNone;  // of the same account
        bool is_changed = false;
        Uint256 slot;
        Uint256 value;
    };

    /// Index of the account's entry, made and read from the committed state where it is missing.
    std::uint32_t load_account(const Address& address) const;
    /// Index of the account's entry, made without reading where it is missing.
    std::uint32_t place_account(const Address& address, bool& is_new) const;
    /// Index of the slot's entry, made without reading where it is missing.
    std::uint32_t place_slot(std::uint32_t account, const Uint256& slot, bool& is_new) const;

    /// kNone: it has no entry.
    [[nodiscard]] std::uint32_t known_account(const Address& address) const;
    [[nodiscard]] std::uint32_t find_account(const Address& address, std::uint64_t hash) const;
    [[nodiscard]] std::uint32_t find_slot(std::uint32_t account, const Uint256& slot,
                                          std::uint64_t hash) const;

    /// Puts at hand what has been read for the transaction.
    void take(const Transaction& tx, const TransactionAhead& read);
    void take(const Address& address, const std::optional<Account>& read);
    void take(const SlotValue& read);
    /// What others have read will be looked for here: has its lines come from memory.
    void expect_slots(std::span<const SlotValue> slots) const noexcept;
    /// Has the committed state expect sender and recipient, where they are not at hand here.
    /// @return whether it is worth while to go on.
    [[nodiscard]] bool expect_accounts(const Transaction& tx) const noexcept;

    void change_account(const AccountChange& change);
    void clear_storage(AccountEntry& entry) noexcept;
    void forget() noexcept;

    const StateView* committed_ = nullptr;

    // A cache of what was read as much as a record of what was changed.
    mutable HashIndex<> account_index_;
    mutable HashIndex<> slot_index_;
    mutable std::vector<AccountEntry> accounts_;
    mutable std::vector<SlotEntry> slots_;
    mutable std::uint32_t last_account_ = kNone;  // slots are mostly read in runs of one account

    std::vector<SlotValue>* notes_ = nullptr;  // null: nobody wants to know
    bool misses_ = false;                      // entries are being added
    bool expects_accounts_ = false;  // for these expect_next() asks the committed state: it pays
    std::size_t known_entries_ = kNone;  // of both tables, when it was looked at

    std::vector<std::uint32_t> changed_accounts_;
    std::unordered_map<Hash, Bytes, HashHasher> codes_;
    std::vector<Hash> changed_codes_;
    std::size_t code_bytes_ = 0;
};

}  // namespace heddle::executor
