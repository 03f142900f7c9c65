// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/record_arena.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <types/assert.hpp>
#include <types/out_of_memory.hpp>

namespace heddle::ledger {
namespace {

/// Chunks from this one on are worth huge pages: before that an arena may stay small.
constexpr std::size_t kFirstHugeChunk = 4;

}  // namespace

void RecordArena::Free::operator()(std::byte* chunk) const noexcept {
    std::free(chunk);
}

RecordArena::RecordArena()
    : table_(std::make_unique_for_overwrite<std::byte*[]>(kMostChunks)),
      whole_(nullptr),
      chunks_(table_.get()) {}

RecordArena::RecordArena(RecordArena* whole) : whole_(whole), chunks_(whole->chunks_) {
    HEDDLE_ASSERT(whole->whole_ == nullptr);
}

std::uint32_t RecordArena::word(std::uint32_t index, std::size_t place) const noexcept {
    std::uint32_t value = 0;
    std::memcpy(&value, at(index) + place * sizeof value, sizeof value);
    return value;
}

void RecordArena::set_word(std::uint32_t index, std::size_t place,
                           std::uint32_t value) const noexcept {
    std::memcpy(at(index) + place * sizeof value, &value, sizeof value);
}

void RecordArena::add_chunk() {
    if (next_ != end_) push_free(next_, end_ - next_);
    HEDDLE_ASSERT(memory_.size() < kMostChunks);
    constexpr std::size_t kSize = kChunkUnits * kUnit;
    const bool is_huge = memory_.size() >= kFirstHugeChunk;
    void* const memory = std::aligned_alloc(is_huge ? kSize : 64, kSize);
    if (memory == nullptr) fail_allocation();
#ifdef __linux__
    // Only advice: without huge pages everything works, with more misses of the page cache.
    if (is_huge) static_cast<void>(madvise(memory, kSize, MADV_HUGEPAGE));
#endif
    next_ = static_cast<std::uint32_t>(memory_.size() << kChunkBits);
    end_ = next_ + kChunkUnits;
    table_[memory_.size()] = static_cast<std::byte*>(memory);
    memory_.emplace_back(static_cast<std::byte*>(memory));
}

void RecordArena::push_free(std::uint32_t index, std::size_t unit_count) {
    if (free_.size() <= unit_count) free_.resize(unit_count + 1);
    FreeList& list = free_[unit_count];
    if (list.count == kBatch) {
        push_batch(list, list.first);
        list.first = kNone;
        list.count = 0;
    }
    set_word(index, 0, list.first);
    list.first = index;
    ++list.count;
}

void RecordArena::push_batch(FreeList& list, std::uint32_t batch) const noexcept {
    set_word(batch, 1, list.batches);
    if (list.batches == kNone) list.last_batch = batch;
    list.batches = batch;
}

/// Makes a batch of `from` the records at hand of an empty list. @return whether there is one.
bool RecordArena::take_batch(FreeList& list, FreeList& from) const noexcept {
    if (from.batches == kNone) return false;
    list.first = from.batches;
    list.count = kBatch;
    from.batches = word(from.batches, 1);
    return true;
}

/// @return a free record, or kNone.
std::uint32_t RecordArena::pop_free(std::size_t unit_count) {
    if (unit_count >= free_.size()) {
        if (whole_ == nullptr) return kNone;
        free_.resize(unit_count + 1);
    }
    FreeList& list = free_[unit_count];
    if (list.first == kNone && !take_batch(list, list)) {
        if (whole_ == nullptr || list.is_exhausted) return kNone;
        const std::lock_guard lock(whole_->mutex_);
        list.is_exhausted =
            unit_count >= whole_->free_.size() || !take_batch(list, whole_->free_[unit_count]);
        if (list.is_exhausted) return kNone;
    }
    const std::uint32_t index = list.first;
    list.first = word(index, 0);
    --list.count;
    return index;
}

std::uint32_t RecordArena::allocate(std::size_t size) {
    const std::size_t unit_count = units(size);
    HEDDLE_ASSERT(unit_count > 0 && unit_count < kChunkUnits);
    live_units_ += static_cast<std::int64_t>(unit_count);
    if (const std::uint32_t index = pop_free(unit_count); index != kNone) return index;
    const auto count = static_cast<std::uint32_t>(unit_count);
    if (end_ - next_ < count) {
        if (whole_ == nullptr)
            add_chunk();
        else
            take_space(count);
    }
    const std::uint32_t index = next_;
    next_ += count;
    return index;
}

/// New space for a lane, enough for a record.
void RecordArena::take_space(std::uint32_t unit_count) {
    if (next_ != end_) push_free(next_, end_ - next_);
    const std::lock_guard lock(whole_->mutex_);
    if (whole_->end_ - whole_->next_ < unit_count) whole_->add_chunk();
    next_ = whole_->next_;
    end_ = next_ + std::min(std::max(kLaneUnits, unit_count), whole_->end_ - next_);
    whole_->next_ = end_;
}

void RecordArena::release(std::uint32_t index, std::size_t size) noexcept {
    const std::size_t unit_count = units(size);
    live_units_ -= static_cast<std::int64_t>(unit_count);
    push_free(index, unit_count);
}

void RecordArena::give_back() {
    HEDDLE_ASSERT(whole_ != nullptr);
    whole_->live_units_ += live_units_;
    live_units_ = 0;
    if (whole_->free_.size() < free_.size()) whole_->free_.resize(free_.size());
    for (std::size_t i = 0; i < free_.size(); ++i) {
        FreeList& list = free_[i];
        list.is_exhausted = false;
        if (list.batches == kNone) continue;
        FreeList& to = whole_->free_[i];
        set_word(list.last_batch, 1, to.batches);
        if (to.batches == kNone) to.last_batch = list.last_batch;
        to.batches = list.batches;
        list.batches = kNone;
    }
}

}  // namespace heddle::ledger
