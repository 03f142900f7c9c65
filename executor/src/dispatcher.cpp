// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "dispatcher.hpp"

#include <algorithm>

#include <vm/block.hpp>
#include <vm/validate.hpp>

#include "block_run.hpp"

namespace heddle::executor {
namespace {

/// So many of the last tasks must have continued one chain for it to be run in stream order.
constexpr std::uint32_t kChainMemory = 32;
/// What a task beside the chain counts for: an eighth of them ends the chain.
constexpr std::uint32_t kChainBreak = 8;

constexpr std::uint32_t kKindsPerAccount = 4;
constexpr std::size_t kLookBack = 8;

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

}  // namespace

void Dispatcher::add(AccountCell& account, ObjectKind kind, AccessMode mode) {
    requests_.push_back({number_of(account, kind), false, mode, &account, kind});
}

void Dispatcher::add_slot(AccountCell& account, const Uint256& slot, AccessMode mode) {
    requests_.push_back(
        {state_.slot(account, slot).number, true, mode, &account, ObjectKind::storage});
}

void Dispatcher::collect_declared(const ObjectSet& declared) {
    AccountCell* account = nullptr;
    for (const Access& access : declared.accesses()) {
        const ObjectId& object = access.object;
        if (account == nullptr || account->address != object.address)
            account = &state_.account(object.address);
        if (object.kind == ObjectKind::storage)
            add_slot(*account, object.slot, access.mode);
        else
            add(*account, object.kind, access.mode);
    }
}

/// What every transaction touches. Fees are not among it: they wait for nobody.
void Dispatcher::collect_common(const Transaction& tx) {
    AccountCell* sender = nullptr;
    if (tx.sender.has_value()) {
        sender = &state_.account(*tx.sender);
        add(*sender, ObjectKind::nonce, AccessMode::add);
        add(*sender, ObjectKind::balance, AccessMode::debit);
        add(*sender, ObjectKind::code, AccessMode::read);
    }
    if (tx.to.has_value()) {
        AccountCell& recipient = state_.account(*tx.to);
        add(recipient, ObjectKind::code, AccessMode::read);
        if (!tx.value.is_zero()) add(recipient, ObjectKind::balance, AccessMode::add);
    } else if (tx.sender.has_value()) {
        AccountCell& created = state_.account(create_address(*tx.sender, tx.nonce));
        add(created, ObjectKind::code, AccessMode::write);
        add(created, ObjectKind::nonce, AccessMode::write);
        add(created, ObjectKind::balance, AccessMode::write);
        add(created, ObjectKind::storage_all, AccessMode::write);
    }
}

/// EIP-2930 lists do not tell reads from writes.
void Dispatcher::collect_access_list(const Transaction& tx) {
    for (const AccessListEntry& entry : tx.access_list) {
        AccountCell& account = state_.account(entry.address);
        add(account, ObjectKind::code, AccessMode::read);
        if (!entry.storage_keys.empty()) add(account, ObjectKind::storage_all, AccessMode::read);
        for (const Hash& key : entry.storage_keys)
            add_slot(account, to_word(key), AccessMode::write);
    }
}

bool Dispatcher::is_covered(const Task& task, AccountCell& sender) {
    const auto cost = vm::upfront_cost(*task.tx);
    if (!cost.has_value()) return false;
    if (sender.number >= covers_.size()) covers_.resize(std::size_t{2} * sender.number + 1024);
    Cover& cover = covers_[sender.number];
    if (cover.last_position < watermark_) {
        // Nothing that was taken is still in flight: what is committed is all there.
        const AccountReading committed = state_.read(sender, 0);
        cover.left = committed.account.has_value() ? committed.account->balance : Uint256{};
    }
    cover.last_position = task.position;
    if (cover.left < *cost) {
        cover.left = {};
        return false;
    }
    cover.left -= *cost;
    return true;
}

void Dispatcher::order(Task& task, const Request& request) {
    ObjectRecord& record =
        request.is_slot ? slot_records_[request.number] : account_records_[request.number];
    AccessMode mode = request.mode;
    const bool is_balance = request.kind == ObjectKind::balance;
    bool reads_moved = false;
    if (is_balance && mode == AccessMode::debit && task.tx != nullptr &&
        request.account->address == task.tx->sender) {
        // A balance written in flight is not known, nor is one that may not suffice.
        const bool is_written = record.last_writer >= watermark_;
        if (!is_covered(task, *request.account) || is_written) {
            reads_moved = true;
            is_chained_ |= std::max(record.last_writer, record.last_mover) == chain_end_;
        }
    } else if (mode == AccessMode::read || mode == AccessMode::write) {
        is_chained_ |= std::max(record.last_writer, record.last_mover) == chain_end_;
        // Fees go to this balance with every transaction, without being noted one by one.
        if (is_balance && request.account == task.block->beneficiary && task.tx != nullptr)
            record.last_mover = task.position - 1;
    }
    Predecessors found;
    if (reads_moved) {
        found = executor::order(record, AccessMode::read, task.position, watermark_);
        record.last_mover = task.position;
    } else {
        found = executor::order(record, mode, task.position, watermark_);
    }
    if (found.commit != 0)
        wait_for(task, found.commit, DagNode::Event::commit);
    else if (found.complete != 0)
        wait_for(task, found.complete, DagNode::Event::complete);
}

void Dispatcher::wait_for(const Task& task, std::uint64_t position, DagNode::Event event) {
    if (position == task.position) return;  // the set named an object twice
    // Most sets meet the same few predecessors again and again.
    for (std::size_t i = waits_.size(); i > 0 && i + kLookBack > waits_.size(); --i)
        if (waits_[i - 1].position == position && waits_[i - 1].event == event) return;
    waits_.push_back({position, event});
}

void Dispatcher::order(Task& task, const std::optional<ObjectSet>& declared) {
    watermark_ = window_.committed();
    requests_.clear();
    waits_.clear();
    is_chained_ = false;
    if (declared.has_value() && options_.knowledge == Knowledge::declared) {
        collect_declared(*declared);
    } else {
        collect_common(*task.tx);
        if (options_.knowledge != Knowledge::unknown) collect_access_list(*task.tx);
    }
    for (const Request& request : requests_)
        order(task, request);
    task.object_count = static_cast<std::uint32_t>(requests_.size());
    if (options_.run_chains_inline && follows_chain(task)) task.runs_in_order = true;
}

bool Dispatcher::follows_chain(const Task& task) noexcept {
    if (is_chained_) {
        chain_end_ = task.position;
        chain_length_ = std::min(chain_length_ + 1, kChainMemory);
        return chain_length_ == kChainMemory;
    }
    chain_length_ -= std::min(chain_length_, kChainBreak);
    if (chain_length_ == 0) chain_end_ = task.position;
    return false;
}

void Dispatcher::order_boundary(Task& task) {
    watermark_ = window_.committed();
    requests_.clear();
    waits_.clear();
    const BlockRun& block = *task.block;
    const Revision revision = block.env.revision;
    if (task.kind == TaskKind::begin_block) {
        for (const Address& contract : vm::begin_block_contracts(revision))
            add(state_.account(contract), ObjectKind::storage_all, AccessMode::write);
    } else {
        for (const Address& contract : vm::end_block_contracts(revision))
            add(state_.account(contract), ObjectKind::storage_all, AccessMode::write);
        if (block.block.withdrawals.has_value())
            for (const Withdrawal& withdrawal : *block.block.withdrawals)
                add(state_.account(withdrawal.address), ObjectKind::balance, AccessMode::add);
        // The block's fees, which were not noted one by one, and its reward.
        if (block.beneficiary != nullptr)
            add(*block.beneficiary, ObjectKind::balance, AccessMode::add);
    }
    for (const Request& request : requests_)
        order(task, request);
}

bool Dispatcher::release(Task& task) {
    if (waits_.empty()) return true;
    // Room for all at once: an edge must not move once it is in a stack.
    task.edges.clear();
    task.edges.reserve(waits_.size());
    std::uint32_t count = 0;
    for (const Wait& wait : waits_) {
        DagNode::Edge& edge = task.edges.emplace_back(&task);
        if (window_.at(wait.position).add_successor(wait.event, edge))
            ++count;
        else
            task.edges.pop_back();
    }
    edge_count_ += count;
    return task.release_hold(count);
}

}  // namespace heddle::executor
