// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A hash table of cells that many threads read and add to at once without locks, and that grows
// while they do. Single cells are taken out only while nobody else looks.
//
// All cells are in one list, in the order of their hashes read from the last bit to the first. A
// door is a place in that list for those who look for a certain ending of the hash: door d of 2^k
// stands before all cells whose hashes end in the k bits of d. With twice as many doors, those that
// are there stay where they are, and each new one opens in the middle of the stretch of cells
// behind the door without the first bit; no cell ever moves. (Shalev and Shavit, "Split-ordered
// lists", 2003.)
//
// A word of the list is one step: the address of a cell, the number of a door, or the end. What is
// behind a cell is in the cell, what is behind a door is in the door.
//
//   word of a door  event                                              next          who
//   unmade          somebody wants to go through: compare-exchange     claimed       any
//   claimed         its place is found, the next step is stored        closed(next)  the claimer
//   closed(next)    it could not be put in there, but at another place closed(next') the claimer
//   closed(next)    it is put in: its number in the word before it     closed(next)  the claimer
//   closed(next)    something is put in behind it                      closed(new)   any
//   closed(next)    it is in the list                                  open(next)    the claimer
//   open(next)      something is put in behind it                      open(new)     any
//
//   word of a cell  event                                              next          who
//   next            something is put in behind it                      new           any
//
// Everything is put in by compare-exchange (release) on the word before it, after it has got its
// own next step, and found through loads (acquire): whoever finds it sees it filled. Nobody goes in
// through a door that is not open, as it may not be in the list yet; the door before it serves as
// well and is only further away. So nobody waits for anybody. The place of a key is behind the last
// thing that is not greater, and two who look for it meet at the same word: one of them fails,
// looks again from that word on, which is still in the list, and finds what the other has put in.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <types/assert.hpp>

#include "workers/atomics.hpp"
#include "workers/prefetch.hpp"

namespace heddle::executor {

/// One step in the list of a table.
using CellStep = std::uintptr_t;

/// Sizes of a table's pieces, all powers of two.
struct CellTableSizes {
    std::size_t first_doors = 4096;  // open from the start; at most those of a page
    std::size_t page_doors = 4096;   // made at once
    std::size_t pages = 8192;        // with all of them made, stretches get longer
    std::size_t chunk_cells = 1024;  // made at once
    std::size_t group_chunks = 4096;
    std::size_t groups = 1024;
};

/// Cell: aligned to 8 bytes or more, with `Atomic<CellStep> next_in_list`, `std::uint32_t order`,
/// which are the table's, and `std::uint32_t number`, dense from 0.
///
/// Thread safety: find_or_insert() and the counts by any number of threads; everything else by one
/// alone.
/// Invariants: 1. the list is ascending by key; 2. a door in it stands before all cells that end in
/// its bits; 3. a cell that is found stays until reset() or sweep().
template <typename Atomics, typename Cell, CellTableSizes kSizes = CellTableSizes{}>
class BasicCellTable {
public:
    BasicCellTable() : pages_(kSizes.pages), groups_(kSizes.groups) {
        page(0);
        close_doors(0);
    }
    ~BasicCellTable() {
        free_chunks(0);
        for (auto& group : groups_)
            delete group.load(std::memory_order_relaxed);
        for (auto& page : pages_)
            delete page.load(std::memory_order_relaxed);
    }
    BasicCellTable(const BasicCellTable&) = delete;
    BasicCellTable& operator=(const BasicCellTable&) = delete;

    /// @param hash     All bits uniform; the low 32 are used.
    /// @param matches  Whether a cell is the one looked for.
    /// @param fill     Makes a fresh or used cell the one looked for; called at most once.
    /// Complexity: constant on average, whatever was there before.
    template <typename Matches, typename Fill>
    [[nodiscard]] Cell& find_or_insert(std::uint64_t hash, Matches&& matches, Fill&& fill) {
        const auto bits = static_cast<std::uint32_t>(hash);
        const std::uint32_t door = bits & (doors_.load(std::memory_order_relaxed) - 1);
        // Nearly always it is behind its door, and the order does not matter.
        if (Page* const page = pages_[door / kSizes.page_doors].load(std::memory_order_acquire)) {
            CellStep step = (*page)[door % kSizes.page_doors].load(std::memory_order_acquire);
            while (is_cell(step)) {
                Cell& cell = cell_at(step);
                if (matches(cell)) return cell;
                step = cell.next_in_list.load(std::memory_order_acquire);
            }
        }
        return insert(bits, door, matches, fill);
    }

