// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One transaction's view of the world: everything it has read or changed so far, with undo. The
// integrated host of the interpreters. Not the world itself: nothing leaves it but the final diff.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <types/address.hpp>
#include <types/receipt.hpp>
#include <types/revision.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

#include <vm/access.hpp>

#include "entry_table.hpp"
#include "state_gas.hpp"

namespace heddle::vm {

struct CodeInUse;

inline constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

/// A slot that the transaction has touched.
struct SlotEntry {
    Uint256 slot;
    Uint256 original;  // at the start of the transaction
    Uint256 current;
    std::uint32_t account = 0;
    std::uint32_t index = 0;
    std::uint32_t next = kNoEntry;        // of the same account
    std::uint32_t load_index = kNoEntry;  // among the slots that the view was asked for
    bool is_warm = false;                 // EIP-2929
    bool is_loaded = false;               // original and current are valid
};

/// What was done with an account's fields, as far as its values do not tell. A failed call has done
/// it all the same: nothing here is ever undone.
struct AccountUse {
    bool reads_balance = false;
    bool credits = false;
    bool debits = false;
    bool reads_nonce = false;
    bool counts_nonce = false;  // the sender's
    bool sets_nonce = false;
    bool uses_storage = false;
    bool creates = false;
    bool pays_delegation = false;  // an authorization has paid for a designator (EIP-8037)
    bool is_fee_only = false;      // a beneficiary that was of no other concern
    /// See AccountAccess::required_balance.
    Uint256 required_balance;
};

/// An account that the transaction has touched.
struct AccountEntry {
    Address address;
    std::uint32_t index = 0;
    std::uint32_t first_slot = kNoEntry;
    std::uint32_t load_index = kNoEntry;  // among the accounts that the view was asked for
    std::uint32_t fresh_code = kNoEntry;  // the last code that this transaction has given it
    bool is_loaded = false;               // the fields below are valid
    bool is_warm = false;                 // EIP-2929
    bool exists = false;
    bool is_touched = false;     // EIP-161
    bool is_created = false;     // by this transaction (EIP-6780)
    bool is_destructed = false;  // goes at the end of the transaction
    bool existed = false;        // at the start of the transaction
    /// Whether the code that it had then was asked for without being kept, see code_of().
    bool was_code_read = false;
    Account account;
    Account original;  // at the start of the transaction
    /// Analysed code of `account.code_hash`, once it has been asked for; owned by the Evm.
    CodeInUse* code = nullptr;
    AccountUse use;

    [[nodiscard]] bool is_empty() const noexcept { return account.is_empty(); }
};

/// Where to return to when a call fails.
struct Checkpoint {
    std::size_t journal_size = 0;
    std::size_t log_count = 0;
    std::int64_t refund = 0;
};

/// Thread safety: none; one worker's.
/// Lifetime: entries live until reset().
class TransactionState {
public:
    /// Starts a transaction on `view`, which must outlive it.
    void reset(const StateView& view, Revision revision) noexcept;
    /// Nothing is warm, not even precompiled contracts: a system call has no list of addresses that
    /// its transaction pays for. Before anything is accessed.
    void begin_cold() noexcept { has_warm_precompiles_ = false; }

    // --- Accounts -------------------------------------------------------------------------------

    /// The account's entry, loaded. Does not make it warm.
    [[nodiscard]] AccountEntry& account(const Address& address) noexcept {
        AccountEntry& entry = account_entry(address);
        ensure_loaded(entry);
        return entry;
    }
    /// The account's entry, which may not be loaded: its address and warmth are known, nothing
    /// else. Charging for an access before making it takes two steps.
    [[nodiscard]] AccountEntry& account_entry(const Address& address) noexcept {
        const std::size_t hash = AddressHasher{}(address);
        AccountEntry* found = accounts_.find(
            hash, [&](const AccountEntry& entry) { return entry.address == address; });
        return found != nullptr ? *found : insert_account(address, hash);
    }
    void ensure_loaded(AccountEntry& entry) noexcept {
        if (!entry.is_loaded) [[unlikely]]
            load(entry);
    }
    /// Makes the account warm. @return whether it was cold (EIP-2929).
    bool warm_account(AccountEntry& entry) noexcept;
    /// Adds the address to the warm set without reading the account.
    void prewarm_account(const Address& address) noexcept { account_entry(address).is_warm = true; }

