// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/cell_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <types/uint256.hpp>

namespace heddle::executor {
namespace {

struct Cell {
    std::uint64_t key = 0;
    std::uint32_t number = 0;
};

/// Few hashes for many keys, so that many keys have the same path.
std::uint64_t crowded(std::uint64_t key) {
    return key % 97;
}
std::uint64_t spread(std::uint64_t key) {
    return Uint256Hasher{}(Uint256{key});
}
Cell& find(CellTable<Cell>& table, std::uint64_t key,
           std::uint64_t (*hash_of)(std::uint64_t) = crowded) {
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
    for (const std::uint64_t count : {10u, 3'000u, 100'000u}) {
        CellTable<Cell> table;
        const Cell* const first = &find(table, 0, spread);
        for (std::uint64_t key = 1; key < count; ++key)
            static_cast<void>(find(table, key, spread));

        table.reset(count);

        EXPECT_EQ(table.size(), 0u);
        EXPECT_EQ(table.longest_path(), 0u);
        Cell& fresh = find(table, count, spread);
        EXPECT_EQ(&fresh, first);
        EXPECT_EQ(fresh.number, 0u);
        EXPECT_EQ(find(table, 5, spread).number, 1u);
    }
}

TEST(CellTable, reset_gives_back_the_memory_of_more_than_is_wanted) {
    CellTable<Cell> table;
    for (std::uint64_t key = 0; key < 100'000; ++key)
        static_cast<void>(find(table, key, spread));
    const std::size_t full = table.memory_bytes();
    EXPECT_GE(full, 100'000 * sizeof(Cell));

    table.reset(10'000);

    EXPECT_LT(table.memory_bytes(), full / 5);
    for (std::uint64_t key = 0; key < 100'000; ++key)
        EXPECT_EQ(find(table, key, spread).number, key);
}

TEST(CellTable, grows_while_it_is_used_and_paths_stay_short) {
    constexpr std::uint64_t kKeys = 200'000;
    CellTable<Cell> table;
    std::vector<Cell*> cells;
    cells.reserve(kKeys);
    for (std::uint64_t key = 0; key < kKeys; ++key) {
        cells.push_back(&find(table, key, spread));
        ASSERT_EQ(&find(table, key / 2, spread), cells[key / 2]);
    }

    for (std::uint64_t key = 0; key < kKeys; ++key)
        ASSERT_EQ(&find(table, key, spread), cells[key]);
    EXPECT_EQ(table.size(), kKeys);
    EXPECT_GE(table.word_count(), kKeys);
    // Four tables: of 8, 32, 128 and 512 thousand words.
    EXPECT_EQ(table.longest_path(), 64u);
    EXPECT_LE(table.word_count(), 4 * kKeys);
}

TEST(CellTable, words_of_many_cells_take_less_than_half_of_what_these_do) {
    struct alignas(64) SlotSized {
        std::uint64_t key = 0;
        std::uint32_t number = 0;
        std::array<std::uint64_t, 16> more{};
    };
    static_assert(sizeof(SlotSized) == 192);
    CellTable<SlotSized> table;
    for (std::uint64_t key = 0; key < 600'000; ++key) {
        static_cast<void>(table.find_or_insert(
            spread(key), [key](const SlotSized& cell) { return cell.key == key; },
            [key](SlotSized& cell) { cell.key = key; }));
        const std::size_t cells = table.cell_capacity() * sizeof(SlotSized);
        const std::size_t least = std::size_t{512} << 10;
        ASSERT_LE(table.memory_bytes() - cells, std::max(cells / 2, least)) << key;
    }
}

TEST(CellTable, a_bucket_is_full_before_the_next_table_is_made) {
    CellTable<Cell> table;
    const std::size_t memory = table.memory_bytes();
    const auto same = [](std::uint64_t) { return std::uint64_t{7}; };
    for (std::uint64_t key = 0; key < 16; ++key)
        static_cast<void>(find(table, key, same));
    EXPECT_EQ(table.longest_path(), 16u);
    const std::size_t cells = table.cell_capacity() * sizeof(Cell);
    EXPECT_EQ(table.memory_bytes(), memory + cells);

    static_cast<void>(find(table, 16, same));

    EXPECT_EQ(table.longest_path(), 32u);
    for (std::uint64_t key = 0; key <= 16; ++key)
        EXPECT_EQ(find(table, key, same).number, key);
}

TEST(CellTable, a_search_looks_at_no_other_cell_however_many_there_are) {
    constexpr std::uint64_t kKeys = 200'000;
    CellTable<Cell> table;
    std::size_t others = 0;
    for (std::uint64_t round = 0; round < 2; ++round)
        for (std::uint64_t key = 0; key < kKeys; ++key)
            static_cast<void>(table.find_or_insert(
                spread(key),
                [&](const Cell& cell) {
                    others += cell.key == key ? 0 : 1;
                    return cell.key == key;
                },
                [&](Cell& cell) { cell.key = key; }));

    // 200,000 hashes of 32 bits have about five pairs.
    EXPECT_LE(others, 64u);
}

TEST(CellTable, finds_what_is_there_and_makes_nothing) {
    CellTable<Cell> table;
    const auto there = [&](std::uint64_t key) {
        return table.find(spread(key), [key](const Cell& cell) { return cell.key == key; });
    };
    EXPECT_EQ(there(1), nullptr);
    for (std::uint64_t key = 0; key < 50'000; ++key) {
        const Cell* const cell = &find(table, key, spread);
        ASSERT_EQ(there(key), cell);
        ASSERT_EQ(there(key + 100'000), nullptr);
    }
    EXPECT_EQ(table.size(), 50'000u);
}

TEST(CellTable, sweep_takes_out_what_is_not_kept_and_uses_it_again) {
    CellTable<Cell> table;
    std::vector<Cell*> cells;
    for (std::uint64_t key = 0; key < 10'000; ++key)
        cells.push_back(&find(table, key, spread));

    table.sweep([](const Cell& cell) { return cell.key % 10 == 0; });

    EXPECT_EQ(table.size(), 1'000u);
    for (std::uint64_t key = 0; key < 10'000; key += 10)
        ASSERT_EQ(&find(table, key, spread), cells[key]);
    EXPECT_EQ(table.size(), 1'000u) << "nothing was made that was kept";

    const std::size_t memory = table.memory_bytes();
    std::set<std::uint32_t> numbers;
    for (std::uint64_t key = 100'000; key < 109'000; ++key)
        numbers.insert(find(table, key, spread).number);
    EXPECT_EQ(numbers.size(), 9'000u);
    EXPECT_LT(*numbers.rbegin(), 10'000u) << "numbers of what was taken out come first";
    EXPECT_EQ(table.memory_bytes(), memory);
    EXPECT_EQ(find(table, 1'000'000, spread).number, 10'000u);

    table.sweep([](const Cell&) { return false; });
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(table.longest_path(), 0u);
}

TEST(CellTable, sweeping_again_and_again_needs_no_more_memory) {
    CellTable<Cell> table;
    std::size_t memory = 0;
    for (std::uint64_t round = 0; round < 20; ++round) {
        for (std::uint64_t key = 0; key < 5'000; ++key)
            static_cast<void>(find(table, round * 1'000'000 + key, spread));
        table.sweep([](const Cell& cell) { return cell.key < 100; });
        if (round == 1) memory = table.memory_bytes();
    }

    EXPECT_EQ(table.memory_bytes(), memory);
    EXPECT_EQ(table.size(), 100u);
}

TEST(CellTable, four_threads_get_one_cell_for_each_key) {
    constexpr std::uint64_t kKeys = 20'000;
    CellTable<Cell> table;
    std::vector<std::vector<Cell*>> found(4, std::vector<Cell*>(kKeys));
    std::vector<std::thread> threads;
    threads.reserve(found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        threads.emplace_back([&, i] {
            // Half of them run the other way.
            for (std::uint64_t step = 0; step < kKeys; ++step) {
                const std::uint64_t key = i % 2 == 0 ? step : kKeys - 1 - step;
                found[i][key] = &find(table, key, spread);
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