    /// The cell that find_or_insert() would give back if it is there, else null.
    template <typename Matches>
    [[nodiscard]] Cell* find(std::uint64_t hash, Matches&& matches) {
        const auto bits = static_cast<std::uint32_t>(hash);
        const std::uint32_t door = bits & (doors_.load(std::memory_order_relaxed) - 1);
        return seek(open(door), cell_key(reversed(bits)), matches).found;
    }

    /// Cells in the table, some of which may have turned out to be superfluous.
    [[nodiscard]] std::size_t size() const noexcept {
        const std::size_t free = free_count_.load(std::memory_order_relaxed);
        const std::size_t used = std::min(free_taken_.load(std::memory_order_relaxed), free);
        return count_.load(std::memory_order_relaxed) - (free - used);
    }
    [[nodiscard]] std::size_t door_count() const noexcept {
        return doors_.load(std::memory_order_relaxed);
    }
    /// Cells that there is memory for.
    [[nodiscard]] std::size_t cell_capacity() const noexcept {
        return chunk_count_.load(std::memory_order_relaxed) * kSizes.chunk_cells;
    }
    /// Memory held for cells and doors, used or not.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return cell_capacity() * sizeof(Cell) +
               page_count_.load(std::memory_order_relaxed) * sizeof(Page);
    }
    /// Most cells between two things that are not. For tests.
    [[nodiscard]] std::size_t longest_stretch() const noexcept {
        std::size_t longest = 0;
        std::size_t length = 0;
        for (CellStep step = word(0).load(std::memory_order_relaxed); step != kEnd;) {
            length = is_cell(step) ? length + 1 : 0;
            longest = std::max(longest, length);
            step = next_of(step).load(std::memory_order_relaxed) & ~kClosed;
        }
        return longest;
    }

    /// Forgets all cells. Memory of more than `kept_cells` cells, and of the doors for them, is
    /// given back.
    void reset(std::size_t kept_cells) noexcept {
        if (count_.load(std::memory_order_relaxed) == 0) return;
        free_chunks((kept_cells + kSizes.chunk_cells - 1) / kSizes.chunk_cells);
        close_doors(kept_cells);
        count_.store(0, std::memory_order_relaxed);
        free_.clear();
        free_count_.store(0, std::memory_order_relaxed);
        free_taken_.store(0, std::memory_order_relaxed);
    }

    /// Takes out the cells that are not `is_kept(cell)`. Others keep address and number; those of
    /// the cells taken out are used again.
    ///
    /// Complexity: cells are looked at as they lie in memory, and the list only where one goes.
    template <typename IsKept>
    void sweep(IsKept&& is_kept) {
        free_.clear();
        const std::size_t count = count_.load(std::memory_order_relaxed);
        for (std::size_t first = 0; first < count; first += kSizes.chunk_cells) {
            Cell* const cells = chunk(first / kSizes.chunk_cells);
            const std::size_t end = std::min(kSizes.chunk_cells, count - first);
            for (std::size_t i = 0; i < end; ++i) {
                if (is_kept(std::as_const(cells[i]))) continue;
                take_out(cells[i]);
                free_.push_back(&cells[i]);
            }
        }
        free_count_.store(free_.size(), std::memory_order_relaxed);
        free_taken_.store(0, std::memory_order_relaxed);
    }

private:
    template <typename T>
    using Atomic = typename Atomics::template Atomic<T>;
    using Word = Atomic<CellStep>;
    using Page = std::array<Word, kSizes.page_doors>;
    using Group = std::array<Atomic<Cell*>, kSizes.group_chunks>;
    /// Where something stands in the list: hashes from the last bit to the first, with a bit that
    /// puts a door before the cells that end in it.
    using Key = std::uint64_t;

    // The lowest bit tells a door or the end from a cell; the next one, in the word of a door only,
    // that it is not open.
    static constexpr CellStep kClosed = 2;
    static constexpr CellStep kUnmade = kClosed;
    static constexpr CellStep kClaimed = kClosed | 4;
    static constexpr CellStep kEnd = ~kClosed;
    static constexpr std::size_t kAhead = 2;  // cells ahead of a new one that are fetched
    static_assert(alignof(Cell) >= 8 && kSizes.first_doors <= kSizes.page_doors);

    /// Where something belongs.
    struct Place {
        Cell* found = nullptr;   // it is there
        Word* before = nullptr;  // of what it belongs behind
        CellStep word = 0;       // as it was read there
    };

