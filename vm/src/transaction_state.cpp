// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "transaction_state.hpp"

#include <utility>

#include <types/assert.hpp>

#include <vm/precompile.hpp>

namespace heddle::vm {
namespace {

// EIP-161 was activated after a transaction had touched the empty RIPEMD-160 contract and run out
// of gas; the clients of the day cleared it all the same. The rule stands: its touch outlives a
// revert.
constexpr Address kRipemd160 = address_from_low64(3);

}  // namespace

void TransactionState::reset(const StateView& view, Revision revision) noexcept {
    view_ = &view;
    revision_ = revision;
    accounts_.clear();
    slots_.clear();
    transients_.clear();
    journal_.clear();
    logs_.clear();
    refund_ = 0;
    codes_.clear();
}

AccountEntry& TransactionState::insert_account(const Address& address, std::size_t hash) noexcept {
    AccountEntry& entry = accounts_.insert(hash);
    entry = {};
    entry.address = address;
    entry.index = static_cast<std::uint32_t>(accounts_.size() - 1);
    // Precompiled contracts are warm from the start (EIP-2929).
    entry.is_warm = precompile_index(address, revision_) != 0;
    return entry;
}

SlotEntry& TransactionState::insert_slot(AccountEntry& account, const Uint256& slot,
                                         std::size_t hash) noexcept {
    SlotEntry& entry = slots_.insert(hash);
    entry.slot = slot;
    entry.account = account.index;
    entry.index = static_cast<std::uint32_t>(slots_.size() - 1);
    entry.next = account.first_slot;
    entry.is_warm = false;
    entry.is_loaded = false;
    account.first_slot = entry.index;
    return entry;
}

void TransactionState::load(AccountEntry& entry) noexcept {
    if (const std::optional<Account> account = view_->account(entry.address)) {
        entry.account = *account;
        entry.original = *account;
        entry.exists = true;
        entry.existed = true;
    }
    entry.is_loaded = true;
}

void TransactionState::load(AccountEntry& account, SlotEntry& entry) noexcept {
    // A contract created by this transaction starts with empty storage (EIP-7610 forbids creation
    // over anything else).
    entry.original = account.is_created ? Uint256{} : view_->storage(account.address, entry.slot);
    entry.current = entry.original;
    entry.is_loaded = true;
}

bool TransactionState::warm_account(AccountEntry& entry) noexcept {
    if (entry.is_warm) return false;
    entry.is_warm = true;
    journal_.push_back({Change::warm_account, false, entry.index, {}});
    return true;
}

bool TransactionState::warm_slot(SlotEntry& entry) noexcept {
    if (entry.is_warm) return false;
    entry.is_warm = true;
    journal_.push_back({Change::warm_slot, false, entry.index, {}});
    return true;
}

void TransactionState::touch(AccountEntry& entry) noexcept {
    if (entry.is_touched && entry.exists) return;
    // `value` carries whether it was touched already, `flag` whether it existed.
    journal_.push_back({Change::touch, entry.exists, entry.index,
                        Uint256{static_cast<std::uint64_t>(entry.is_touched)}});
    entry.is_touched = true;
    entry.exists = true;
}

void TransactionState::set_balance(AccountEntry& entry, const Uint256& balance) noexcept {
    journal_.push_back({Change::balance, false, entry.index, entry.account.balance});
    entry.account.balance = balance;
}

void TransactionState::add_balance(AccountEntry& entry, const Uint256& amount) noexcept {
    touch(entry);
    if (!amount.is_zero()) set_balance(entry, entry.account.balance + amount);
}

void TransactionState::sub_balance(AccountEntry& entry, const Uint256& amount) noexcept {
    HEDDLE_ASSERT(entry.account.balance >= amount);
    touch(entry);
    if (!amount.is_zero()) set_balance(entry, entry.account.balance - amount);
}

void TransactionState::set_nonce(AccountEntry& entry, std::uint64_t nonce) noexcept {
    touch(entry);
    journal_.push_back({Change::nonce, false, entry.index, Uint256{entry.account.nonce}});
    entry.account.nonce = nonce;
}

void TransactionState::set_code(AccountEntry& entry, BytesView code) noexcept {
    touch(entry);
    journal_.push_back({Change::code, false, entry.index, to_word(entry.account.code_hash)});
    entry.code = nullptr;
    if (code.empty()) {
        entry.account.code_hash = kEmptyCodeHash;
        return;
    }
    entry.account.code_hash = keccak256(code);
    codes_.push_back({entry.account.code_hash, Bytes(code.begin(), code.end())});
}

void TransactionState::create_contract(AccountEntry& entry) noexcept {
    touch(entry);
    journal_.push_back({Change::creation, entry.is_created, entry.index, {}});
    entry.is_created = true;
    if (revision_ >= Revision::spurious_dragon) set_nonce(entry, 1);  // EIP-161
}

bool TransactionState::is_collision(const AccountEntry& entry) const noexcept {
    return entry.account.nonce != 0 || entry.account.has_code() ||
           view_->has_storage(entry.address);
}

bool TransactionState::destruct(AccountEntry& entry) noexcept {
    if (entry.is_destructed) return false;
    journal_.push_back({Change::destruction, false, entry.index, {}});
    entry.is_destructed = true;
    return true;
}

BytesView TransactionState::code(const AccountEntry& entry) const noexcept {
    if (!entry.account.has_code()) return {};
    for (const CodeChange& fresh : codes_)
        if (fresh.hash == entry.account.code_hash) return fresh.code;
    return view_->code(entry.account.code_hash);
}

void TransactionState::set_slot(SlotEntry& entry, const Uint256& value) noexcept {
    journal_.push_back({Change::slot, false, entry.index, entry.current});
    entry.current = value;
}

TransactionState::TransientEntry* TransactionState::find_transient(const AccountEntry& account,
                                                                   const Uint256& slot) noexcept {
    return transients_.find(slot_hash(account.index, slot), [&](const TransientEntry& entry) {
        return entry.slot == slot && entry.account == account.index;
    });
}

Uint256 TransactionState::transient(const AccountEntry& account, const Uint256& slot) noexcept {
    const TransientEntry* entry = find_transient(account, slot);
    return entry != nullptr ? entry->value : Uint256{};
}

void TransactionState::set_transient(const AccountEntry& account, const Uint256& slot,
                                     const Uint256& value) noexcept {
    TransientEntry* entry = find_transient(account, slot);
    if (entry == nullptr) {
        entry = &transients_.insert(slot_hash(account.index, slot));
        *entry = {slot, {}, account.index, static_cast<std::uint32_t>(transients_.size() - 1)};
    }
    journal_.push_back({Change::transient, false, entry->index, entry->value});
    entry->value = value;
}

void TransactionState::undo(const JournalEntry& entry) noexcept {
    switch (entry.change) {
        case Change::balance:
            accounts_[entry.index].account.balance = entry.value;
            return;
        case Change::nonce:
            accounts_[entry.index].account.nonce = entry.value.low64();
            return;
        case Change::code:
            accounts_[entry.index].account.code_hash = to_hash(entry.value);
            accounts_[entry.index].code = nullptr;
            return;
        case Change::slot:
            slots_[entry.index].current = entry.value;
            return;
        case Change::transient:
            transients_[entry.index].value = entry.value;
            return;
        case Change::warm_account:
            accounts_[entry.index].is_warm = false;
            return;
        case Change::warm_slot:
            slots_[entry.index].is_warm = false;
            return;
        case Change::touch: {
            AccountEntry& account = accounts_[entry.index];
            if (account.address == kRipemd160 && revision_ >= Revision::spurious_dragon) return;
            account.exists = entry.flag;
            account.is_touched = !entry.value.is_zero();
            return;
        }
        case Change::creation:
            accounts_[entry.index].is_created = entry.flag;
            return;
        case Change::destruction:
            accounts_[entry.index].is_destructed = false;
            return;
    }
}

void TransactionState::revert_to(const Checkpoint& checkpoint) noexcept {
    while (journal_.size() > checkpoint.journal_size) {
        undo(journal_.back());
        journal_.pop_back();
    }
    logs_.resize(checkpoint.log_count);
    refund_ = checkpoint.refund;
}

void TransactionState::finish_account(AccountEntry& entry, StateDiff& diff) noexcept {
    const bool is_cleared =
        revision_ >= Revision::spurious_dragon && entry.is_touched && entry.is_empty();
    if (entry.is_destructed || is_cleared || !entry.exists) {
        if (entry.existed) diff.accounts.push_back({entry.address, std::nullopt, true, {}});
        return;
    }
    std::size_t changed_slots = 0;
    for (std::uint32_t i = entry.first_slot; i != kNoEntry; i = slots_[i].next) {
        const SlotEntry& slot = slots_[i];
        changed_slots += slot.is_loaded && slot.current != slot.original ? 1u : 0u;
    }
    if (entry.existed && entry.account == entry.original && changed_slots == 0) return;
    AccountChange& change = diff.accounts.emplace_back();
    change.address = entry.address;
    change.account = entry.account;
    change.storage.reserve(changed_slots);
    for (std::uint32_t i = entry.first_slot; i != kNoEntry; i = slots_[i].next) {
        const SlotEntry& slot = slots_[i];
        if (slot.is_loaded && slot.current != slot.original)
            change.storage.push_back({slot.slot, slot.current});
    }
}

void TransactionState::finish(StateDiff& diff) noexcept {
    for (std::size_t i = 0; i < accounts_.size(); ++i)
        if (AccountEntry& entry = accounts_[i]; entry.is_loaded) finish_account(entry, diff);
    for (CodeChange& code : codes_)
        diff.codes.push_back(std::move(code));
    codes_.clear();
}

}  // namespace heddle::vm
