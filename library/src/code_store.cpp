// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code_store.hpp"

#include <utility>

namespace heddle::library {

CodeStore::Code CodeStore::find(const Hash& code_hash) const {
    const std::lock_guard guard(mutex_);
    const auto known = codes_.find(code_hash);
    return known == codes_.end() ? nullptr : known->second;
}

CodeStore::Code CodeStore::add(const Hash& code_hash, Bytes bytes) {
    // Hashing takes longer than most of what is done with code.
    if (!is_known(code_hash) && keccak256(bytes) != code_hash) return nullptr;
    const std::size_t size = bytes.size();
    auto code = std::make_shared<const Bytes>(std::move(bytes));
    const std::lock_guard guard(mutex_);
    make_room(size);
    Code& kept = codes_[code_hash];
    if (kept != nullptr) return kept;  // somebody was quicker
    bytes_ += size;
    return kept = std::move(code);
}

bool CodeStore::is_known(const Hash& code_hash) const {
    const std::lock_guard guard(mutex_);
    return codes_.contains(code_hash);
}

void CodeStore::make_room(std::size_t size) {
    if (codes_.size() >= kMaxHashes) {
        codes_.clear();
        bytes_ = 0;
    }
    if (bytes_ + size <= kMaxBytes) return;
    for (auto& [hash, kept] : codes_)
        kept = nullptr;
    bytes_ = 0;
}

}  // namespace heddle::library
