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
#include <memory>
#include <span>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/keccak_batch.hpp>

#include <vm/hash_notes.hpp>

namespace heddle::vm {

/// Direct-mapped; a newer input displaces an older one. Exact: whole inputs are compared.
/// Thread safety: none; one machine's.
class KeccakCache {
public:
    KeccakCache() : entries_(std::make_unique<Entry[]>(kEntries)) {}

    [[nodiscard]] Hash hash(BytesView data) noexcept {
        if (data.size() > ShortInput::kMaxSize || data.empty()) return keccak256(data);
        const ShortInput key(data);
        Entry& entry = entries_[slot(key)];
        if (entry.key != key) [[unlikely]] {
            entry.hash = keccak256(data);
            entry.key = key;
            ++made_;
        }
        if (notes_ != nullptr) [[unlikely]]
            notes_->add(key, entry.hash);
        return entry.hash;
    }

    /// What is hashed with hash() is noted from here on. Null: no more.
    void note(HashNotes* notes) noexcept { notes_ = notes; }
    /// As if it had been hashed here.
    void remember(const KnownHash& known) noexcept {
        Entry& entry = entries_[slot(known.input)];
        told_ += entry.key == known.input ? 0 : 1;
        entry.key = known.input;
        entry.hash = known.hash;
    }
    /// How often hash() has found that it did not remember.
    [[nodiscard]] std::uint64_t made() const noexcept { return made_; }
    /// The same of remember().
    [[nodiscard]] std::uint64_t told() const noexcept { return told_; }

    /// For sets of inputs, in which order and number do not count: `visit(hash)` is called for each
    /// of them, at once or when visit_rest() is, where those that are not remembered are hashed
    /// together; once at least. Nothing else is asked for in between.
    /// @param data  1 to 64 bytes.
    template <typename Visit>
    void visit_later(BytesView data, Visit&& visit) noexcept {
        const ShortInput key(data);
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
    static constexpr std::size_t kEntries = 2048;
    static constexpr std::size_t kPending = 32;

    struct Entry {
        ShortInput key;  // empty: the entry is free
        Hash hash;
        bool is_pending = false;  // the hash is that of an earlier key
    };

    [[nodiscard]] static std::size_t slot(const ShortInput& key) noexcept {
        std::uint64_t mixed = key.size;
        for (const std::uint64_t word : key.words)
            mixed = (mixed ^ word) * 0x9e3779b97f4a7c15 + (mixed >> 29);
        return (mixed ^ mixed >> 32) % kEntries;
    }

    std::unique_ptr<Entry[]> entries_;
    HashNotes* notes_ = nullptr;  // null: nobody wants to know
    std::uint64_t made_ = 0;
    std::uint64_t told_ = 0;
    KeccakBatch batch_;
    std::array<Entry*, kPending> pending_;  // for the hashes of the batch
};

}  // namespace heddle::vm
