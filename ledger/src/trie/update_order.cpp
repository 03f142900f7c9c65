// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorting the updates of a trie: keys are hashes, so their first byte divides them evenly, and what
// is left of each 256th fits into the caches. Keys that were chosen to share it only take longer.

#include <algorithm>
#include <array>

#include "trie/update_pass.hpp"

namespace heddle::ledger {
namespace {

/// Below so many, dividing costs more than it saves.
constexpr std::size_t kLeastDivided = 1'024;
constexpr std::size_t kBuckets = 256;
/// Buckets that a thread sorts at once.
constexpr std::size_t kBucketsAtOnce = 8;

/// Big-endian, so that words are in the order of the keys.
std::uint64_t first_word(const Hash& key) noexcept {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i)
        word = word << 8 | key.bytes[i];
    return word;
}

void sort_undivided(std::span<TrieUpdate> updates) {
    // Hashed keys nearly always differ in their first eight bytes.
    const auto less = [](const TrieUpdate& a, const TrieUpdate& b) {
        const std::uint64_t first_a = first_word(a.key);
        const std::uint64_t first_b = first_word(b.key);
        return first_a != first_b ? first_a < first_b : a.key < b.key;
    };
    std::ranges::sort(updates, less);
}

}  // namespace

void sort_by_key(std::span<TrieUpdate> updates, WorkerCrew* crew, std::vector<TrieUpdate>& space) {
    if (updates.size() < kLeastDivided) {
        sort_undivided(updates);
        return;
    }
    std::array<std::size_t, kBuckets + 1> begins{};
    for (const TrieUpdate& update : updates)
        ++begins[update.key.bytes[0] + 1U];
    for (std::size_t i = 0; i < kBuckets; ++i)
        begins[i + 1] += begins[i];
    space.resize(updates.size());
    std::array<std::size_t, kBuckets + 1> ends = begins;
    for (const TrieUpdate& update : updates)
        space[ends[update.key.bytes[0]]++] = update;
    WorkerCrew::for_pieces(crew, kBuckets, kBucketsAtOnce, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const auto bucket = std::span(space).subspan(begins[i], begins[i + 1] - begins[i]);
            sort_undivided(bucket);
            std::ranges::copy(bucket, updates.begin() + static_cast<std::ptrdiff_t>(begins[i]));
        }
    });
}

}  // namespace heddle::ledger
