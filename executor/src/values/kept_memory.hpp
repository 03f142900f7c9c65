// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What tables of one block keep for the next: memory for about as much as the last one needed.
// Whoever sends one block that needs a lot would otherwise have it held for ever.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include <types/hash_index.hpp>

namespace heddle::executor {

/// Entries for which memory is kept in any case, and how many times as much as the last use needed.
inline constexpr std::size_t kKeptEntries = 1024;
inline constexpr std::size_t kKeptTimes = 4;

/// Empties it; memory that is much more than was needed is given back.
template <typename Item>
void clear_and_shrink(std::vector<Item>& items) {
    if (items.capacity() > kKeptTimes * items.size() + kKeptEntries)
        std::vector<Item>{}.swap(items);
    else
        items.clear();
}
template <typename Key, typename Value, typename Hasher>
void clear_and_shrink(std::unordered_map<Key, Value, Hasher>& items) {
    if (items.bucket_count() > kKeptTimes * items.size() + kKeptEntries)
        std::unordered_map<Key, Value, Hasher>{}.swap(items);
    else
        items.clear();
}
/// The index by itself keeps all where nothing was needed.
inline void clear_and_shrink(HashIndex<>& index) {
    if (index.size() == 0 && index.memory_bytes() > HashIndex<>{}.memory_bytes())
        index = {};
    else
        index.clear_and_shrink();
}

}  // namespace heddle::executor
