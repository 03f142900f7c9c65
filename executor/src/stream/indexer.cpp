// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/indexer.hpp"

#include <vm/system_contracts.hpp>

#include "stream/block_run.hpp"

namespace heddle::executor {
namespace {

constexpr std::uint32_t kKindsPerAccount = 4;

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
    task.requests.clear();
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
    if (task.block->is_small) return task.declared.reset();  // waits for all before it anyway
    if (task.declared.has_value() && options_.knowledge == Knowledge::declared)
        return index_declared(task);
    index_common(task);
    if (options_.knowledge != Knowledge::unknown) index_access_list(task);
}

void Indexer::index_declared(Task& task) {
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
    // So that no worker waits for a disk. Asked again for what is still on its way: rare and cheap.
    if (is_cold) state_.base().prefetch(*task.declared);
    task.declared.reset();
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

/// EIP-2930 lists do not tell reads from writes.
void Indexer::index_access_list(Task& task) {
    for (const AccessListEntry& entry : task.tx->access_list) {
        AccountCell& account = state_.account(entry.address);
        add(task, account, ObjectKind::code, AccessMode::read);
        if (!entry.storage_keys.empty())
            add(task, account, ObjectKind::storage_all, AccessMode::read);
        for (const Hash& key : entry.storage_keys)
            add_slot(task, account, to_word(key), AccessMode::write);
    }
}

void Indexer::index_begin(Task& task) {
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
