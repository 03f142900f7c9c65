// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which transactions of a segment can be referred to, and how long ago they were given. One that is
// not found though it is there costs its bytes once more, and nothing else.
#pragma once

#include <algorithm>
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

/// A hash says in which line of a table its transaction is, and by which mark; a line has those
/// that came last, the newest first. So looking for one that is not here touches 64 bytes, and but
/// for one in thousands, whose mark is another one's, nothing else. No memory is allocated once the
/// window is made. Thread safety: none.
class TransactionWindow {
public:
    TransactionWindow() : ring_(kPlaces), lines_(kLines) {}

    /// @param hash  Null: nobody will refer to it.
    void add(const Hash* hash, std::size_t size) {
        if (next_ - oldest_ == kPlaces) drop_oldest();
        const std::uint64_t place = next_ % kPlaces;
        ring_[place] = {hash != nullptr ? *hash : Hash{}, size};
        bytes_ += size;
        ++next_;
        while (bytes_ > WindowBounds::kMostBytes)
            drop_oldest();
        if (hash == nullptr) return;
        const Key key{*hash};
        std::array<std::uint32_t, kLineEntries>& entries = lines_[key.line].entries;
        std::shift_right(entries.begin(), entries.end(), 1);
        entries.front() = key.mark | static_cast<std::uint32_t>(place);
    }

    /// How many have been given since, itself included; 0: it cannot be referred to.
    [[nodiscard]] std::uint64_t distance_to(const Hash& hash) const noexcept {
        const Key key{hash};
        const std::array<std::uint32_t, kLineEntries>& entries = lines_[key.line].entries;
        // Nearly always none has the mark: without a way out of the loop four are compared at once.
        std::uint32_t found = 0;
        for (const std::uint32_t entry : entries)
            found |= (entry & kMarkMask) == key.mark ? 1U : 0U;
        if (found == 0) return 0;
        for (const std::uint32_t entry : entries) {
            if ((entry & kMarkMask) != key.mark) continue;
            const std::uint64_t place = entry & ~kMarkMask;
            // How many have been given since whatever is at this place now.
            const std::uint64_t distance = (next_ - 1 - place) % kPlaces + 1;
            if (distance <= next_ - oldest_ && ring_[place].hash == hash) return distance;
        }
        return 0;
    }

private:
    struct Given {
        Hash hash;
        std::size_t size = 0;
    };
    static constexpr std::uint64_t kPlaces = WindowBounds::kMostTransactions;
    /// Of entries: the mark in the higher half, the place in the ring in the lower one.
    static constexpr std::uint32_t kMarkMask = 0xffff'0000;
    static constexpr std::size_t kLineEntries = 16;
    /// Half full on average: of 1,000 transactions of the window about one is pushed out.
    static constexpr std::size_t kLines = 2 * kPlaces / kLineEntries;
    static_assert(kPlaces == ~kMarkMask + 1);

    struct alignas(64) Line {
        std::array<std::uint32_t, kLineEntries> entries{};
    };
    struct Key {
        explicit Key(const Hash& hash) noexcept {
            std::array<std::uint32_t, 2> words{};
            std::memcpy(words.data(), hash.bytes.data(), sizeof words);
            line = words[0] % kLines;
            mark = words[1] & kMarkMask;
        }
        std::size_t line = 0;
        std::uint32_t mark = 0;
    };
    void drop_oldest() noexcept { bytes_ -= ring_[oldest_++ % kPlaces].size; }

    std::vector<Given> ring_;
    std::vector<Line> lines_;
    std::size_t bytes_ = 0;
    std::uint64_t oldest_ = 0;
    std::uint64_t next_ = 0;
};

}  // namespace heddle::node
