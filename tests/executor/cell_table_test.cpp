// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/cell_table.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

struct Cell {
    std::uint64_t key = 0;
    std::uint32_t number = 0;
    std::atomic<Cell*> next_in_bucket{nullptr};
};

/// Few hashes for many keys, so that buckets get long.
std::uint64_t hash_of(std::uint64_t key) {
    return key % 97;
}
std::uint64_t hash_of_cell(const Cell& cell) {
    return hash_of(cell.key);
}
Cell& find(CellTable<Cell>& table, std::uint64_t key) {
    return table.find_or_insert(
        hash_of(key), [&](const Cell& cell) { return cell.key == key; },
        [&](Cell& cell) { cell.key = key; });
}

TEST(CellTable, gives_the_same_cell_for_the_same_key) {
    CellTable<Cell> table;
    Cell& one = find(table, 1);
    Cell& other = find(table, 98);  // the same hash
    EXPECT_NE(&one, &other);
    EXPECT_EQ(&find(table, 1), &one);
    EXPECT_EQ(&find(table, 98), &other);
    EXPECT_EQ(table.size(), 2u);
}

TEST(CellTable, numbers_are_dense) {
    CellTable<Cell> table;
    for (std::uint64_t key = 0; key < 3'000; ++key)
        EXPECT_EQ(find(table, key).number, key);
}

TEST(CellTable, forgets_all_on_reset_and_uses_cells_again) {
    for (const std::uint64_t count : {10u, 3'000u}) {  // few and many for the number of buckets
        CellTable<Cell> table;
        const Cell* const first = &find(table, 0);
        for (std::uint64_t key = 1; key < count; ++key)
            static_cast<void>(find(table, key));

        table.reset(hash_of_cell);

        EXPECT_EQ(table.size(), 0u);
        Cell& fresh = find(table, count);
        EXPECT_EQ(&fresh, first);
        EXPECT_EQ(fresh.number, 0u);
        EXPECT_EQ(find(table, 5).number, 1u);
    }
}

TEST(CellTable, rehash_keeps_cells_and_numbers) {
    CellTable<Cell> table;
    std::vector<Cell*> cells;
    cells.reserve(10'000);
    for (std::uint64_t key = 0; key < 10'000; ++key)
        cells.push_back(&find(table, key));
    const std::size_t buckets = table.bucket_count();

    table.rehash(hash_of_cell);

    EXPECT_GT(table.bucket_count(), buckets);
    for (std::uint64_t key = 0; key < 10'000; ++key)
        ASSERT_EQ(&find(table, key), cells[key]);
    EXPECT_EQ(table.size(), 10'000u);
}

TEST(CellTable, four_threads_get_one_cell_for_each_key) {
    constexpr std::uint64_t kKeys = 4'000;
    CellTable<Cell> table;
    std::vector<std::vector<Cell*>> found(4, std::vector<Cell*>(kKeys));
    std::vector<std::thread> threads;
    threads.reserve(found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        threads.emplace_back([&, i] {
            // Half of them run the other way.
            for (std::uint64_t step = 0; step < kKeys; ++step) {
                const std::uint64_t key = i % 2 == 0 ? step : kKeys - 1 - step;
                found[i][key] = &find(table, key);
            }
        });
    for (std::thread& thread : threads)
        thread.join();

    std::set<std::uint32_t> numbers;
    for (std::uint64_t key = 0; key < kKeys; ++key) {
        const Cell* const cell = found[0][key];
        EXPECT_EQ(cell->key, key);
        for (const std::vector<Cell*>& others : found)
            ASSERT_EQ(others[key], cell);
        EXPECT_TRUE(numbers.insert(cell->number).second) << "two keys have the same number";
        EXPECT_LT(cell->number, table.size());
    }
}

}  // namespace
}  // namespace heddle::executor
