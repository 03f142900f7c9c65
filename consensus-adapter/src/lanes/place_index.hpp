// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds entries by hash that somebody else keeps, numbered from 0, as types/hash_index.hpp does; in
// eight bytes a place, and in steps, so that the memory of many lookups is fetched at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::lanes {

/// Thread safety: none.
/// Invariants: (1) the capacity is a power of two; (2) at most half of the places are taken.
class PlaceIndex {
public:
    static constexpr std::uint32_t kAbsent = 0xffff'ffff;

    PlaceIndex() : places_(kMinimumCapacity) {}

    /// First step of a lookup: asks for the memory that the others read.
    void prefetch(std::uint64_t hash) const noexcept {
        __builtin_prefetch(&places_[hash & mask()]);
    }
    /// Second step: an entry that may be the one; kAbsent: there is none.
    [[nodiscard]] std::uint32_t candidate(std::uint64_t hash) const noexcept {
        return find(hash, [](std::uint32_t) { return true; });
    }
    /// The entry with `hash` that `matches(index)` accepts; kAbsent when there is none.
    template <typename Matches>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, Matches&& matches) const noexcept {
        for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
            const Place& place = places_[at];
            if (place.index == kAbsent) return kAbsent;
            if (place.tag == tag(hash) && matches(place.index)) return place.index;
        }
    }
    /// Adds an entry that find() did not find: number size(). `hash_of(index)` is asked for all
    /// entries before it when the capacity doubles.
    template <typename HashOf>
    void insert(std::uint64_t hash, HashOf&& hash_of) {
        if (2 * (size_ + 1) > places_.size()) rebuild(places_.size() * 2, size_, hash_of);
        put(hash, static_cast<std::uint32_t>(size_));
        ++size_;
    }
    /// Makes it anew of `count` entries, in as little memory as they need.
    template <typename HashOf>
    void rebuild_for(std::size_t count, HashOf&& hash_of) {
        rebuild(std::bit_ceil(std::max(kMinimumCapacity, 4 * count)), count, hash_of);
        size_ = count;
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    static constexpr std::size_t kMinimumCapacity = 256;

    struct Place {
        std::uint32_t index = kAbsent;
        std::uint32_t tag = 0;  // high half of the hash: spares most looks at other entries
    };

    [[nodiscard]] std::size_t mask() const noexcept { return places_.size() - 1; }
    [[nodiscard]] static std::uint32_t tag(std::uint64_t hash) noexcept {
        return static_cast<std::uint32_t>(hash >> 32);
    }
    void put(std::uint64_t hash, std::uint32_t index) noexcept {
        std::size_t at = hash & mask();
        while (places_[at].index != kAbsent)
            at = (at + 1) & mask();
        places_[at] = {index, tag(hash)};
    }
    template <typename HashOf>
    void rebuild(std::size_t capacity, std::size_t count, HashOf&& hash_of) {
        HEDDLE_ASSERT(count < kAbsent / 2);
        if (capacity == places_.size())
            std::ranges::fill(places_, Place{});
        else
            std::vector<Place>(capacity).swap(places_);
        for (std::size_t i = 0; i < count; ++i)
            put(hash_of(static_cast<std::uint32_t>(i)), static_cast<std::uint32_t>(i));
    }

    std::vector<Place> places_;
    std::size_t size_ = 0;
};

}  // namespace heddle::consensus_adapter::lanes
