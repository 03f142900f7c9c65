// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of cells under every interleaving of small cases: the same cell for the same key, found
// by everybody, while a bucket fills and the next table is made.
#include "state/cell_table.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
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

struct Cell {
    std::uint32_t key = 0;
    std::uint32_t number = 0;
};

/// Tables of one, two and four buckets, of 16 words each.
constexpr CellTableSizes kSmall{
    .first_buckets = 1, .growth = 2, .chunk_cells = 32, .group_chunks = 1, .groups = 1};
using Table = BasicCellTable<ExploredAtomics, Cell, kSmall>;

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    does_not_look_again,  // what failed to be put in is put into the next word
    is_put_in_unfilled,   // a cell is filled when it can be found already
};

/// The path of one key through two words of BasicCellTable once more, with a flaw.
template <Flaw kFlaw>
class FlawedTable {
public:
    Cell& find(std::uint32_t key) {
        Cell* fresh = nullptr;
        for (auto& word : words_) {
            std::uint32_t entry = word.load();
            while (entry == 0) {
                if (fresh == nullptr) {
                    fresh = &cells_[count_.fetch_add(1)];
                    fresh->number = static_cast<std::uint32_t>(fresh - cells_.data());
                    if (kFlaw != Flaw::is_put_in_unfilled) fresh->key = key;
                }
                if (!word.compare_exchange_weak(entry, fresh->number + 1)) continue;
                if (kFlaw == Flaw::is_put_in_unfilled) {
                    static_cast<void>(count_.load());
                    fresh->key = key;
                }
                return *fresh;
            }
            if (kFlaw == Flaw::does_not_look_again && fresh != nullptr) continue;
            if (cells_[entry - 1].key == key) return cells_[entry - 1];
        }
        return cells_.back();
    }

private:
    std::array<ExploredAtomics::Atomic<std::uint32_t>, 3> words_{};
    ExploredAtomics::Atomic<std::uint32_t> count_{0};
    std::array<Cell, 8> cells_;
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
/// Of keys that fill the first table.
Keys first(std::uint32_t count) {
    Keys keys(count);
    std::iota(keys.begin(), keys.end(), 1U);
    return keys;
}
const Keys kFirstTable = first(16);
const Keys kAllButOne = first(15);

TEST(CellTableSchedules, two_that_look_for_one_key_get_one_cell) {
    for (const Keys& there : {Keys{}, Keys{2}, kAllButOne, kFirstTable})
        expect_holds(test::explore_bounded(table_case(there, {{20}, {20}}), 2));
}

TEST(CellTableSchedules, two_keys_that_want_one_word_are_both_put_in) {
    expect_holds(test::explore_bounded(table_case({2}, {{1, 3}, {5, 1}}), 1));
    expect_holds(test::explore_bounded(table_case({}, {{1}, {5}, {1}}), 1));
}

TEST(CellTableSchedules, the_next_table_is_made_by_two_at_once) {
    expect_holds(test::explore_bounded(table_case(kFirstTable, {{21}, {23}}), 2));
    expect_holds(test::explore_bounded(table_case(kAllButOne, {{21}, {23}, {21}}), 1));
}

TEST(CellTableSchedules, random_schedules_in_which_the_table_grows_hold) {
    const std::uint64_t seed = test::announced_seed();
    expect_holds(
        test::explore_randomly(table_case(kAllButOne, {{21, 24}, {24, 21}}), seed, 20'000));
    expect_holds(test::explore_randomly(
        table_case(kAllButOne, {{21, 23, 24}, {24, 23, 21}, {23, 21, 25}}), seed, 20'000));
}

TEST(CellTableSchedules, model_of_the_table_without_flaw_holds) {
    expect_holds(explore_flawed<Flaw::none>({{5}, {5}}));
    expect_holds(explore_flawed<Flaw::none>({{5}, {6}, {5}}));
}

TEST(CellTableSchedules, not_looking_again_is_found) {
    expect_found(explore_flawed<Flaw::does_not_look_again>({{5}, {5}}), "a key has two cells");
}

TEST(CellTableSchedules, putting_in_what_is_not_filled_is_found) {
    expect_found(explore_flawed<Flaw::is_put_in_unfilled>({{5}, {5}}), "a key has two cells");
}

}  // namespace
}  // namespace heddle::executor
