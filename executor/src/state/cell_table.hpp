// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A hash table of cells that many threads read and add to at once without locks, and that grows
// while they do. Cells are taken out only while nobody else looks.
//
// It is a row of tables, each several times as large as the one before, made when they are needed.
// A table has buckets of two cache lines, and a line eight words. The hash of a key names one line
// in each table. The words of that line and of the other one of the bucket, from the first table
// on, are the key's path.
//
//   word   event                                                       next   who
//   empty  a cell whose path leads here is put in: compare-exchange    cell   any
//   cell   sweep(), reset(), while nobody else looks                   empty  the one
//
// A cell is put into the first empty word of its path, after it is filled (release), and is found
// through loads (acquire): whoever finds it sees it filled. Nothing is taken out meanwhile, so what
// stands before the first empty word of a path is all that will ever stand there, and two who look
// for one key meet at the same word: one of them fails, and finds there what the other has put in.
// So nobody waits for anybody, and no cell moves.
//
// A word has half of the cell's hash and its number. So a search looks at no cell but the one that
// it is for: of many cells hardly any is in a cache of the processor.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <types/assert.hpp>

#include "workers/atomics.hpp"
#include "workers/prefetch.hpp"

namespace heddle::executor {

/// Sizes of a table's pieces, all powers of two.
struct CellTableSizes {
    std::size_t first_buckets = 512;  // of the first table of the row
    std::size_t growth = 4;           // so many times as large as the one before is each other
    std::size_t chunk_cells = 1024;   // made at once
    std::size_t group_chunks = 4096;
    std::size_t groups = 1024;
};

/// Cell: with `std::uint32_t number`, dense from 0, which is the table's.
///
/// Thread safety: find_or_insert() and the counts by any number of threads; everything else by one
/// alone.
/// Invariants: 1. no empty word stands before a cell on its path; 2. a cell that is found stays
/// until reset() or sweep().
template <typename Atomics, typename Cell, CellTableSizes kSizes = CellTableSizes{}>
class BasicCellTable {
public:
    static constexpr std::size_t kChunkCells = kSizes.chunk_cells;

    BasicCellTable() : groups_(kSizes.groups) { (void)table(0); }
    ~BasicCellTable() {
        free_chunks(0);
        for (auto& group : groups_)
            delete group.load(std::memory_order_relaxed);
        for (auto& table : tables_)
            delete[] table.load(std::memory_order_relaxed);
    }
    BasicCellTable(const BasicCellTable&) = delete;
    BasicCellTable& operator=(const BasicCellTable&) = delete;

    /// @param hash     All bits uniform; the low 32 are used.
    /// @param matches  Whether a cell is the one looked for.
    /// @param fill     Makes a fresh or used cell the one looked for; called at most once.
    /// Complexity: logarithmic, to the base kSizes.growth, in the words, and constant on average in
    ///     the cells that are looked at, whatever was there before.
    template <typename Matches, typename Fill>
    [[nodiscard]] Cell& find_or_insert(std::uint64_t hash, Matches&& matches, Fill&& fill) {
        const auto bits = static_cast<std::uint32_t>(hash);
        fetch_path(bits);
        Cell* fresh = nullptr;
        for (std::size_t i = 0;; ++i) {
            Bucket& bucket = bucket_of(table(i), i, bits);
            for (std::size_t step = 0; step < kWords; ++step) {
                Word& word = bucket.at(bits, step);
                Entry entry = word.load(std::memory_order_acquire);
                while (entry == kEmpty) {
                    if (fresh == nullptr) {
                        fresh = &allocate();
                        fill(*fresh);
                    }
                    if (!word.compare_exchange_weak(entry, entry_of(bits, *fresh),
                                                    std::memory_order_release,
                                                    std::memory_order_acquire))
                        continue;
                    note_use(i);
                    return *fresh;
                }
                // Where it is found now, the fresh one keeps its number and stays unused.
                if (is_of(entry, bits) && matches(std::as_const(cell_of(entry))))
                    return cell_of(entry);
            }
        }
    }

