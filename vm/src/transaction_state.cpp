// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "transaction_state.hpp"

#include <utility>

#include <types/assert.hpp>

#include <vm/moved_balance.hpp>
#include <vm/precompile.hpp>

namespace heddle::vm {
namespace {

// EIP-161 was activated after a transaction had touched the empty RIPEMD-160 contract and run out
// of gas; the clients of the day cleared it all the same. The rule stands: its touch outlives a
// revert.
constexpr Address kRipemd160 = address_from_low64(3);

/// Memory for so many changes is kept from transaction to transaction: a megabyte.
constexpr std::size_t kMostKeptChanges = 16'384;
constexpr std::size_t kMostKeptLogs = 256;

/// Where the logs of transfers come from: 0xfffffffffffffffffffffffffffffffffffffffe (EIP-7708).
constexpr Address kTransferLogAddress = [] {
    Address address;
    address.bytes.fill(0xff);
    address.bytes[19] = 0xfe;
    return address;
}();
/// keccak256("Transfer(address,address,uint256)").
constexpr Hash kTransferTopic = heddle::detail::hash_literal(
    "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");

}  // namespace

void TransactionState::reset(const StateView& view, Revision revision) noexcept {
    view_ = &view;
    revision_ = revision;
    has_warm_precompiles_ = true;
    accounts_.clear();
    slots_.clear();
    transients_.clear();
    if (journal_.capacity() > kMostKeptChanges)
        std::vector<JournalEntry>{}.swap(journal_);
    else
        journal_.clear();
    if (logs_.capacity() > kMostKeptLogs)
        std::vector<Log>{}.swap(logs_);  // they were reverted
    else
        logs_.clear();
    refund_ = 0;
    state_gas_.reset(0);
    loaded_accounts_ = 0;
    loaded_slots_ = 0;
    codes_.clear();
}

AccountEntry& TransactionState::insert_account(const Address& address, std::size_t hash) noexcept {
    AccountEntry& entry = accounts_.insert(hash);
    entry = {};
    entry.address = address;
    entry.index = static_cast<std::uint32_t>(accounts_.size() - 1);
    // Precompiled contracts are warm from the start of a transaction (EIP-2929).
    entry.is_warm = has_warm_precompiles_ && precompile_index(address, revision_) != 0;
    return entry;
}

SlotEntry& TransactionState::insert_slot(AccountEntry& account, const Uint256& slot,
                                         std::size_t hash) noexcept {
    SlotEntry& entry = slots_.insert(hash);
    entry.slot = slot;
    entry.account = account.index;
    entry.index = static_cast<std::uint32_t>(slots_.size() - 1);
    entry.next = account.first_slot;
    entry.load_index = kNoEntry;
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
    entry.load_index = loaded_accounts_++;
    entry.is_loaded = true;
}

void TransactionState::load(AccountEntry& account, SlotEntry& entry) noexcept {
    if (starts_empty(account)) {
        entry.original = {};
    } else {
        entry.original = view_->storage(account.address, entry.slot);
        entry.load_index = loaded_slots_++;
    }
    account.use.uses_storage = true;
    entry.current = entry.original;
    entry.is_loaded = true;
}

Uint256 TransactionState::peek(const AccountEntry& account, const Uint256& slot) noexcept {
    const SlotEntry* entry = find_slot(account, slot, slot_hash(account.index, slot));
    if (entry != nullptr && entry->is_loaded) return entry->current;
    return starts_empty(account) ? Uint256{} : view_->storage(account.address, slot);
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

void TransactionState::change_balance(AccountEntry& entry, const Uint256& balance) noexcept {
    journal_.push_back({Change::balance, false, entry.index, entry.account.balance});
    entry.account.balance = balance;
}

// The check would also have passed on any other starting balance that is smaller by no more than
// what is left now.
void TransactionState::require_cover(AccountEntry& entry, const Uint256& amount) noexcept {
    entry.use.debits = true;
    const Uint256 left = entry.account.balance - amount;
    if (entry.original.balance <= left) return;
    const Uint256 required = entry.original.balance - left;
    if (required > entry.use.required_balance) entry.use.required_balance = required;
}

bool TransactionState::covers(AccountEntry& entry, const Uint256& amount) noexcept {
    if (amount.is_zero()) return true;
    if (entry.account.balance < amount) {
        entry.use.reads_balance = true;
        return false;
    }
    require_cover(entry, amount);
    return true;
}

void TransactionState::add_balance(AccountEntry& entry, const Uint256& amount) noexcept {
    touch(entry);
    if (amount.is_zero()) return;
    entry.use.credits = true;
    const Uint256 sum = entry.account.balance + amount;
    const bool has_room = sum >= amount && sum < kMostMovedBalance;
    if (!has_room && (sum < amount || sum > entry.original.balance)) entry.use.reads_balance = true;
    change_balance(entry, sum);
}

void TransactionState::sub_balance(AccountEntry& entry, const Uint256& amount) noexcept {
    HEDDLE_ASSERT(entry.account.balance >= amount);
    touch(entry);
    if (amount.is_zero()) return;
    require_cover(entry, amount);
    change_balance(entry, entry.account.balance - amount);
}

void TransactionState::clear_balance(AccountEntry& entry) noexcept {
    touch(entry);
    entry.use.reads_balance = true;
    entry.use.debits = true;
    change_balance(entry, {});
}

void TransactionState::pay_fee(const Address& beneficiary, const Uint256& fee) noexcept {
    AccountEntry& entry = account_entry(beneficiary);
    if (!entry.is_loaded) {
        load(entry);
        entry.use.is_fee_only = true;
        entry.use.credits = true;
    }
    add_balance(entry, fee);
    // Nothing depends on what it had, whatever the sum is.
    if (entry.use.is_fee_only) entry.use.reads_balance = false;
}

void TransactionState::change_nonce(AccountEntry& entry, std::uint64_t nonce) noexcept {
    touch(entry);
    journal_.push_back({Change::nonce, false, entry.index, Uint256{entry.account.nonce}});
    entry.account.nonce = nonce;
}

void TransactionState::count_nonce(AccountEntry& sender) noexcept {
    sender.use.counts_nonce = true;
    change_nonce(sender, sender.account.nonce + 1);
}

void TransactionState::set_nonce(AccountEntry& entry, std::uint64_t nonce) noexcept {
    entry.use.sets_nonce = true;
    change_nonce(entry, nonce);
}

void TransactionState::set_code(AccountEntry& entry, BytesView code) noexcept {
    touch(entry);
    journal_.push_back(
        {Change::code, !code.empty(), entry.index, to_word(entry.account.code_hash)});
    entry.code = nullptr;
    if (code.empty()) {
        entry.account.code_hash = kEmptyCodeHash;
        return;
    }
    entry.account.code_hash = keccak256(code);
    codes_.push_back(
        {{entry.account.code_hash, Bytes(code.begin(), code.end())}, entry.fresh_code});
    entry.fresh_code = static_cast<std::uint32_t>(codes_.size() - 1);
}

void TransactionState::create_contract(AccountEntry& entry) noexcept {
    touch(entry);
    journal_.push_back({Change::creation, entry.is_created, entry.index, {}});
    entry.is_created = true;
    entry.use.creates = true;
    if (revision_ >= Revision::spurious_dragon) set_nonce(entry, 1);  // EIP-161
}

bool TransactionState::is_collision(AccountEntry& entry) noexcept {
    if (observe_nonce(entry) != 0 || entry.account.has_code()) return true;
    if (revision_ >= Revision::amsterdam) return false;
    entry.use.uses_storage = true;
    return view_->has_storage(entry.address);
}

bool TransactionState::destruct(AccountEntry& entry) noexcept {
    if (entry.is_destructed) return false;
    journal_.push_back({Change::destruction, false, entry.index, {}});
    entry.is_destructed = true;
    return true;
}

BytesView TransactionState::code(const AccountEntry& entry) const noexcept {
    if (!entry.account.has_code()) return {};
    // It is the last one that the account was given, unless that was taken away: what another
    // account was given counts for this one only if the world had it before.
    if (entry.fresh_code != kNoEntry) return codes_[entry.fresh_code].change.code;
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

/// The last code that any account was given is its: changes are undone in reverse order.
void TransactionState::drop_fresh_code(AccountEntry& account) noexcept {
    HEDDLE_ASSERT(account.fresh_code + 1 == codes_.size());
    account.fresh_code = codes_.back().previous;
    codes_.pop_back();
}

void TransactionState::undo(const JournalEntry& entry) noexcept {
    switch (entry.change) {
        case Change::balance:
            accounts_[entry.index].account.balance = entry.value;
            return;
        case Change::nonce:
            accounts_[entry.index].account.nonce = entry.value.low64();
            return;
        case Change::code: {
            AccountEntry& account = accounts_[entry.index];
            account.account.code_hash = to_hash(entry.value);
            account.code = nullptr;
            if (entry.flag) drop_fresh_code(account);
            return;
        }
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

void TransactionState::add_transfer_log(const Address& from, const Address& to,
                                        const Uint256& amount) noexcept {
    Log log{kTransferLogAddress,
            {kTransferTopic, to_hash(to_word(from)), to_hash(to_word(to))},
            Bytes(32)};
    store_be(amount, log.data.data());
    logs_.push_back(std::move(log));
}

}  // namespace heddle::vm