    /// EIP-161 existence: before Spurious Dragon an empty account may exist.
    [[nodiscard]] bool is_dead(const AccountEntry& entry) const noexcept {
        return revision_ >= Revision::spurious_dragon ? !entry.exists || entry.is_empty()
                                                      : !entry.exists;
    }
    /// Brings the account into being if it is absent and marks it for EIP-161's clearing.
    void touch(AccountEntry& entry) noexcept;
    /// The balance to be looked at; in wei.
    [[nodiscard]] const Uint256& observe_balance(AccountEntry& entry) noexcept {
        entry.use.reads_balance = true;
        return entry.account.balance;
    }
    /// Whether the balance covers `amount` of wei. Where it does, the answer depends on a lower
    /// bound only.
    [[nodiscard]] bool covers(AccountEntry& entry, const Uint256& amount) noexcept;
    void add_balance(AccountEntry& entry, const Uint256& amount) noexcept;
    /// The balance must cover `amount`.
    void sub_balance(AccountEntry& entry, const Uint256& amount) noexcept;
    /// Takes whatever is there, after it was observed.
    void clear_balance(AccountEntry& entry) noexcept;
    /// Pays the fee to the beneficiary.
    void pay_fee(const Address& beneficiary, const Uint256& fee) noexcept;
    /// The nonce to be looked at.
    [[nodiscard]] std::uint64_t observe_nonce(AccountEntry& entry) noexcept {
        entry.use.reads_nonce = true;
        return entry.account.nonce;
    }
    /// The sender's, which is known before: nothing depends on it.
    void count_nonce(AccountEntry& sender) noexcept;
    void set_nonce(AccountEntry& entry, std::uint64_t nonce) noexcept;
    void set_code(AccountEntry& entry, BytesView code) noexcept;
    /// Marks a fresh contract account: nonce, existence and EIP-6780's mark.
    void create_contract(AccountEntry& entry) noexcept;
    /// EIP-684, and up to Osaka EIP-7610.
    [[nodiscard]] bool is_collision(AccountEntry& entry) noexcept;
    /// Schedules the account's end. @return whether it was not scheduled before.
    bool destruct(AccountEntry& entry) noexcept;
    /// The account's code, fresh code of this transaction included.
    ///
    /// Complexity: constant, however much was deployed.
    [[nodiscard]] BytesView code(const AccountEntry& entry) const noexcept;

    // --- Storage --------------------------------------------------------------------------------

    /// The slot's entry, which may not be loaded. Does not make it warm.
    [[nodiscard]] SlotEntry& slot_entry(AccountEntry& account, const Uint256& slot) noexcept {
        const std::size_t hash = slot_hash(account.index, slot);
        SlotEntry* found = find_slot(account, slot, hash);
        return found != nullptr ? *found : insert_slot(account, slot, hash);
    }
    /// What the slot holds, for an observer: it leaves no access behind.
    ///
    /// Complexity: constant, however many slots were accessed.
    [[nodiscard]] Uint256 peek(const AccountEntry& account, const Uint256& slot) noexcept;
    void ensure_loaded(AccountEntry& account, SlotEntry& entry) noexcept {
        if (!entry.is_loaded) [[unlikely]]
            load(account, entry);
    }
    bool warm_slot(SlotEntry& entry) noexcept;
    void prewarm_slot(const Address& address, const Uint256& slot) noexcept {
        slot_entry(account_entry(address), slot).is_warm = true;
    }
    void set_slot(SlotEntry& entry, const Uint256& value) noexcept;

    [[nodiscard]] Uint256 transient(const AccountEntry& account, const Uint256& slot) noexcept;
    void set_transient(const AccountEntry& account, const Uint256& slot,
                       const Uint256& value) noexcept;

    // --- Substate -------------------------------------------------------------------------------

    void add_log(Log log) noexcept { logs_.push_back(std::move(log)); }
    [[nodiscard]] std::vector<Log>& logs() noexcept { return logs_; }
    /// EIP-7708: tells of wei that moved from one account to another. Does nothing before
    /// Amsterdam, for no wei, and where both are the same.
    void log_transfer(const Address& from, const Address& to, const Uint256& amount) noexcept {
        if (revision_ >= Revision::amsterdam && !amount.is_zero() && from != to) [[unlikely]]
            add_transfer_log(from, to, amount);
    }
    /// Of the innermost frame (EIP-8037). No part of what revert_to() undoes.
    [[nodiscard]] StateGas& state_gas() noexcept { return state_gas_; }
    void add_refund(std::int64_t gas) noexcept { refund_ += gas; }
    [[nodiscard]] std::int64_t refund() const noexcept { return refund_; }