    /// The cell that find_or_insert() would give back if it is there, else null.
    template <typename Matches>
    [[nodiscard]] Cell* find(std::uint64_t hash, Matches&& matches) {
        const auto bits = static_cast<std::uint32_t>(hash);
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            Bucket* const made = tables_[i].load(std::memory_order_acquire);
            if (made == nullptr) return nullptr;
            const Bucket& bucket = bucket_of(made, i, bits);
            for (std::size_t step = 0; step < kWords; ++step) {
                const Entry entry = bucket.at(bits, step).load(std::memory_order_acquire);
                if (entry == kEmpty) return nullptr;
                if (is_of(entry, bits) && matches(std::as_const(cell_of(entry))))
                    return &cell_of(entry);
            }
        }
        return nullptr;
    }

    /// Cells in the table, some of which may have turned out to be superfluous.
    [[nodiscard]] std::size_t size() const noexcept {
        const std::size_t free = free_count_.load(std::memory_order_relaxed);
        const std::size_t used = std::min(free_taken_.load(std::memory_order_relaxed), free);
        return count_.load(std::memory_order_relaxed) - (free - used);
    }
    /// Words of the tables that have cells.
    [[nodiscard]] std::size_t word_count() const noexcept {
        std::size_t count = 0;
        for (std::size_t i = 0; i < used_.load(std::memory_order_relaxed); ++i)
            count += buckets_of(i) * kWords;
        return count;
    }
    /// The most words that a search looks at.
    [[nodiscard]] std::size_t longest_path() const noexcept {
        return used_.load(std::memory_order_relaxed) * kWords;
    }
    /// Cells that there is memory for.
    [[nodiscard]] std::size_t cell_capacity() const noexcept {
        return chunk_count_.load(std::memory_order_relaxed) * kSizes.chunk_cells;
    }
    /// Memory held for cells and tables, used or not.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        std::size_t buckets = 0;
        for (std::size_t i = 0; i < made_.load(std::memory_order_relaxed); ++i)
            buckets += buckets_of(i);
        return cell_capacity() * sizeof(Cell) + buckets * sizeof(Bucket);
    }

    /// Forgets all cells. Memory of more than `kept_cells` cells, and of the tables for them, is
    /// given back.
    void reset(std::size_t kept_cells) noexcept {
        if (count_.load(std::memory_order_relaxed) == 0) return;
        free_chunks((kept_cells + kSizes.chunk_cells - 1) / kSizes.chunk_cells);
        clear_tables();
        free_tables(kept_cells);
        count_.store(0, std::memory_order_relaxed);
        std::vector<Cell*>{}.swap(free_);
        free_count_.store(0, std::memory_order_relaxed);
        free_taken_.store(0, std::memory_order_relaxed);
    }

    /// Takes out the cells that are not `is_kept(cell)`. Others keep address and number; those of
    /// the cells taken out are used again.
    ///
    /// Complexity: linear in cells and words; cells are looked at once, as they lie in memory.
    template <typename IsKept>
    void sweep(IsKept&& is_kept) {
        free_.clear();
        const std::size_t count = count_.load(std::memory_order_relaxed);
        std::vector<bool> kept(count);
        for (std::size_t number = 0; number < count; ++number) {
            Cell& cell = cell_at(number);
            kept[number] = is_kept(std::as_const(cell));
            if (!kept[number]) free_.push_back(&cell);
        }
        free_count_.store(free_.size(), std::memory_order_relaxed);
        free_taken_.store(0, std::memory_order_relaxed);
        // One that goes leaves a gap on the paths of others: all are put in anew.
        std::vector<Entry> entries;
        entries.reserve(count - free_.size());
        for_each_entry([&](Entry entry) {
            if (kept[number_of(entry)]) entries.push_back(entry);
        });
        clear_tables();
        for (const Entry entry : entries)
            put_in_again(entry);
    }

