// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of cells under every interleaving of small cases: the same cell for the same key, found
// by everybody, while doors are made where cells are put in.
#include "state/cell_table.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomics;

struct alignas(64) Cell {
    std::uint32_t key = 0;
    std::uint32_t number = 0;
    std::uint32_t order = 0;
    ExploredAtomics::Atomic<CellStep> next_in_list{0};
};

/// One door at first, a second one with the second cell, four with the third.
constexpr CellTableSizes kSmall{.first_doors = 1,
                                .page_doors = 4,
                                .pages = 1,
                                .chunk_cells = 8,
                                .group_chunks = 1,
                                .groups = 1};
using Table = BasicCellTable<ExploredAtomics, Cell, kSmall>;

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    does_not_look_again,  // what failed to be put in is put in behind what was faster
    opens_before_linked,  // a door is open as soon as it knows what is behind it
};

/// The list and the second door of BasicCellTable once more, with a flaw. Keys are in the order of
/// the list; the door stands before kDoorKey.
template <Flaw kFlaw>
class FlawedTable {
public:
    static constexpr std::uint32_t kDoorKey = 4;

    FlawedTable() {
        static_cast<void>(find(1));
        static_cast<void>(find(6));
        with_door_ = true;
    }

    Cell& find(std::uint32_t key) {
        Place place = seek(key >= kDoorKey && with_door_ ? open() : first_, key);
        if (place.found != nullptr) return *place.found;
        Cell& cell = cells_[count_.fetch_add(1)];
        cell.key = key;
        for (;;) {
            cell.next_in_list.store(place.word & ~kClosed);
            if (put(reinterpret_cast<CellStep>(&cell), place)) return cell;
            place = seek(*place.before, key);
            if (place.found != nullptr && kFlaw != Flaw::does_not_look_again) return *place.found;
        }
    }

private:
    using Word = ExploredAtomics::Atomic<CellStep>;
    static constexpr CellStep kDoor = 1;
    static constexpr CellStep kClosed = 2;
    static constexpr CellStep kClaimed = kClosed | 4;
    static constexpr CellStep kEnd = ~kClosed;
    struct Place {
        Cell* found = nullptr;
        Word* before = nullptr;
        CellStep word = 0;
    };

    static Cell& cell_at(CellStep step) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr,clang-analyzer-core.*): as in the table
        return *reinterpret_cast<Cell*>(step);
    }
    /// Twice the key, one more for a cell: a door comes before the cell with its key.
    static std::uint32_t rank_of(CellStep step) {
        if (step == kEnd) return ~std::uint32_t{0};
        return step == kDoor ? 2 * kDoorKey : 2 * cell_at(step).key + 1;
    }
    Place seek(Word& from, std::uint32_t key, bool is_door = false) {
        const std::uint32_t rank = 2 * key + (is_door ? 0 : 1);
        for (Word* before = &from;;) {
            const CellStep word = before->load();
            const CellStep step = word & ~kClosed;
            if (rank_of(step) > rank) return {nullptr, before, word};
            if (rank_of(step) == rank) return {&cell_at(step), before, word};
            before = step == kDoor ? &door_ : &cell_at(step).next_in_list;
        }
    }
    static bool put(CellStep step, Place& place) {
        return place.before->compare_exchange_weak(place.word, step | (place.word & kClosed));
    }
    Word& open() {
        CellStep state = door_.load();
        if ((state & kClosed) == 0) return door_;
        if (state != kClosed || !door_.compare_exchange_weak(state, kClaimed)) return first_;
        const CellStep closed = kFlaw == Flaw::opens_before_linked ? 0 : kClosed;
        Place place = seek(first_, kDoorKey, true);
        for (;;) {
            door_.store(place.word | closed);
            if (put(kDoor, place)) break;
            place = seek(*place.before, kDoorKey, true);
        }
        CellStep step = door_.load();
        while (!door_.compare_exchange_weak(step, step & ~kClosed)) {
        }
        return door_;
    }

    Word first_{kEnd};
    Word door_{kClosed};
    ExploredAtomics::Atomic<std::uint32_t> count_{0};
    std::array<Cell, 8> cells_;
    bool with_door_ = false;
};

