// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A hash table of cells that many threads read and add to at once without locks. Nothing is removed
// but everything at once, and the buckets change only while nobody else looks.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <types/assert.hpp>

#include "workers/prefetch.hpp"

namespace heddle::executor {

/// Cell: has `std::atomic<Cell*> next_in_bucket` and `std::uint32_t number`, dense from 0.
///
/// Protocol: a bucket is a list that grows at its head only. A cell is filled before it is put in
/// by compare-exchange (release), and found through loads (acquire), so whoever finds it sees it
/// filled. When the compare-exchange fails, what others have put in meanwhile is searched first; a
/// cell that turns out to be superfluous keeps its number and stays unused.
///
/// Thread safety: find_or_insert() by any number of threads; reset() and rehash() by one alone.
template <typename Cell>
class CellTable {
public:
    CellTable() : buckets_(kMinimumBuckets), chunks_(kMaxChunks) {}
    ~CellTable() {
        for (auto& chunk : chunks_)
            delete[] chunk.load(std::memory_order_relaxed);
    }
    CellTable(const CellTable&) = delete;
    CellTable& operator=(const CellTable&) = delete;

    /// @param matches  Whether a cell is the one looked for.
    /// @param fill     Makes a fresh or used cell the one looked for; called at most once.
    template <typename Matches, typename Fill>
    [[nodiscard]] Cell& find_or_insert(std::uint64_t hash, Matches&& matches, Fill&& fill) {
        std::atomic<Cell*>& bucket = buckets_[hash & (buckets_.size() - 1)];
        Cell* const first = bucket.load(std::memory_order_acquire);
        if (Cell* found = search(first, nullptr, matches)) return *found;

        Cell& cell = allocate();
        fill(cell);
        Cell* head = first;
        Cell* searched = first;
        for (;;) {
            cell.next_in_bucket.store(head, std::memory_order_relaxed);
            if (bucket.compare_exchange_weak(head, &cell, std::memory_order_release,
                                             std::memory_order_acquire))
                return cell;
            if (Cell* found = search(head, searched, matches)) return *found;
            searched = head;
        }
    }

    /// Cells made since the last reset().
    [[nodiscard]] std::size_t size() const noexcept {
        return count_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t bucket_count() const noexcept { return buckets_.size(); }
    /// Cells in the fullest bucket. For tests; while nobody adds.
    [[nodiscard]] std::size_t longest_bucket() const noexcept {
        std::size_t longest = 0;
        for (const std::atomic<Cell*>& bucket : buckets_) {
            std::size_t length = 0;
            for (const Cell* cell = bucket.load(std::memory_order_acquire); cell != nullptr;
                 cell = cell->next_in_bucket.load(std::memory_order_acquire))
                ++length;
            longest = std::max(longest, length);
        }
        return longest;
    }

    /// Forgets all cells, keeps their memory.
    /// @param hash_of  The hash of a cell, to find its bucket.
    template <typename HashOf>
    void reset(HashOf&& hash_of) noexcept {
        const std::size_t count = size();
        if (count < buckets_.size() / 4) {
            for (std::uint32_t i = 0; i < count; ++i)
                buckets_[hash_of(cell(i)) & (buckets_.size() - 1)].store(nullptr,
                                                                         std::memory_order_relaxed);
        } else {
            for (auto& bucket : buckets_)
                bucket.store(nullptr, std::memory_order_relaxed);
        }
        count_.store(0, std::memory_order_relaxed);
    }

    /// Makes as many buckets as there are cells, or a few more. Cells keep address and number.
    template <typename HashOf>
    void rehash(HashOf&& hash_of) {
        std::vector<std::atomic<Cell*>> buckets(std::bit_ceil(2 * size() + kMinimumBuckets));
        buckets_.swap(buckets);
        for (const std::atomic<Cell*>& old : buckets)
            for (Cell* cell = old.load(std::memory_order_relaxed); cell != nullptr;) {
                Cell* const next = cell->next_in_bucket.load(std::memory_order_relaxed);
                auto& bucket = buckets_[hash_of(*cell) & (buckets_.size() - 1)];
                cell->next_in_bucket.store(bucket.load(std::memory_order_relaxed),
                                           std::memory_order_relaxed);
                bucket.store(cell, std::memory_order_relaxed);
                cell = next;
            }
    }

private:
    static constexpr std::size_t kMinimumBuckets = 4096;
    static constexpr std::size_t kChunk = 1024;
    static constexpr std::size_t kAhead = 2;  // cells ahead of a new one that are fetched
    static constexpr std::size_t kMaxCells = std::size_t{1} << 25;
    static constexpr std::size_t kMaxChunks = kMaxCells / kChunk;

    template <typename Matches>
    [[nodiscard]] static Cell* search(Cell* from, const Cell* until, Matches& matches) noexcept {
        for (Cell* cell = from; cell != until;
             cell = cell->next_in_bucket.load(std::memory_order_acquire))
            if (matches(*cell)) return cell;
        return nullptr;
    }

    [[nodiscard]] Cell& cell(std::uint32_t number) noexcept {
        return chunks_[number / kChunk].load(std::memory_order_acquire)[number % kChunk];
    }

    [[nodiscard]] Cell& allocate() {
        const std::size_t number = count_.fetch_add(1, std::memory_order_relaxed);
        HEDDLE_ASSERT(number < kMaxCells);
        std::atomic<Cell*>& chunk = chunks_[number / kChunk];
        if (chunk.load(std::memory_order_acquire) == nullptr) {
            const std::lock_guard guard(chunks_mutex_);
            if (chunk.load(std::memory_order_relaxed) == nullptr)
                chunk.store(new Cell[kChunk], std::memory_order_release);
        }
        Cell& cell = chunk.load(std::memory_order_acquire)[number % kChunk];
        prefetch_for_write(&cell + kAhead);
        cell.number = static_cast<std::uint32_t>(number);
        return cell;
    }

    std::vector<std::atomic<Cell*>> buckets_;
    std::vector<std::atomic<Cell*>> chunks_;
    std::mutex chunks_mutex_;
    /// On a line of its own: it changes with every new cell, what is above is read with every
    /// search.
    alignas(64) std::atomic<std::size_t> count_{0};
};

}  // namespace heddle::executor
