// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds entries by hash that somebody else keeps, numbered from 0, as types/hash_index.hpp does; in
// eight bytes a place, and in steps, so that the memory of many lookups is fetched at once. A place
// has all of the hash that places are chosen by, so growing reads no entry.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::lanes {

/// Only the low half of a hash counts. Thread safety: none.
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
            if (place.hash == low_half(hash) && matches(place.index)) return place.index;
        }
    }
    /// Adds an entry that find() did not find: number size().
    void insert(std::uint64_t hash) {
        if (2 * (size_ + 1) > places_.size()) grow();
        put({static_cast<std::uint32_t>(size_), low_half(hash)});
        ++size_;
    }
    /// Makes it anew of `count` entries, no more than there were. It keeps the memory for `room`
    /// entries, if it had that.
    template <typename HashOf>
    void rebuild_for(std::size_t count, std::size_t room, HashOf&& hash_of) {
        HEDDLE_ASSERT(count <= size_);
        const std::size_t wanted = std::bit_ceil(std::max({kMinimumCapacity, 4 * count, 2 * room}));
        if (wanted < places_.size())
            std::vector<Place>(wanted).swap(places_);
        else
            std::ranges::fill(places_, Place{});
        for (std::size_t i = 0; i < count; ++i) {
            const auto index = static_cast<std::uint32_t>(i);
            put({index, low_half(hash_of(index))});
        }
        size_ = count;
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    static constexpr std::size_t kMinimumCapacity = 256;

    struct Place {
        std::uint32_t index = kAbsent;
        std::uint32_t hash = 0;  // its low half: spares most looks at other entries
    };

    [[nodiscard]] std::size_t mask() const noexcept { return places_.size() - 1; }
    [[nodiscard]] static std::uint32_t low_half(std::uint64_t hash) noexcept {
        return static_cast<std::uint32_t>(hash);
    }
    void put(Place place) noexcept {
        std::size_t at = place.hash & mask();
        while (places_[at].index != kAbsent)
            at = (at + 1) & mask();
        places_[at] = place;
    }
    /// What stood at a place stands there again or half the table behind it, so that memory is read
    /// and written from front to back.
    void grow() {
        HEDDLE_ASSERT(size_ < kAbsent / 2);
        std::vector<Place> old(2 * places_.size());
        old.swap(places_);
        for (const Place& place : old)
            if (place.index != kAbsent) put(place);
    }

    std::vector<Place> places_;
    std::size_t size_ = 0;
};

}  // namespace heddle::consensus_adapter::lanes
