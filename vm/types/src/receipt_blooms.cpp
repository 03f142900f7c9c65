// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/receipt_blooms.hpp>

#include <cstring>

#include <types/assert.hpp>

namespace heddle {

void BloomMaker::fill(Receipt& receipt) {
    receipt.bloom = {};
    for (const Log& log : receipt.logs) {
        add(log.address.view(), receipt.bloom);
        for (const Hash& topic : log.topics)
            add(topic.view(), receipt.bloom);
    }
}

void BloomMaker::add(BytesView item, LogsBloom& bloom) {
    if (entries_ == nullptr) entries_ = std::make_unique<Entry[]>(kEntries);
    std::array<std::uint64_t, 4> words{};
    HEDDLE_ASSERT(item.size() <= sizeof words);
    std::memcpy(words.data(), item.data(), item.size());
    std::uint64_t mixed = item.size();
    for (const std::uint64_t word : words)
        mixed = (mixed ^ word) * 0x9e3779b97f4a7c15 + (mixed >> 29);
    Entry& entry = entries_[(mixed ^ mixed >> 32) % kEntries];
    if (entry.size != item.size() || entry.words != words) {
        entry.words = words;
        entry.size = item.size();
        entry.in_batch = static_cast<std::uint32_t>(batch_.size());
        owners_[entry.in_batch] = &entry;
        batch_.add(item);
    }
    if (entry.in_batch == kKnown) return bloom.add_hash(entry.hash);
    waiting_.push_back({entry.in_batch, &bloom});
    if (batch_.size() == kTogether || waiting_.size() == kMostWaiting) finish();
}

void BloomMaker::finish() {
    const std::size_t count = batch_.size();
    if (count == 0) return;
    std::array<Hash, kTogether> hashes;
    batch_.run(std::span(hashes).first(count));
    for (std::size_t i = 0; i < count; ++i) {
        // Of several items that had one entry the last has it now.
        owners_[i]->hash = hashes[i];
        owners_[i]->in_batch = kKnown;
    }
    for (const Waiting& waiting : waiting_)
        waiting.bloom->add_hash(hashes[waiting.in_batch]);
    waiting_.clear();
}

void fill_blooms(std::span<Receipt> receipts) {
    BloomMaker maker;
    for (Receipt& receipt : receipts)
        maker.fill(receipt);
    maker.finish();
}

}  // namespace heddle
