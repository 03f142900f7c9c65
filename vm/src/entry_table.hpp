// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The table behind a transaction's working set: entries with stable addresses, found by hash, all
// forgotten at once. Not a general container: nothing is erased singly, and iteration is in order
// of insertion so that no hash reaches a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include <types/hash_index.hpp>

namespace heddle::vm {

/// Invariant: an entry's address is stable until clear().
template <typename Entry>
class EntryTable {
public:
    [[nodiscard]] std::size_t size() const noexcept { return index_.size(); }
    [[nodiscard]] Entry& operator[](std::size_t index) noexcept {
        return chunks_[index / kChunk][index % kChunk];
    }

    /// The entry for which `matches(entry)` holds among those with this hash, or null.
    template <typename Matches>
    [[nodiscard]] Entry* find(std::size_t hash, Matches&& matches) noexcept {
        Entry* found = nullptr;
        const auto is_found = [&](std::uint32_t index) {
            Entry& entry = (*this)[index];
            if (!matches(entry)) return false;
            found = &entry;
            return true;
        };
        static_cast<void>(index_.find(hash, is_found));
        return found;
    }

    /// Adds an entry that find() did not find. It is returned as the last transaction left it, or
    /// default-constructed: the caller resets it.
    [[nodiscard]] Entry& insert(std::size_t hash) {
        const std::size_t index = index_.size();
        index_.insert(hash, [&](std::uint32_t i) { return hashes_[i]; });
        if (index == hashes_.size())
            hashes_.push_back(hash);
        else
            hashes_[index] = hash;
        if (index / kChunk == chunks_.size()) chunks_.push_back(std::make_unique<Entry[]>(kChunk));
        return (*this)[index];
    }

    /// Forgets everything; keeps the memory of as many entries as most transactions need. Constant
    /// time where there were no more.
    void clear() noexcept {
        index_.clear();
        if (chunks_.size() <= kKeptChunks) [[likely]]
            return;
        // New ones, as shrink_to_fit() does nothing where there are no exceptions.
        auto* const first = chunks_.data();
        chunks_ = std::vector<std::unique_ptr<Entry[]>>(
            std::make_move_iterator(first), std::make_move_iterator(first + kKeptChunks));
        hashes_ = std::vector<std::size_t>(kKeptChunks * kChunk);
        index_ = {};
    }
    /// Entries that there is memory for.
    [[nodiscard]] std::size_t capacity() const noexcept { return chunks_.size() * kChunk; }

    /// Entries: more than a transaction of 2^24 gas can make of cold slots.
    static constexpr std::size_t kMostKept = 16'384;

private:
    static constexpr std::size_t kChunk = 64;
    static constexpr std::size_t kKeptChunks = kMostKept / kChunk;

    HashIndex<> index_;
    std::vector<std::size_t> hashes_;
    std::vector<std::unique_ptr<Entry[]>> chunks_;
};

}  // namespace heddle::vm