    [[nodiscard]] static bool is_cell(CellStep step) noexcept { return (step & 3) == 0; }
    [[nodiscard]] static Cell& cell_at(CellStep step) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): steps and addresses share one word
        return *reinterpret_cast<Cell*>(step);
    }
    [[nodiscard]] static CellStep step_to(Cell& cell) noexcept {
        return reinterpret_cast<CellStep>(&cell);
    }
    [[nodiscard]] static CellStep step_to(std::uint32_t door) noexcept {
        return CellStep{door} << 2 | 1;
    }
    [[nodiscard]] static std::uint32_t door_at(CellStep step) noexcept {
        return static_cast<std::uint32_t>(step >> 2);
    }
    [[nodiscard]] static std::uint32_t reversed(std::uint32_t bits) noexcept {
        bits = (bits >> 1 & 0x5555'5555) | (bits & 0x5555'5555) << 1;
        bits = (bits >> 2 & 0x3333'3333) | (bits & 0x3333'3333) << 2;
        bits = (bits >> 4 & 0x0f0f'0f0f) | (bits & 0x0f0f'0f0f) << 4;
        return __builtin_bswap32(bits);
    }
    [[nodiscard]] static Key cell_key(std::uint32_t order) noexcept { return Key{order} << 1 | 1; }
    [[nodiscard]] static Key key_of(CellStep step) noexcept {
        if (is_cell(step)) return cell_key(cell_at(step).order);
        return step == kEnd ? ~Key{0} : Key{reversed(door_at(step))} << 1;
    }

    /// Of a door whose page has been made.
    [[nodiscard]] Word& word(std::uint32_t door) const noexcept {
        Page* const page = pages_[door / kSizes.page_doors].load(std::memory_order_acquire);
        return (*page)[door % kSizes.page_doors];
    }
    /// What is behind a door or a cell of the list.
    [[nodiscard]] Word& next_of(CellStep step) const noexcept {
        return is_cell(step) ? cell_at(step).next_in_list : word(door_at(step));
    }
    /// The doors' words in an empty table.
    [[nodiscard]] static const std::vector<CellStep>& first_words() {
        static const std::vector<CellStep> words = [] {
            std::vector<std::pair<Key, std::uint32_t>> order;
            order.reserve(kSizes.first_doors);
            for (std::uint32_t door = 0; door < kSizes.first_doors; ++door)
                order.emplace_back(reversed(door), door);
            std::ranges::sort(order);
            std::vector<CellStep> result(kSizes.page_doors, kUnmade);
            for (std::size_t i = 0; i < order.size(); ++i)
                result[order[i].second] =
                    i + 1 < order.size() ? step_to(order[i + 1].second) : kEnd;
            return result;
        }();
        return words;
    }

    /// @param from  In the list, before the key's place.
    template <typename Matches>
    [[nodiscard]] Place seek(Word& from, Key key, Matches&& matches) const noexcept {
        Word* before = &from;
        for (;;) {
            const CellStep word = before->load(std::memory_order_acquire);
            const CellStep step = word & ~kClosed;
            const Key other = key_of(step);
            if (other > key) return {nullptr, before, word};
            if (other == key && matches(cell_at(step))) return {&cell_at(step), before, word};
            before = &next_of(step);
        }
    }
    /// @return whether it is there now; if not, the place has to be looked for again.
    [[nodiscard]] static bool put(CellStep step, Place& place) noexcept {
        return place.before->compare_exchange_weak(place.word, step | (place.word & kClosed),
                                                   std::memory_order_release,
                                                   std::memory_order_relaxed);
    }

    template <typename Matches, typename Fill>
    [[nodiscard]] Cell& insert(std::uint32_t bits, std::uint32_t door, Matches& matches,
                               Fill& fill) {
        const std::uint32_t order = reversed(bits);
        Place place = seek(open(door), cell_key(order), matches);
        if (place.found != nullptr) return *place.found;
        Cell& cell = allocate();
        fill(cell);
        cell.order = order;
        for (;;) {
            cell.next_in_list.store(place.word & ~kClosed, std::memory_order_relaxed);
            if (put(step_to(cell), place)) break;
            place = seek(*place.before, cell_key(order), matches);
            if (place.found != nullptr) return *place.found;  // keeps its number and stays unused
        }
        // On average one cell behind each door.
        std::uint32_t doors = doors_.load(std::memory_order_relaxed);
        if (cell.number >= doors && doors < kSizes.pages * kSizes.page_doors)
            doors_.compare_exchange_weak(doors, 2 * doors, std::memory_order_relaxed,
                                         std::memory_order_relaxed);
        return cell;
    }

    /// Makes the door if nobody has. @return where to go in for it: its word, or that of one
    /// before.
    [[nodiscard]] Word& open(std::uint32_t door) {
        Word& mine = page(door / kSizes.page_doors)[door % kSizes.page_doors];
        CellStep state = mine.load(std::memory_order_acquire);
        if ((state & kClosed) == 0) return mine;
        // Door 0 is always open, so this comes to an end.
        Word& earlier = open(door ^ std::bit_floor(door));
        if (state != kUnmade ||
            !mine.compare_exchange_weak(state, kClaimed, std::memory_order_relaxed,
                                        std::memory_order_relaxed))
            return earlier;
        const Key key = Key{reversed(door)} << 1;
        const auto never = [](const Cell&) { return false; };
        Place place = seek(earlier, key, never);
        for (;;) {
            mine.store(place.word | kClosed, std::memory_order_relaxed);
            if (put(step_to(door), place)) break;
            place = seek(*place.before, key, never);
        }
        CellStep step = mine.load(std::memory_order_relaxed);
        while (!mine.compare_exchange_weak(step, step & ~kClosed, std::memory_order_release,
                                           std::memory_order_relaxed)) {
        }
        return mine;
    }

    /// Nothing happens where it is not in the list. Nobody else looks.
    void take_out(Cell& cell) {
        const std::uint32_t door =
            reversed(cell.order) & (doors_.load(std::memory_order_relaxed) - 1);
        const auto is_it = [&cell](const Cell& other) { return &other == &cell; };
        const Place place = seek(open(door), cell_key(cell.order), is_it);
        if (place.found == nullptr) return;
        const CellStep next = cell.next_in_list.load(std::memory_order_relaxed);
        place.before->store(next | (place.word & kClosed), std::memory_order_relaxed);
    }

    Page& page(std::size_t number) {
        Page* made = pages_[number].load(std::memory_order_acquire);
        while (made == nullptr) {
            auto* const fresh = new Page;
            for (Word& unmade : *fresh)
                unmade.store(kUnmade, std::memory_order_relaxed);
            if (pages_[number].compare_exchange_weak(made, fresh, std::memory_order_release,
                                                     std::memory_order_acquire)) {
                page_count_.fetch_add(1, std::memory_order_relaxed);
                return *fresh;
            }
            delete fresh;  // another one was faster
        }
        return *made;
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

    /// Back to the first doors, with nothing behind them.
    void close_doors(std::size_t kept_cells) noexcept {
        const std::size_t used = doors_.load(std::memory_order_relaxed) / kSizes.page_doors;
        for (std::size_t i = 1; i < used; ++i) {
            Page* const made = pages_[i].load(std::memory_order_relaxed);
            if (made == nullptr) continue;
            if (i * kSizes.page_doors >= kept_cells) {
                delete made;
                pages_[i].store(nullptr, std::memory_order_relaxed);
                page_count_.fetch_sub(1, std::memory_order_relaxed);
            } else {
                for (Word& word : *made)
                    word.store(kUnmade, std::memory_order_relaxed);
            }
        }
        Page& first = page(0);
        const std::vector<CellStep>& open = first_words();
        for (std::size_t door = 0; door < first.size(); ++door)
            first[door].store(open[door], std::memory_order_relaxed);
        doors_.store(static_cast<std::uint32_t>(kSizes.first_doors), std::memory_order_relaxed);
    }

    std::vector<Atomic<Page*>> pages_;
    std::vector<Atomic<Group*>> groups_;
    std::vector<Cell*> free_;  // changes only while nobody else looks; taken from the end
    Atomic<std::size_t> free_count_{0};
    Atomic<std::uint32_t> doors_{static_cast<std::uint32_t>(kSizes.first_doors)};
    Atomic<std::size_t> page_count_{0};
    Atomic<std::size_t> chunk_count_{0};
    /// On a line of their own: they change with every new cell, what is above is read with every
    /// search.
    alignas(64) Atomic<std::size_t> count_{0};
    Atomic<std::size_t> free_taken_{0};
};

template <typename Cell>
using CellTable = BasicCellTable<StandardAtomics, Cell>;

}  // namespace heddle::executor