    [[nodiscard]] Checkpoint checkpoint() const noexcept {
        return {journal_.size(), logs_.size(), refund_};
    }
    void revert_to(const Checkpoint& checkpoint) noexcept;

    /// What was accessed up to now; nothing of what was changed.
    /// @param record  Overwritten.
    void record(AccessRecord& record) noexcept;
    /// Ends the transaction: destructed and empty accounts go, what changed goes into `diff`.
    /// @param record  Overwritten with what was accessed. May be null.
    void finish(StateDiff& diff, AccessRecord* record = nullptr) noexcept;

private:
    enum class Change : std::uint8_t {
        balance,
        nonce,
        code,
        slot,
        transient,
        warm_account,
        warm_slot,
        touch,
        creation,
        destruction,
    };
    struct JournalEntry {
        Change change;
        bool flag = false;        // touch: existed before; code: fresh code was added
        std::uint32_t index = 0;  // of the account, slot or transient slot
        Uint256 value;            // before the change
    };
    struct FreshCode {
        CodeChange change;
        std::uint32_t previous = kNoEntry;  // the account's `fresh_code` before
    };
    struct TransientEntry {
        Uint256 slot;
        Uint256 value;
        std::uint32_t account = 0;
        std::uint32_t index = 0;
    };

    [[nodiscard]] static std::size_t slot_hash(std::uint32_t account,
                                               const Uint256& slot) noexcept {
        return Uint256Hasher{}(slot, account);
    }
    /// Null: it has not been touched.
    [[nodiscard]] SlotEntry* find_slot(const AccountEntry& account, const Uint256& slot,
                                       std::size_t hash) noexcept {
        return slots_.find(hash, [&](const SlotEntry& entry) {
            return entry.slot == slot && entry.account == account.index;
        });
    }
    void add_transfer_log(const Address& from, const Address& to, const Uint256& amount) noexcept;
    AccountEntry& insert_account(const Address& address, std::size_t hash) noexcept;
    SlotEntry& insert_slot(AccountEntry& account, const Uint256& slot, std::size_t hash) noexcept;
    TransientEntry* find_transient(const AccountEntry& account, const Uint256& slot) noexcept;
    void load(AccountEntry& entry) noexcept;
    void load(AccountEntry& account, SlotEntry& entry) noexcept;
    /// A contract created by this transaction starts with empty storage: EIP-7610 forbids creation
    /// over anything else. Without that rule, what was there shows through.
    [[nodiscard]] bool starts_empty(const AccountEntry& account) const noexcept {
        return account.is_created && (revision_ < Revision::amsterdam || !account.existed);
    }
    void undo(const JournalEntry& entry) noexcept;
    void drop_fresh_code(AccountEntry& account) noexcept;
    void change_balance(AccountEntry& entry, const Uint256& balance) noexcept;
    void change_nonce(AccountEntry& entry, std::uint64_t nonce) noexcept;
    void require_cover(AccountEntry& entry, const Uint256& amount) noexcept;
    /// @return whether the account exists afterwards.
    bool finish_account(AccountEntry& entry, StateDiff& diff) noexcept;
    /// The same for one that has destructed itself, from Amsterdam on (EIP-8246).
    bool finish_destructed(AccountEntry& entry, StateDiff& diff) noexcept;
    void finish_code(const AccountEntry& entry, StateDiff& diff) noexcept;
    [[nodiscard]] AccountAccess access_of(const AccountEntry& entry, bool remains) const noexcept;
    void record_slots(AccessRecord& record) noexcept;
    void record_change(const AccountEntry& entry, const AccountChange& change,
                       AccessRecord& record) noexcept;

    const StateView* view_ = nullptr;
    Revision revision_ = kLatestRevision;
    bool has_warm_precompiles_ = true;
    EntryTable<AccountEntry> accounts_;
    EntryTable<SlotEntry> slots_;
    EntryTable<TransientEntry> transients_;
    std::vector<JournalEntry> journal_;
    std::vector<Log> logs_;
    std::int64_t refund_ = 0;
    StateGas state_gas_;
    std::uint32_t loaded_accounts_ = 0;
    std::uint32_t loaded_slots_ = 0;
    std::deque<FreshCode> codes_;  // deployed by this transaction, and not undone; stable addresses
};

}  // namespace heddle::vm
