// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/signer_recovery.hpp"

#include <cstdint>

namespace heddle::executor {

void SignerRecovery::run(std::span<Transaction> transactions) {
    unknown_ = {};
    for (Transaction& tx : transactions)
        unknown_.add(tx);
    const auto count = static_cast<std::uint32_t>(unknown_.pieces());
    if (helpers_ == nullptr || count < 2) {
        for (std::uint32_t piece = 0; piece < count; ++piece)
            unknown_.recover(piece);
        return;
    }
    is_over_.store(false, std::memory_order_relaxed);
    pieces_.start(count, count);
    helpers_->notify_others();
    while (run_once()) {
    }
    is_over_.wait(false, std::memory_order_acquire);
}

bool SignerRecovery::run_once() {
    const UnitRange taken = pieces_.take(1, 1);
    if (taken.is_empty()) return false;
    unknown_.recover(taken.begin);
    if (!pieces_.settle()) return true;
    is_over_.store(true, std::memory_order_release);
    is_over_.notify_one();
    return true;
}

}  // namespace heddle::executor