private:
    template <typename T>
    using Atomic = typename Atomics::template Atomic<T>;
    /// The hash's low 32 bits, and below them the cell's number and one.
    using Entry = std::uint64_t;
    using Word = Atomic<Entry>;
    static constexpr Entry kEmpty = 0;
    static constexpr std::size_t kWords = 16;  // of a bucket
    struct alignas(2 * kCacheLine) Bucket {
        std::array<Word, kWords> words;

        /// What a path comes to after so many others: it begins at one line or at the other.
        [[nodiscard]] Word& at(std::uint32_t bits, std::size_t step) noexcept {
            return words[(bits >> 31) * (kWords / 2) ^ step];
        }
        [[nodiscard]] const Word& at(std::uint32_t bits, std::size_t step) const noexcept {
            return words[(bits >> 31) * (kWords / 2) ^ step];
        }
    };
    using Group = std::array<Atomic<Cell*>, kSizes.group_chunks>;

    /// More than any memory has room for.
    static constexpr std::size_t kTables = 11;
    static constexpr std::size_t kAhead = 2;  // cells ahead of a new one that are fetched

    [[nodiscard]] static Entry entry_of(std::uint32_t bits, const Cell& cell) noexcept {
        return Entry{bits} << 32 | (cell.number + 1);
    }
    [[nodiscard]] static bool is_of(Entry entry, std::uint32_t bits) noexcept {
        return entry >> 32 == bits;
    }
    [[nodiscard]] static std::size_t number_of(Entry entry) noexcept {
        return (entry & 0xffff'ffff) - 1;
    }
    [[nodiscard]] static constexpr std::size_t buckets_of(std::size_t table) noexcept {
        return kSizes.first_buckets << (table * std::countr_zero(kSizes.growth));
    }
    [[nodiscard]] static Bucket& bucket_of(Bucket* buckets, std::size_t table,
                                           std::uint32_t bits) noexcept {
        return buckets[bits & (buckets_of(table) - 1)];
    }

    /// Lines of the path that are far away are asked for all at once. A hint.
    void fetch_path(std::uint32_t bits) const noexcept {
        const std::size_t used = used_.load(std::memory_order_acquire);
        for (std::size_t i = 1; i < used; ++i)
            prefetch_for_read(&bucket_of(tables_[i].load(std::memory_order_relaxed), i, bits));
    }

    [[nodiscard]] Bucket* table(std::size_t index) {
        HEDDLE_ASSERT(index < kTables);
        Bucket* made = tables_[index].load(std::memory_order_acquire);
        while (made == nullptr) {
            auto* const fresh = new Bucket[buckets_of(index)];
            if (tables_[index].compare_exchange_weak(made, fresh, std::memory_order_release,
                                                     std::memory_order_acquire)) {
                made_.fetch_add(1, std::memory_order_relaxed);
                return fresh;
            }
            delete[] fresh;  // another one was faster
        }
        return made;
    }
    /// The table has a cell. Those before it have, too. (Release pairs with fetch_path().)
    void note_use(std::size_t table) noexcept {
        std::size_t used = used_.load(std::memory_order_relaxed);
        while (used <= table &&
               !used_.compare_exchange_weak(used, table + 1, std::memory_order_release,
                                            std::memory_order_relaxed)) {
        }
    }

    template <typename Visit>
    void for_each_entry(Visit&& visit) {
        for (std::size_t i = 0; i < used_.load(std::memory_order_relaxed); ++i) {
            Bucket* const buckets = tables_[i].load(std::memory_order_relaxed);
            for (std::size_t b = 0; b < buckets_of(i); ++b)
                for (Word& word : buckets[b].words) {
                    const Entry entry = word.load(std::memory_order_relaxed);
                    if (entry != kEmpty) visit(entry);
                }
        }
    }
    void clear_tables() noexcept {
        for (std::size_t i = 0; i < used_.load(std::memory_order_relaxed); ++i) {
            Bucket* const buckets = tables_[i].load(std::memory_order_relaxed);
            for (std::size_t b = 0; b < buckets_of(i); ++b)
                for (Word& word : buckets[b].words)
                    word.store(kEmpty, std::memory_order_relaxed);
        }
        used_.store(0, std::memory_order_relaxed);
    }
    /// Gives back those that are wanted for more cells than `kept_cells`. They are empty.
    void free_tables(std::size_t kept_cells) noexcept {
        std::size_t words = kWords * buckets_of(0);
        for (std::size_t i = 1; i < made_.load(std::memory_order_relaxed); ++i) {
            if (words >= kept_cells)
                delete[] tables_[i].exchange(nullptr, std::memory_order_relaxed);
            words += kWords * buckets_of(i);
        }
        std::size_t made = 1;
        while (made < kTables && tables_[made].load(std::memory_order_relaxed) != nullptr)
            ++made;
        made_.store(made, std::memory_order_relaxed);
    }
    /// Nobody else looks, and it is not there.
    void put_in_again(Entry entry) {
        const auto bits = static_cast<std::uint32_t>(entry >> 32);
        for (std::size_t i = 0;; ++i) {
            Bucket& bucket = bucket_of(table(i), i, bits);
            for (std::size_t step = 0; step < kWords; ++step) {
                Word& word = bucket.at(bits, step);
                if (word.load(std::memory_order_relaxed) != kEmpty) continue;
                word.store(entry, std::memory_order_relaxed);
                note_use(i);
                return;
            }
        }
    }

    [[nodiscard]] Cell& allocate() {
        const std::size_t free = free_count_.load(std::memory_order_relaxed);
        if (free_taken_.load(std::memory_order_relaxed) < free) {
            const std::size_t i = free_taken_.fetch_add(1, std::memory_order_relaxed);
            if (i < free) return *free_[free - 1 - i];
        }
        const std::size_t number = count_.fetch_add(1, std::memory_order_relaxed);
        Cell* const chunk = this->chunk(number / kSizes.chunk_cells);
        Cell& cell = chunk[number % kSizes.chunk_cells];
        prefetch_for_write(&cell + kAhead);
        cell.number = static_cast<std::uint32_t>(number);
        return cell;
    }

    /// Whoever knows the number of a cell has found it, or made it.
    [[nodiscard]] Cell& cell_at(std::size_t number) const noexcept {
        const std::size_t chunk = number / kSizes.chunk_cells;
        const Group* const group =
            groups_[chunk / kSizes.group_chunks].load(std::memory_order_relaxed);
        return (*group)[chunk % kSizes.group_chunks].load(
            std::memory_order_relaxed)[number % kSizes.chunk_cells];
    }
    [[nodiscard]] Cell& cell_of(Entry entry) const noexcept { return cell_at(number_of(entry)); }

    [[nodiscard]] Cell* chunk(std::size_t index) {
        // That many cells are more than any memory.
        HEDDLE_ASSERT(index < kSizes.groups * kSizes.group_chunks);
        Atomic<Group*>& slot = groups_[index / kSizes.group_chunks];
        Group* group = slot.load(std::memory_order_acquire);
        while (group == nullptr) {
            auto* const fresh = new Group{};
            if (slot.compare_exchange_weak(group, fresh, std::memory_order_release,
                                           std::memory_order_acquire))
                group = fresh;
            else
                delete fresh;
        }
        Atomic<Cell*>& place = (*group)[index % kSizes.group_chunks];
        Cell* cells = place.load(std::memory_order_acquire);
        while (cells == nullptr) {
            auto* const fresh = new Cell[kSizes.chunk_cells];
            if (place.compare_exchange_weak(cells, fresh, std::memory_order_release,
                                            std::memory_order_acquire)) {
                chunk_count_.fetch_add(1, std::memory_order_relaxed);
                cells = fresh;
            } else {
                delete[] fresh;
            }
        }
        return cells;
    }

    /// Gives back all chunks from number `kept` on. There are no gaps while nobody adds.
    void free_chunks(std::size_t kept) noexcept {
        for (std::size_t i = kept; i < kSizes.groups * kSizes.group_chunks; ++i) {
            Group* const group = groups_[i / kSizes.group_chunks].load(std::memory_order_relaxed);
            if (group == nullptr) return;
            Atomic<Cell*>& place = (*group)[i % kSizes.group_chunks];
            Cell* const cells = place.load(std::memory_order_relaxed);
            if (cells == nullptr) return;
            delete[] cells;
            place.store(nullptr, std::memory_order_relaxed);
            chunk_count_.fetch_sub(1, std::memory_order_relaxed);
        }
    }

    std::array<Atomic<Bucket*>, kTables> tables_{};
    std::vector<Atomic<Group*>> groups_;
    std::vector<Cell*> free_;  // changes only while nobody else looks; taken from the end
    Atomic<std::size_t> free_count_{0};
    Atomic<std::size_t> made_{0};  // tables that there is memory for: the first ones of the row
    Atomic<std::size_t> used_{0};  // and that have cells
    Atomic<std::size_t> chunk_count_{0};
    /// On a line of their own: they change with every new cell, what is above is read with every
    /// search.
    alignas(kCacheLine) Atomic<std::size_t> count_{0};
    Atomic<std::size_t> free_taken_{0};
};

template <typename Cell>
using CellTable = BasicCellTable<StandardAtomics, Cell>;

}  // namespace heddle::executor
