// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds entries by hash that somebody else keeps, numbered from 0 in the order in which they came:
// open addressing, linear probing, everything forgotten at once. Not a container, and not a hash
// function: both are the caller's.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <types/assert.hpp>

namespace heddle {

/// Thread safety: none.
/// Invariants: (1) the capacity is a power of two; (2) at most half of the places are taken; (3) a
/// place is taken if it is of the present generation.
/// \tparam Generation  An unsigned integer; a narrow one wraps around sooner.
template <typename Generation = std::uint32_t>
class HashIndex {
public:
    static constexpr std::uint32_t kAbsent = 0xffff'ffff;

    HashIndex() : places_(kMinimumCapacity) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return places_.capacity() * sizeof(Place);
    }

    /// The entry with `hash` that `matches(index)` accepts; kAbsent when there is none.
    template <typename Matches>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, Matches&& matches) const noexcept {
        for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
            const Place& place = places_[at];
            if (place.generation != generation_) return kAbsent;
            if (place.tag == tag(hash) && matches(place.index)) return place.index;
        }
    }

    /// Asks for the line of memory where find() of this hash begins.
    void prefetch(std::uint64_t hash) const noexcept {
        __builtin_prefetch(&places_[hash & mask()]);
    }

    /// Adds an entry that find() did not find: number size(). `hash_of(index)` is asked for all
    /// entries before it when the capacity doubles.
    template <typename HashOf>
    void insert(std::uint64_t hash, HashOf&& hash_of) {
        if (2 * (size_ + 1) > places_.size()) grow(hash_of);
        put(hash, static_cast<std::uint32_t>(size_));
        ++size_;
    }

    /// Forgets everything, keeps the memory. Constant time.
    void clear() noexcept {
        size_ = 0;
        if (++generation_ == 0) {  // wrapped around: old places could look taken
            for (Place& place : places_)
                place.generation = 0;
            generation_ = 1;
        }
    }
    /// Forgets everything; capacity that is much larger than was needed is given back.
    void clear_and_shrink() {
        const std::size_t needed = std::bit_ceil(4 * size_ + kMinimumCapacity);
        if (size_ != 0 && places_.size() > 4 * needed) std::vector<Place>(needed).swap(places_);
        clear();
    }

private:
    static constexpr std::size_t kMinimumCapacity = 256;

    struct Place {
        Generation generation = 0;
        std::uint32_t index = 0;
        std::uint32_t tag = 0;  // high half of the hash: spares most looks at other entries
    };

    [[nodiscard]] std::size_t mask() const noexcept { return places_.size() - 1; }
    [[nodiscard]] static std::uint32_t tag(std::uint64_t hash) noexcept {
        return static_cast<std::uint32_t>(hash >> 32);
    }
    void put(std::uint64_t hash, std::uint32_t index) noexcept {
        std::size_t at = hash & mask();
        while (places_[at].generation == generation_)
            at = (at + 1) & mask();
        places_[at] = {generation_, index, tag(hash)};
    }
    template <typename HashOf>
    void grow(HashOf&& hash_of) {
        HEDDLE_ASSERT(size_ < (std::size_t{1} << 31));
        std::vector<Place>(places_.size() * 2).swap(places_);
        generation_ = 1;
        for (std::size_t i = 0; i < size_; ++i)
            put(hash_of(static_cast<std::uint32_t>(i)), static_cast<std::uint32_t>(i));
    }

    std::vector<Place> places_;
    std::size_t size_ = 0;
    Generation generation_ = 1;
};

}  // namespace heddle
