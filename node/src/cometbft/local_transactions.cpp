// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/local_transactions.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace heddle::node {

std::vector<SharedTransaction> local_transactions(const Mempool::Content& content) {
    struct Ready {
        std::uint64_t since = 0;
        SharedTransaction transaction;
    };
    std::vector<Ready> ready;
    const PooledTransaction* before = nullptr;
    std::uint64_t since = 0;
    for (const SharedTransaction& transaction : content.pending) {
        const bool is_next = before != nullptr && before->tx.sender == transaction->tx.sender;
        since = is_next ? std::max(since, transaction->arrival) : transaction->arrival;
        before = transaction.get();
        if (is_own(transaction->origin)) ready.push_back({since, transaction});
    }
    std::ranges::sort(ready, {}, [](const Ready& one) {
        return std::pair{one.since, one.transaction->tx.nonce};  // only of one sender are two equal
    });
    std::vector<SharedTransaction> ordered;
    ordered.reserve(ready.size());
    for (Ready& one : ready)
        ordered.push_back(std::move(one.transaction));
    return ordered;
}

}  // namespace heddle::node
