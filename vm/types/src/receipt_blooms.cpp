// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/receipt_blooms.hpp>

#include <cstddef>
#include <vector>

#include <types/keccak_batch.hpp>

namespace heddle {
namespace {

/// Addresses and topics that are hashed together, roughly: a multiple of what fits side by side.
constexpr std::size_t kTogether = 256;

}  // namespace

void fill_blooms(std::span<Receipt> receipts) {
    KeccakBatch batch;
    std::vector<Receipt*> owners;  // of each item in the batch
    std::vector<Hash> hashes;
    const auto add = [&](Receipt& receipt, BytesView item) {
        batch.add(item);
        owners.push_back(&receipt);
    };
    const auto run = [&] {
        hashes.resize(owners.size());
        batch.run(hashes);
        for (std::size_t i = 0; i < owners.size(); ++i)
            owners[i]->bloom.add_hash(hashes[i]);
        owners.clear();
    };
    for (Receipt& receipt : receipts) {
        receipt.bloom = {};
        for (const Log& log : receipt.logs) {
            add(receipt, log.address.view());
            for (const Hash& topic : log.topics)
                add(receipt, topic.view());
            if (owners.size() >= kTogether) run();
        }
    }
    run();
}

}  // namespace heddle
