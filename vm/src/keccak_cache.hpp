// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keccak-256 of short inputs, remembered. Contracts hash the same slot positions again and again (a
// mapping is read and written under one key, a token is in every block), and blooms hash the same
// addresses and event signatures; comparing 64 bytes costs a twentieth of hashing them.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/keccak_batch.hpp>

namespace heddle::vm {

/// Direct-mapped; a newer input displaces an older one. Exact: whole inputs are compared.
/// Thread safety: none; one machine's.
class KeccakCache {
public:
    KeccakCache() : entries_(std::make_unique<Entry[]>(kEntries)) {}

    [[nodiscard]] Hash hash(BytesView data) noexcept {
        if (data.size() > kMaxSize || data.empty()) return keccak256(data);
        const Key key(data);
        Entry& entry = entries_[slot(key)];
        if (entry.key != key) [[unlikely]] {
            entry.hash = keccak256(data);
            entry.key = key;
        }
        return entry.hash;
    }

    /// For sets of inputs, in which order and number do not count: `visit(hash)` is called for each
    /// of them, at once or when visit_rest() is, where those that are not remembered are hashed
    /// together; once at least. Nothing else is asked for in between.
    /// @param data  1 to 64 bytes.
    template <typename Visit>
    void visit_later(BytesView data, Visit&& visit) noexcept {
        const Key key(data);
        Entry& entry = entries_[slot(key)];
        if (entry.key == key) {
            if (!entry.is_pending) visit(entry.hash);
            return;
        }
        entry.key = key;
        entry.is_pending = true;
        pending_[batch_.size()] = &entry;
        batch_.add(data);
        if (batch_.size() == pending_.size()) visit_rest(visit);
    }
    template <typename Visit>
    void visit_rest(Visit&& visit) noexcept {
        const std::size_t count = batch_.size();
        if (count == 0) return;
        std::array<Hash, kPending> hashes;
        batch_.run(std::span(hashes).first(count));
        for (std::size_t i = 0; i < count; ++i) {
            // Where another input has taken the same entry meanwhile, its hash comes later.
            pending_[i]->hash = hashes[i];
            pending_[i]->is_pending = false;
            visit(hashes[i]);
        }
    }

private:
    static constexpr std::size_t kMaxSize = 64;
    static constexpr std::size_t kEntries = 2048;
    static constexpr std::size_t kPending = 32;

    struct Key {
        Key() = default;
        /// @param data  At most kMaxSize bytes.
        explicit Key(BytesView data) noexcept : size(data.size()) {
            std::memcpy(words.data(), data.data(), data.size());
        }
        [[nodiscard]] bool operator==(const Key& other) const noexcept {
            std::uint64_t difference = size ^ other.size;
            for (std::size_t i = 0; i < words.size(); ++i)
                difference |= words[i] ^ other.words[i];
            return difference == 0;
        }

        std::array<std::uint64_t, kMaxSize / 8> words{};
        std::uint64_t size = 0;  // 0: the entry is free
    };
    struct Entry {
        Key key;
        Hash hash;
        bool is_pending = false;  // the hash is that of an earlier key
    };

    [[nodiscard]] static std::size_t slot(const Key& key) noexcept {
        std::uint64_t mixed = key.size;
        for (const std::uint64_t word : key.words)
            mixed = (mixed ^ word) * 0x9e3779b97f4a7c15 + (mixed >> 29);
        return (mixed ^ mixed >> 32) % kEntries;
    }

    std::unique_ptr<Entry[]> entries_;
    KeccakBatch batch_;
    std::array<Entry*, kPending> pending_;  // for the hashes of the batch
};

}  // namespace heddle::vm
