// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/record_arena.hpp"

#include <cstdlib>
#include <cstring>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <types/assert.hpp>

namespace heddle::ledger {
namespace {

/// Chunks from this one on are worth huge pages: before that an arena may stay small.
constexpr std::size_t kFirstHugeChunk = 4;

}  // namespace

void RecordArena::Free::operator()(std::byte* chunk) const noexcept {
    std::free(chunk);
}

void RecordArena::add_chunk() {
    if (next_ != end_) push_free(next_, end_ - next_);
    HEDDLE_ASSERT(chunks_.size() < (std::size_t{1} << (32 - kChunkBits)) - 1);
    constexpr std::size_t kSize = kChunkUnits * kUnit;
    const bool is_huge = chunks_.size() >= kFirstHugeChunk;
    void* const memory = std::aligned_alloc(is_huge ? kSize : 64, kSize);
    HEDDLE_ASSERT(memory != nullptr);
#ifdef __linux__
    // Only advice: without huge pages everything works, with more misses of the page cache.
    if (is_huge) static_cast<void>(madvise(memory, kSize, MADV_HUGEPAGE));
#endif
    next_ = static_cast<std::uint32_t>(chunks_.size() << kChunkBits);
    end_ = next_ + kChunkUnits;
    chunks_.emplace_back(static_cast<std::byte*>(memory));
}

void RecordArena::push_free(std::uint32_t index, std::size_t unit_count) {
    if (free_.size() <= unit_count) free_.resize(unit_count + 1, kNone);
    std::memcpy(at(index), &free_[unit_count], sizeof(std::uint32_t));
    free_[unit_count] = index;
}

std::uint32_t RecordArena::allocate(std::size_t size) {
    const std::size_t unit_count = units(size);
    HEDDLE_ASSERT(unit_count > 0 && unit_count < kChunkUnits);
    live_units_ += unit_count;
    if (unit_count < free_.size() && free_[unit_count] != kNone) {
        const std::uint32_t index = free_[unit_count];
        std::memcpy(&free_[unit_count], at(index), sizeof(std::uint32_t));
        return index;
    }
    if (end_ - next_ < unit_count) add_chunk();
    const std::uint32_t index = next_;
    next_ += static_cast<std::uint32_t>(unit_count);
    return index;
}

void RecordArena::release(std::uint32_t index, std::size_t size) noexcept {
    const std::size_t unit_count = units(size);
    live_units_ -= unit_count;
    push_free(index, unit_count);
}

}  // namespace heddle::ledger
