// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/object_guess.hpp"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::node::lanes {
namespace {

/// What is seen of a transaction without executing it.
ObjectSet declared_objects(const Transaction& tx) {
    std::vector<Access> accesses;
    const auto add = [&](const Address& address, ObjectKind kind, AccessMode mode) {
        accesses.push_back({{address, kind, {}}, mode});
    };
    if (tx.sender.has_value()) {
        add(*tx.sender, ObjectKind::balance, AccessMode::write);
        add(*tx.sender, ObjectKind::nonce, AccessMode::write);
    }
    if (tx.to.has_value()) {
        add(*tx.to, ObjectKind::code, AccessMode::read);
        add(*tx.to, ObjectKind::balance, AccessMode::add);
    }
    for (const AccessListEntry& entry : tx.access_list) {
        add(entry.address, ObjectKind::code, AccessMode::read);
        for (const Hash& key : entry.storage_keys)
            accesses.push_back({{entry.address, ObjectKind::storage, load_be(key.bytes.data())},
                                AccessMode::write});
    }
    return ObjectSet{std::move(accesses)};
}

}  // namespace

ObjectGuess::ObjectGuess(const Chain& chain, const Mempool& mempool, std::uint64_t most_gas)
    : chain_(chain), mempool_(mempool), most_gas_(most_gas) {
    begin();
}

void ObjectGuess::begin() {
    const ledger::StoredHeader head = chain_.head();
    auto state = chain_.shared_state_at(head.header.number);
    if (!state.has_value()) return;
    state_ = *std::move(state);
    BlockHeader header = chain_.next_header(head, head.header.timestamp + 1);
    // Those of several blocks are executed as if they were in one.
    header.gas_limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    beneficiary_ = header.beneficiary;
    const BlockEnv env = chain_.env_of_next(header, head);
    builder_ = std::make_unique<BlockBuilder>(chain_.config(), *state_, chain_.block_hashes(),
                                              chain_.code_cache());
    if (!builder_->begin(std::move(header), env, {}, vm::AccessListMaking::never).has_value())
        builder_.reset();
}

std::optional<ObjectSet> ObjectGuess::execute(const PooledTransaction& transaction) {
    if (builder_ == nullptr || builder_->gas_used() >= most_gas_) return std::nullopt;
    if (!builder_->add(transaction.tx).has_value()) return std::nullopt;
    next_nonces_[*transaction.tx.sender] = transaction.tx.nonce + 1;
    return builder_->object_sets().back();
}

void ObjectGuess::execute_earlier(const PooledTransaction& transaction) {
    const Address& sender = *transaction.tx.sender;
    const auto found = next_nonces_.find(sender);
    if (found != next_nonces_.end() && found->second == transaction.tx.nonce) return;
    for (const SharedTransaction& earlier : mempool_.content_of(sender).pending) {
        if (earlier->tx.nonce >= transaction.tx.nonce) return;
        if (next_nonces_.contains(sender) && earlier->tx.nonce < next_nonces_[sender]) continue;
        if (!execute(*earlier).has_value()) return;
    }
}

ObjectSet ObjectGuess::objects_of(const PooledTransaction& transaction) {
    if (!transaction.tx.sender.has_value()) return declared_objects(transaction.tx);
    execute_earlier(transaction);
    const auto executed = execute(transaction);
    if (!executed.has_value()) return declared_objects(transaction.tx);
    std::vector<Access> accesses;
    const Access fee{{beneficiary_, ObjectKind::balance, {}}, AccessMode::add};
    for (const Access& access : executed->accesses())
        if (access.object != fee.object || access.mode != fee.mode) accesses.push_back(access);
    return ObjectSet{std::move(accesses)};
}

}  // namespace heddle::node::lanes
