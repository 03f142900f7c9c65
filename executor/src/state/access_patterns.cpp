// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/access_patterns.hpp"

#include <cstring>

namespace heddle::executor {
namespace {

/// Of a contract's function (Solidity's ABI): the first bytes of what is handed over.
std::uint32_t selector_of(const Transaction& tx) noexcept {
    std::uint32_t selector = 0;
    std::memcpy(&selector, tx.data.data(), sizeof selector);
    return selector;
}

/// Whether it may be a call of a function with arguments, or with a sender to be told apart by.
bool names_function(const Transaction& tx) noexcept {
    return tx.sender.has_value() && tx.to.has_value() && tx.data.size() >= sizeof(std::uint32_t);
}

}  // namespace

std::uint64_t AccessPatterns::hash_of(const Address& contract, std::uint32_t selector) noexcept {
    const std::uint64_t mixed =
        (AddressHasher{}(contract) ^ selector) * std::uint64_t{0x9e3779b97f4a7c15};
    return mixed ^ mixed >> 32;
}

bool AccessPatterns::wants(const Transaction& tx) {
    if (!names_function(tx) || looked_at_ == kMostLearned) return false;
    const std::uint64_t hash = hash_of(*tx.to, selector_of(tx));
    Calls& calls = calls_[hash % kFunctions];
    if (calls.function != hash) calls = {.function = hash, .count = 0};
    if (calls.count++ % kCallsBetween != 0) return false;
    ++looked_at_;
    return true;
}

void AccessPatterns::learn(const Transaction& tx, const CallNotes& notes) {
    learned_.push_back({.contract = *tx.to,
                        .selector = selector_of(tx),
                        .pattern = AccessPattern::of(tx, notes.hashes.all(), notes.read)});
}

void AccessPatterns::publish() {
    looked_at_ = 0;
    if (learned_.empty()) return;
    functions_.resize(kFunctions);
    for (const Function& learned : learned_) {
        Function& function = functions_[hash_of(learned.contract, learned.selector) % kFunctions];
        const bool is_same =
            function.contract == learned.contract && function.selector == learned.selector;
        if (is_same || !learned.pattern.is_empty()) function = learned;
    }
    learned_.clear();
}

const AccessPattern* AccessPatterns::find(const Transaction& tx) const noexcept {
    if (functions_.empty() || !names_function(tx)) return nullptr;
    const Function& function = functions_[hash_of(*tx.to, selector_of(tx)) % kFunctions];
    const bool is_known = function.contract == *tx.to && function.selector == selector_of(tx);
    return is_known && !function.pattern.is_empty() ? &function.pattern : nullptr;
}

}  // namespace heddle::executor
