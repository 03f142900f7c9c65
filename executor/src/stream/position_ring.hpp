// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A ring of things by stream position, made in chunks as they are needed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workers/prefetch.hpp"

namespace heddle::executor {

/// Positions a whole ring apart share a place: which of them has it is its user's business. What is
/// in a place never moves.
///
/// Thread safety: make() by one thread; at() by anybody who knows of the position from it.
template <typename Item>
class PositionRing {
public:
    /// `capacity`: rounded up to a power of two.
    explicit PositionRing(std::size_t capacity)
        : mask_(std::bit_ceil(capacity) - 1), chunks_((mask_ + kChunk) / kChunk) {}

    [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

    [[nodiscard]] Item& at(std::uint64_t position) const noexcept {
        const std::size_t slot = position & mask_;
        return chunks_[slot / kChunk][slot % kChunk];
    }
    /// Makes sure that the position's place is there.
    [[nodiscard]] Item& make(std::uint64_t position) {
        std::unique_ptr<Item[]>& chunk = chunks_[(position & mask_) / kChunk];
        if (chunk == nullptr) chunk = std::make_unique<Item[]>(kChunk);
        Item& item = at(position);
        prefetch_for_write(&item + kAhead);
        return item;
    }

private:
    static constexpr std::size_t kChunk = 64;
    static constexpr std::size_t kAhead = 2;  // items ahead of a new one that are fetched

    const std::size_t mask_;
    std::vector<std::unique_ptr<Item[]>> chunks_;
};

}  // namespace heddle::executor
