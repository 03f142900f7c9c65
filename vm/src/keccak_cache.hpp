// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keccak-256 of short inputs, remembered. Contracts hash the same slot positions again and again (a
// mapping is read and written under one key, a token is in every block), and blooms hash the same
// addresses and event signatures; comparing 64 bytes costs a twentieth of hashing them.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::vm {

/// Direct-mapped; a newer input displaces an older one. Exact: whole inputs are compared.
/// Thread safety: none; one machine's.
class KeccakCache {
public:
    KeccakCache() : entries_(std::make_unique<Entry[]>(kEntries)) {}

    [[nodiscard]] Hash hash(BytesView data) noexcept {
        if (data.size() > kMaxSize || data.empty()) return keccak256(data);
        Key key;
        std::memcpy(key.bytes, data.data(), data.size());
        key.size = data.size();
        Entry& entry = entries_[slot(key)];
        if (std::memcmp(&entry.key, &key, sizeof key) != 0) [[unlikely]] {
            entry.hash = keccak256(data);
            entry.key = key;
        }
        return entry.hash;
    }

private:
    static constexpr std::size_t kMaxSize = 64;
    static constexpr std::size_t kEntries = 2048;

    struct Key {
        std::uint8_t bytes[kMaxSize] = {};
        std::uint64_t size = 0;  // 0: the entry is free
    };
    struct Entry {
        Key key;
        Hash hash;
    };

    [[nodiscard]] static std::size_t slot(const Key& key) noexcept {
        std::uint64_t words[kMaxSize / 8];
        std::memcpy(words, key.bytes, sizeof words);
        std::uint64_t mixed = key.size;
        for (const std::uint64_t word : words)
            mixed = (mixed ^ word) * 0x9e3779b97f4a7c15 + (mixed >> 29);
        return (mixed ^ mixed >> 32) % kEntries;
    }

    std::unique_ptr<Entry[]> entries_;
};

}  // namespace heddle::vm
