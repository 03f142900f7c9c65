// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/codes_in_use.hpp"

#include <algorithm>

namespace heddle::ledger {

namespace {

/// Of one hash in the set, and in the list that is made of it.
constexpr std::size_t kBytesPerCode = 128;
constexpr std::size_t kLeastCodes = 2;

}  // namespace

CodesInUse::CodesInUse(std::size_t memory_bytes)
    : most_codes_(std::max(memory_bytes / kBytesPerCode, kLeastCodes)) {}

void CodesInUse::add(const Account& account) {
    if (!account.has_code() || !covers(account.code_hash)) return;
    codes_.insert(account.code_hash);
    if (codes_.size() <= most_codes_) return;
    // The upper half is for later passes.
    std::vector<Hash> all(codes_.begin(), codes_.end());
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
    std::ranges::nth_element(all, middle);
    last_ = *middle;
    codes_ = {all.begin(), middle + 1};
}

bool CodesInUse::remove(const Hash& code) {
    return codes_.erase(code) != 0;
}

std::vector<Hash> CodesInUse::ascending() const {
    std::vector<Hash> all(codes_.begin(), codes_.end());
    std::ranges::sort(all);
    return all;
}

bool CodesInUse::go_on() {
    if (!last_.has_value()) return false;
    above_ = last_;
    last_.reset();
    codes_.clear();
    return true;
}

}  // namespace heddle::ledger
