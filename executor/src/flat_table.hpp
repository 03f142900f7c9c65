// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A hash index over entries that live in a dense vector of somebody else: open addressing, linear
// probing, eight bytes per place. Nothing is removed but everything at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::executor {

/// Thread safety: none.
/// Invariants: 1. the capacity is a power of two; 2. at most half of the places are taken.
class FlatTable {
public:
    static constexpr std::uint32_t kAbsent = 0xffff'ffff;

    FlatTable() : places_(kMinimumCapacity) {}

    /// Index of the entry with `hash` that `equals(index)` accepts; kAbsent when there is none.
    template <typename Equals>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, Equals equals) const noexcept {
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
            const Place& place = places_[at];
            if (place.index == kAbsent) return kAbsent;
            if (place.tag == tag && equals(place.index)) return place.index;
        }
    }

    /// Adds an entry that find() did not find. `hash_of(index)` is asked for all entries when the
    /// table grows.
    template <typename HashOf>
    void insert(std::uint64_t hash, std::uint32_t index, HashOf hash_of) {
        if (2 * (size_ + 1) > places_.size()) grow(hash_of);
        put(hash, index);
        ++size_;
    }

    /// Forgets all entries; a table much larger than was needed shrinks.
    void clear() {
        if (size_ == 0) return;
        const std::size_t needed = std::bit_ceil(4 * size_ + kMinimumCapacity);
        if (places_.size() > 4 * needed)
            places_ = std::vector<Place>(needed);
        else
            places_.assign(places_.size(), Place{});
        size_ = 0;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    static constexpr std::size_t kMinimumCapacity = 256;

    struct Place {
        std::uint32_t tag = 0;  // high half of the hash: spares most looks at other entries
        std::uint32_t index = kAbsent;
    };

    [[nodiscard]] std::size_t mask() const noexcept { return places_.size() - 1; }

    void put(std::uint64_t hash, std::uint32_t index) noexcept {
        std::size_t at = hash & mask();
        while (places_[at].index != kAbsent)
            at = (at + 1) & mask();
        places_[at] = {static_cast<std::uint32_t>(hash >> 32), index};
    }

    template <typename HashOf>
    void grow(HashOf hash_of) {
        std::vector<Place> old(places_.size() * 2);
        old.swap(places_);
        for (const Place& place : old)
            if (place.index != kAbsent) put(hash_of(place.index), place.index);
    }

    std::vector<Place> places_;
    std::size_t size_ = 0;
};

}  // namespace heddle::executor
