// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/indexer.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <vm/system_contracts.hpp>

#include "stream/block_run.hpp"

namespace heddle::executor {
namespace {

/// Of an access list, which costs its sender more than it costs to execute and less than to index.
constexpr std::size_t kMaxListedSlots = 16;
constexpr std::size_t kSample = 3;  // objects of a set

std::uint32_t number_of(const AccountCell& account, ObjectKind kind) noexcept {
    switch (kind) {
        case ObjectKind::balance:
            return account.number * kKindsPerAccount;
        case ObjectKind::nonce:
            return account.number * kKindsPerAccount + 1;
        case ObjectKind::code:
            return account.number * kKindsPerAccount + 2;
        case ObjectKind::storage:
        case ObjectKind::storage_all:
            break;
    }
    return account.number * kKindsPerAccount + 3;
}

/// Whether the committed value is there already. Only for a hint, so any answer will do.
template <typename Cell>
bool is_loaded(const Cell& cell) noexcept {
    return cell.is_loaded.load(std::memory_order_relaxed);
}

}  // namespace

void Indexer::add(Task& task, AccountCell& account, ObjectKind kind, AccessMode mode) {
    task.requests.push_back({number_of(account, kind), kind, mode, &account, nullptr});
}

SlotCell& Indexer::add_slot(Task& task, AccountCell& account, const Uint256& slot,
                            AccessMode mode) {
    SlotCell& cell = state_.slot(account, slot);
    task.requests.push_back({cell.number, ObjectKind::storage, mode, &account, &cell});
    return cell;
}

void Indexer::index(Task& task) {
    memory_.clear(task.requests);
    fill(task);
    // add_restless() comes later, perhaps on another thread, and must find room.
    task.requests.reserve(task.requests.size() + kMostRestless);
    memory_.note(task.requests);
}

void Indexer::fill(Task& task) {
    task.has_whole_set = false;
    task.sender = nullptr;
    task.recipient = nullptr;
    if (task.block->header_error.has_value()) return;  // nothing of the block runs
    switch (task.kind) {
        case TaskKind::begin_block:
            return index_begin(task);
        case TaskKind::end_block:
            return index_end(task);
        case TaskKind::transaction:
            break;
    }
    // What runs in stream order waits for all before it anyway.
    if (!task.block->runs_in_order) index_transaction(task);
    task.declared.reset();
}

void Indexer::index_transaction(Task& task) {
    const bool has_set = task.declared.has_value() && options_.knowledge <= Knowledge::declared;
    if (!has_set || !uses_all_sets_) {
        index_common(task);
        if (expects_accounts_) expect_accounts(task);
    }
    if (has_set && needs_set(task) && is_believed(*task.declared)) return index_declared(task);
    if (!has_set && options_.knowledge != Knowledge::unknown) index_access_list(task);
}

bool Indexer::needs_set(const Task& task) const {
    if (uses_all_sets_ || speculation_.needs_set(task)) return true;
    // What has to be fetched is asked for before it is needed. A few of the objects tell.
    const std::span<const Access> accesses = task.declared->accesses();
    std::array<ObjectId, kSample> sample;
    std::size_t count = 0;
    const std::size_t step = accesses.size() / kSample + 1;
    for (std::size_t i = step / 2; i < accesses.size(); i += step)
        sample[count++] = accesses[i].object;
    return !state_.base().are_at_hand(std::span(sample).first(count));
}

void Indexer::add_restless(Task& task) {
    for (AccountCell* const account : {task.recipient, task.sender})
        if (account != nullptr && is_restless(*account))
            add(task, *account, ObjectKind::storage_all, AccessMode::write);
}

bool Indexer::is_believed(const ObjectSet& set) noexcept {
    return options_.orders_by_all_sets || set_credit_.draw(set.accesses().size());
}

void Indexer::index_declared(Task& task) {
    task.requests.clear();
    task.sender = nullptr;
    task.recipient = nullptr;
    task.has_whole_set = true;
    AccountCell* account = nullptr;
    bool is_cold = false;
    for (const Access& access : task.declared->accesses()) {
        const ObjectId& object = access.object;
        if (account == nullptr || account->address != object.address) {
            account = &state_.account(object.address);
            is_cold = is_cold || !is_loaded(*account);
            if (task.tx->sender == object.address) task.sender = account;
            if (task.tx->to == object.address) task.recipient = account;
        }
        if (object.kind == ObjectKind::storage)
            is_cold = !is_loaded(add_slot(task, *account, object.slot, access.mode)) || is_cold;
        else
            add(task, *account, object.kind, access.mode);
    }
    add_left_out(task);
    // So that no worker waits for a disk. Asked again for what is still on its way: rare and cheap.
    if (is_cold) state_.base().prefetch(*task.declared);
}

/// An exact set names sender and recipient. What is known of these accounts must not depend on
/// whether a set that lies does.
void Indexer::add_left_out(Task& task) {
    const auto complete = [&](AccountCell*& place, const std::optional<Address>& address) {
        if (place != nullptr || !address.has_value()) return;
        place = &state_.account(*address);
        add(task, *place, ObjectKind::code, AccessMode::read);
    };
    complete(task.sender, task.tx->sender);
    complete(task.recipient, task.tx->to);
}

void Indexer::index_common(Task& task) {
    const Transaction& tx = *task.tx;
    if (tx.sender.has_value()) {
        AccountCell& sender = state_.account(*tx.sender);
        task.sender = &sender;
        add(task, sender, ObjectKind::nonce, AccessMode::add);
        add(task, sender, ObjectKind::balance, AccessMode::debit);
        add(task, sender, ObjectKind::code, AccessMode::read);
    }
    if (tx.to.has_value()) {
        AccountCell& recipient = state_.account(*tx.to);
        task.recipient = &recipient;
        add(task, recipient, ObjectKind::code, AccessMode::read);
        if (!tx.value.is_zero()) add(task, recipient, ObjectKind::balance, AccessMode::add);
    } else if (tx.sender.has_value()) {
        AccountCell& created = state_.account(create_address(*tx.sender, tx.nonce));
        add(task, created, ObjectKind::code, AccessMode::write);
        add(task, created, ObjectKind::nonce, AccessMode::write);
        add(task, created, ObjectKind::balance, AccessMode::write);
        add(task, created, ObjectKind::storage_all, AccessMode::write);
    }
}

void Indexer::expect_accounts(const Task& task) {
    std::array<ObjectId, 2> wanted;
    std::size_t count = 0;
    for (const AccountCell* const account : {task.sender, task.recipient})
        if (account != nullptr && !is_loaded(*account))
            wanted[count++] = {account->address, ObjectKind::balance, {}};
    if (count != 0) expects_accounts_ = state_.base().expect(std::span(wanted).first(count));
}

/// EIP-2930 lists do not tell reads from writes.
void Indexer::index_access_list(Task& task) {
    std::size_t left = kMaxListedSlots;
    for (const AccessListEntry& entry : task.tx->access_list) {
        if (left == 0) return;
        AccountCell& account = state_.account(entry.address);
        add(task, account, ObjectKind::code, AccessMode::read);
        if (!entry.storage_keys.empty())
            add(task, account, ObjectKind::storage_all, AccessMode::read);
        const std::size_t count = std::min(left, entry.storage_keys.size());
        for (const Hash& key : std::span{entry.storage_keys}.first(count))
            add_slot(task, account, to_word(key), AccessMode::write);
        left -= std::max<std::size_t>(count, 1);
    }
}

void Indexer::index_begin(Task& task) {
    expects_accounts_ = true;
    for (const vm::SystemContract& contract :
         vm::system_contracts(vm::SystemCallPlace::begin_block, task.block->env.revision))
        add(task, state_.account(contract.address), ObjectKind::storage_all, AccessMode::write);
}

void Indexer::index_end(Task& task) {
    const BlockRun& block = *task.block;
    for (const vm::SystemContract& contract :
         vm::system_contracts(vm::SystemCallPlace::end_block, block.env.revision))
        add(task, state_.account(contract.address), ObjectKind::storage_all, AccessMode::write);
    if (block.block.withdrawals.has_value())
        for (const Withdrawal& withdrawal : *block.block.withdrawals)
            add(task, state_.account(withdrawal.address), ObjectKind::balance, AccessMode::add);
    for (const BlockHeader& ommer : block.block.ommers)
        add(task, state_.account(ommer.beneficiary), ObjectKind::balance, AccessMode::add);
    // The block's fees, which are not noted one by one, and its reward.
    add(task, *block.beneficiary, ObjectKind::balance, AccessMode::add);
}

}  // namespace heddle::executor
