// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which transactions of a segment can be referred to, and how long ago they were given. One that is
// not found though it is there costs its bytes once more, and nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <types/hash.hpp>

namespace heddle::node {

/// The newest ones, as many and as large; for both directions.
struct WindowBounds {
    static constexpr std::size_t kMostTransactions = 65'536;
    static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
};

/// Each transaction has two places in a table and takes the one whose transaction is older; no
/// memory is allocated once it is made. Thread safety: none.
class TransactionWindow {
public:
    TransactionWindow() : ring_(WindowBounds::kMostTransactions), places_(kPlaces) {}

    /// @param hash  Null: nobody will refer to it.
    void add(const Hash* hash, std::size_t size) {
        if (next_ - oldest_ == ring_.size()) drop_oldest();
        Given& given = ring_[next_ % ring_.size()];
        given = {hash != nullptr ? *hash : Hash{}, size};
        bytes_ += size;
        ++next_;
        while (bytes_ > WindowBounds::kMostBytes)
            drop_oldest();
        if (hash == nullptr) return;
        const auto [first, second] = places_of(*hash);
        const bool is_first_older =
            (places_[first] & kMostNumber) <= (places_[second] & kMostNumber);
        places_[is_first_older ? first : second] = next_ | mark_of(*hash);
    }

    /// How many have been given since, itself included; 0: it cannot be referred to.
    [[nodiscard]] std::uint64_t distance_to(const Hash& hash) const noexcept {
        for (const std::size_t place : places_of(hash)) {
            if ((places_[place] ^ mark_of(hash)) > kMostNumber) continue;  // another one's
            const std::uint64_t number = places_[place] & kMostNumber;  // its own, counted from 1
            if (number > oldest_ && ring_[(number - 1) % ring_.size()].hash == hash)
                return next_ - number + 1;
        }
        return 0;
    }

private:
    struct Given {
        Hash hash;
        std::size_t size = 0;
    };
    static constexpr std::size_t kPlaces = 4 * WindowBounds::kMostTransactions;
    static constexpr unsigned kMarkBits = 16;
    static constexpr std::uint64_t kMostNumber = ~std::uint64_t{0} >> kMarkBits;

    static std::array<std::size_t, 2> places_of(const Hash& hash) noexcept {
        std::array<std::uint32_t, 2> words{};
        std::memcpy(words.data(), hash.bytes.data(), sizeof words);
        return {words[0] % kPlaces, words[1] % kPlaces};
    }
    /// In the highest bits: bytes that places_of() does not use, so that one of another hash is
    /// told from it without a look into the ring, which is out of the caches.
    static std::uint64_t mark_of(const Hash& hash) noexcept {
        std::uint16_t mark = 0;
        std::memcpy(&mark, hash.bytes.data() + 8, sizeof mark);
        return std::uint64_t{mark} << (64 - kMarkBits);
    }
    void drop_oldest() noexcept { bytes_ -= ring_[oldest_++ % ring_.size()].size; }

    std::vector<Given> ring_;
    std::vector<std::uint64_t> places_;  // numbers counted from 1, with marks; 0: none yet
    std::size_t bytes_ = 0;
    std::uint64_t oldest_ = 0;
    std::uint64_t next_ = 0;
};

}  // namespace heddle::node
