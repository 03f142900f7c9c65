// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/transaction_hashes.hpp>

#include <cstddef>

namespace heddle {
namespace {

/// Transactions that are hashed together: enough to fill the lanes with messages of like length,
/// few enough that their encodings stay in the first caches.
constexpr std::size_t kTogether = 64;

}  // namespace

std::vector<Hash> transaction_hashes(std::span<const Transaction> transactions) {
    KeccakBatch hasher;
    return transaction_hashes(transactions, hasher);
}

std::vector<Hash> transaction_hashes(std::span<const Transaction> transactions,
                                     KeccakBatch& hasher) {
    std::vector<Hash> hashes(transactions.size());
    std::vector<std::size_t> places;  // of those in the batch
    std::vector<Hash> found;
    Bytes encoded;
    const auto run = [&] {
        found.resize(places.size());
        hasher.run(found);
        for (std::size_t i = 0; i < places.size(); ++i)
            hashes[places[i]] = found[i];
        places.clear();
    };
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        if (const auto& known = transactions[i].hash.value; known.has_value()) {
            hashes[i] = *known;
            continue;
        }
        encoded.clear();
        encode_transaction(transactions[i], encoded);
        hasher.add(encoded);
        places.push_back(i);
        if (places.size() == kTogether) run();
    }
    run();
    return hashes;
}

}  // namespace heddle
