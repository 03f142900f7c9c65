// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "dag/dispatcher.hpp"

#include <algorithm>

#include "stream/block_run.hpp"

namespace heddle::executor {
namespace {

/// So many of the last tasks must have continued one chain for it to be run in stream order.
constexpr std::uint32_t kChainMemory = 32;
/// What a task beside the chain counts for: a few of them end it.
constexpr std::uint32_t kChainBreak = 8;
constexpr Uint256 kUnlimited = ~Uint256{};

}  // namespace

bool Dispatcher::is_covered(const Task& task, AccountCell& sender) {
    if (!task.upfront_cost.has_value()) return false;
    Cover& cover = covers_[sender.number];
    if (cover.last_position < watermark_) {
        // Nothing that was taken is still in flight: what is committed is all there. Where it would
        // have to be fetched first, it is taken to be enough, as it nearly always is; the committer
        // compares.
        cover.left = state_.known_balance(sender).value_or(kUnlimited);
    }
    cover.last_position = task.position;
    if (cover.left < *task.upfront_cost) {
        cover.left = {};
        return false;
    }
    cover.left -= *task.upfront_cost;
    return true;
}

void Dispatcher::forget_objects(std::size_t kept_accounts, std::size_t kept_slots) {
    account_records_.shrink(kept_accounts * kKindsPerAccount);
    slot_records_.shrink(kept_slots);
    covers_.shrink(kept_accounts);
}

void Dispatcher::order(const Task& task, const ObjectRequest& request) {
    ObjectRecord& record =
        request.slot != nullptr ? slot_records_[request.number] : account_records_[request.number];
    const bool is_balance = request.kind == ObjectKind::balance;
    const bool is_transaction = task.kind == TaskKind::transaction;
    const std::uint64_t last = std::max(record.last_writer, record.last_mover);
    Predecessors found;
    if (is_balance && request.mode == AccessMode::debit && is_transaction &&
        request.account == task.sender) {
        // A balance written in flight is not known, nor is one that may not suffice.
        const bool is_written = record.last_writer >= watermark_;
        if (!is_covered(task, *request.account) || is_written) {
            is_chained_ |= last == chain_end_;
            found = executor::order(record, AccessMode::read, task.position, watermark_);
        }
        record.last_mover = task.position;
    } else {
        if (request.mode == AccessMode::read || request.mode == AccessMode::write) {
            is_chained_ |= last == chain_end_;
            // Fees go to this balance with every transaction, without being noted one by one.
            if (is_balance && is_transaction && request.account == task.block->beneficiary)
                record.last_mover = task.position - 1;
        }
        found = executor::order(record, request.mode, task.position, watermark_);
    }
    // A set may name an object twice.
    if (found.complete == task.position) found.complete = 0;
    if (found.commit == task.position) found.commit = 0;
    filter_.add(found);
}

bool Dispatcher::order(Task& task, std::uint64_t watermark) {
    watermark_ = watermark;
    waits_.clear();
    is_chained_ = false;
    filter_.begin(task.position);
    for (const ObjectRequest& request : task.requests)
        order(task, request);
    filter_.finish([this](DagNode::Event event, std::uint64_t position) {
        waits_.push_back({position, event});
    });
    return task.kind == TaskKind::transaction && options_.run_chains_inline && follows_chain(task);
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

bool Dispatcher::release(DagLinks& links) {
    if (waits_.empty()) return true;
    // Room for all at once: an edge must not move once it is in a stack.
    memory_.clear(links.edges);
    links.edges.reserve(waits_.size());
    memory_.note(links.edges);
    std::uint32_t count = 0;
    for (const Wait& wait : waits_) {
        DagNode::Edge& edge = links.edges.emplace_back(&links);
        if (links_.at(wait.position).add_successor(wait.event, edge))
            ++count;
        else
            links.edges.pop_back();
    }
    edge_count_.add(count);
    return links.release_hold(count);
}

}  // namespace heddle::executor