/// Threads that each look for some keys, one after the other; what they find is compared then.
template <typename Find>
class SearchCase final : public Case {
public:
    using Keys = std::vector<std::uint32_t>;
    SearchCase(std::unique_ptr<Find> find, std::vector<Keys> keys)
        : find_(std::move(find)), keys_(std::move(keys)), found_(keys_.size()) {
        for (std::size_t i = 0; i < keys_.size(); ++i)
            found_[i].resize(keys_[i].size());
    }
    std::vector<Thread> threads() override {
        static constexpr std::array kNames{"first", "second", "third"};
        std::vector<Thread> result;
        for (std::size_t i = 0; i < keys_.size(); ++i)
            result.push_back({kNames[i], [this, i] {
                                  for (std::size_t j = 0; j < keys_[i].size(); ++j)
                                      found_[i][j] = &(*find_)(keys_[i][j]);
                              }});
        return result;
    }
    void at_end() override {
        for (std::size_t i = 0; i < keys_.size(); ++i)
            for (std::size_t j = 0; j < keys_[i].size(); ++j) {
                test::expect(found_[i][j]->key == keys_[i][j], "another key's cell is found");
                test::expect(&(*find_)(keys_[i][j]) == found_[i][j],
                             "a key has two cells, or its cell is lost");
            }
    }

private:
    std::unique_ptr<Find> find_;
    std::vector<Keys> keys_;
    std::vector<std::vector<Cell*>> found_;
};

/// Keys are their own hashes.
struct FindInTable {
    Table table;
    explicit FindInTable(const std::vector<std::uint32_t>& there) {
        for (const std::uint32_t key : there)
            static_cast<void>((*this)(key));
    }
    Cell& operator()(std::uint32_t key) {
        return table.find_or_insert(
            // NOLINTNEXTLINE(clang-analyzer-core.*): a step that is a cell is the address of one
            key, [&](const Cell& cell) { return cell.key == key; },
            [&](Cell& cell) { cell.key = key; });
    }
};
template <Flaw kFlaw>
struct FindInFlawed {
    FlawedTable<kFlaw> table;
    Cell& operator()(std::uint32_t key) { return table.find(key); }
};

using Keys = std::vector<std::uint32_t>;

test::MakeCase table_case(const Keys& there, const std::vector<Keys>& keys) {
    return [=] {
        return std::make_unique<SearchCase<FindInTable>>(std::make_unique<FindInTable>(there),
                                                         keys);
    };
}
template <Flaw kFlaw>
Exploration explore_flawed(const std::vector<Keys>& keys) {
    return test::explore_bounded(
        [=] {
            return std::make_unique<SearchCase<FindInFlawed<kFlaw>>>(
                std::make_unique<FindInFlawed<kFlaw>>(), keys);
        },
        2);
}
const std::vector<Keys> kTwoAtTheDoor{{5}, {5}};
const std::vector<Keys> kThreeAtTheDoor{{5}, {5}, {2}};

TEST(CellTableSchedules, two_that_look_for_one_key_get_one_cell) {
    // No cell yet; none behind the door; one on each side of the place.
    for (const Keys& there : {Keys{}, Keys{2}, Keys{4, 3}})
        expect_holds(test::explore_bounded(table_case(there, {{1}, {1}}), 2));
}

TEST(CellTableSchedules, neighbours_in_the_list_are_put_in_at_once) {
    // 1 and 5 end in the same bits; 3 stands between 1 and the end.
    expect_holds(test::explore_bounded(table_case({2}, {{1, 3}, {5, 1}}), 1));
}

TEST(CellTableSchedules, a_door_is_made_while_others_go_in_and_are_put_in_behind_it) {
    // Two cells are there, so there are two doors, the second one not made: odd keys want it.
    expect_holds(test::explore_bounded(table_case({2, 3}, {{5}, {1}}), 2));
    expect_holds(test::explore_bounded(table_case({2, 3}, {{5}, {1}, {5}}), 1));
}

TEST(CellTableSchedules, random_schedules_in_which_the_table_grows_hold) {
    const std::uint64_t seed = test::announced_seed();
    expect_holds(test::explore_randomly(table_case({6}, {{2, 5}, {3, 2}}), seed, 20'000));
    expect_holds(
        test::explore_randomly(table_case({4}, {{1, 3, 7}, {7, 5, 1}, {3, 1, 5}}), seed, 20'000));
}

TEST(CellTableSchedules, model_of_the_table_without_flaw_holds) {
    expect_holds(explore_flawed<Flaw::none>(kTwoAtTheDoor));
    expect_holds(explore_flawed<Flaw::none>(kThreeAtTheDoor));
}

TEST(CellTableSchedules, not_looking_again_is_found) {
    expect_found(explore_flawed<Flaw::does_not_look_again>(kTwoAtTheDoor), "a key has two cells");
}

TEST(CellTableSchedules, opening_a_door_before_it_is_in_the_list_is_found) {
    expect_found(explore_flawed<Flaw::opens_before_linked>(kThreeAtTheDoor), "a key has two cells");
}

}  // namespace
}  // namespace heddle::executor
