// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "storage/database.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "broken_file.hpp"
#include "database_fixture.hpp"
#include "random.hpp"
#include "storage/rocks_versions.hpp"

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;

class DatabaseTest : public DatabaseFixture {};

/// A level has several files, and a cursor comes to the beginning of the next one.
TEST_F(DatabaseTest, a_cursor_passes_over_no_file_that_cannot_be_read) {
    constexpr std::uint8_t kFiles = 5;
    auto database = must_open();
    for (const Table table : {Table::accounts, Table::history}) {
        std::vector<TableFile> files;
        for (std::uint8_t i = 0; i < kFiles; ++i) {
            files.push_back(database->new_file(table).value());
            for (std::uint8_t k = 0; k < 10; ++k)
                ASSERT_TRUE(files.back().put(Bytes{i, k}, Bytes(100, k)).has_value());
            ASSERT_TRUE(files.back().finish().has_value());
        }
        ASSERT_TRUE(database->adopt(table, files).has_value());
    }
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder_ / "db"))
        if (entry.path().extension() == ".sst") paths.push_back(fs::canonical(entry.path()));

    std::size_t failures = 0;
    for (const fs::path& path : paths) {
        database.reset();
        database = must_open(false);
        test::break_open_file(path);
        for (const Table table : {Table::accounts, Table::history}) {
            std::size_t seen = 0;
            Cursor cursor = database->cursor(table);
            for (cursor.seek({}); cursor.valid(); cursor.next())
                ++seen;
            if (cursor.error().has_value())
                EXPECT_EQ(seen, 10U * kFiles) << table_name(table) << " " << path;
            else
                ++failures;
        }
    }
    EXPECT_EQ(failures, 2U * kFiles);
}

TEST_F(DatabaseTest, every_table_keeps_its_own_values) {
    auto database = must_open();
    for (std::size_t i = 0; i < kTableCount; ++i)
        put(*database, static_cast<Table>(i), bytes("key"), {static_cast<std::uint8_t>(i)});
    database.reset();
    database = must_open(false);

    for (std::size_t i = 0; i < kTableCount; ++i)
        EXPECT_EQ(database->get(static_cast<Table>(i), bytes("key")),
                  Bytes{static_cast<std::uint8_t>(i)});
}

TEST_F(DatabaseTest, tables_have_names_of_their_own) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < kTableCount; ++i)
        names.insert(table_name(static_cast<Table>(i)));
    EXPECT_EQ(names.size(), kTableCount);
    EXPECT_TRUE(names.contains("meta"));
}

/// It was called the database of somebody else, which another folder is to be named for.
TEST_F(DatabaseTest, an_empty_manifest_is_damage) {
    (void)must_open();
    fs::resize_file(manifest(), 0);

    const auto opened = open(false);

    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
    EXPECT_NE(opened.error().detail.find("MANIFEST"), std::string::npos) << opened.error().detail;
}

TEST_F(DatabaseTest, missing_key_is_no_error) {
    const auto database = must_open();
    EXPECT_EQ(database->get(Table::headers, bytes("none")), std::nullopt);
}

TEST_F(DatabaseTest, missing_database_is_made_only_on_request) {
    const auto missing = open(false);
    ASSERT_FALSE(missing.has_value());
    EXPECT_EQ(missing.error().code, LedgerErrorCode::not_found);
    EXPECT_FALSE(fs::exists(folder_ / "db"));
    EXPECT_TRUE(open(true).has_value());
}

TEST_F(DatabaseTest, foreign_folder_is_refused_and_left_alone) {
    fs::create_directories(folder_ / "db");
    std::ofstream(folder_ / "db/notes.txt") << "mine";

    for (const bool create : {false, true}) {
        const auto opened = open(create);
        ASSERT_FALSE(opened.has_value());
        EXPECT_EQ(opened.error().code, LedgerErrorCode::not_a_ledger);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "db"), {}), 1);
}

TEST_F(DatabaseTest, database_with_other_tables_is_no_ledger) {
    rocksdb::Options options;
    options.create_if_missing = true;
    std::unique_ptr<rocksdb::DB> db;
    ASSERT_TRUE(open_rocks(db, options, folder_ / "db").ok());
    db.reset();

    for (const bool create : {false, true}) {
        const auto opened = open(create);
        ASSERT_FALSE(opened.has_value());
        EXPECT_EQ(opened.error().code, LedgerErrorCode::not_a_ledger);
    }
}

TEST_F(DatabaseTest, database_with_more_tables_is_of_a_later_version) {
    must_open().reset();
    std::vector<std::string> names;
    ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, folder_ / "db", &names).ok());
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string& name : names)
        families.emplace_back(name, rocksdb::ColumnFamilyOptions{});
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    std::unique_ptr<rocksdb::DB> db;
    ASSERT_TRUE(open_rocks(db, rocksdb::DBOptions{}, folder_ / "db", families, &handles).ok());
    rocksdb::ColumnFamilyHandle* later = nullptr;
    ASSERT_TRUE(db->CreateColumnFamily({}, "something_later", &later).ok());
    handles.push_back(later);
    for (rocksdb::ColumnFamilyHandle* handle : handles)
        ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    db.reset();

    const auto opened = open(false);

    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, LedgerErrorCode::newer_format);
}

TEST_F(DatabaseTest, second_opening_finds_it_locked) {
    const auto database = must_open();
    const auto second = open(false);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, LedgerErrorCode::locked);
}

TEST_F(DatabaseTest, manifest_without_current_is_damage) {
    must_open().reset();
    fs::remove(folder_ / "db/CURRENT");
    for (const bool create : {false, true}) {
        const auto opened = open(create);
        ASSERT_FALSE(opened.has_value());
        EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
    }
}

TEST_F(DatabaseTest, manifest_that_cannot_be_read_is_damage) {
    must_open().reset();
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db"))
        if (entry.path().filename().string().starts_with("MANIFEST-"))
            fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
    const auto opened = open(false);
    ASSERT_FALSE(opened.has_value());
    EXPECT_NE(opened.error().code, LedgerErrorCode::not_found);
}

TEST_F(DatabaseTest, what_is_flushed_is_in_a_file_for_each_table) {
    const auto database = must_open();
    for (std::size_t table = 0; table < kTableCount; ++table)
        put(*database, static_cast<Table>(table), bytes("a"), bytes("1"));
    const auto files = [this] {
        return std::ranges::count_if(
            fs::directory_iterator(folder_ / "db"),
            [](const fs::directory_entry& entry) { return entry.path().extension() == ".sst"; });
    };
    ASSERT_EQ(files(), 0);
    ASSERT_TRUE(database->flush().has_value());
    EXPECT_EQ(files(), kTableCount);
}

TEST_F(DatabaseTest, damage_is_told_in_one_line) {
    {
        const auto database = must_open();
        put(*database, Table::headers, bytes("a"), bytes("1"));
        ASSERT_TRUE(database->flush().has_value());
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db"))
        if (entry.path().extension() == ".sst")
            fs::resize_file(entry.path(), fs::file_size(entry.path()) * 2 / 3);
    const auto opened = open(false);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
    EXPECT_EQ(opened.error().detail.find('\n'), std::string::npos) << opened.error().detail;
}

TEST_F(DatabaseTest, batch_is_there_as_a_whole_and_in_its_order) {
    const auto database = must_open();
    put(*database, Table::slots, bytes("a"), bytes("old"));
    WriteBatch batch = database->batch();
    EXPECT_TRUE(batch.empty());
    batch.put(Table::slots, bytes("a"), bytes("1"));
    batch.put(Table::slots, bytes("a"), bytes("2"));
    batch.put(Table::codes, bytes("b"), bytes("3"));
    batch.erase(Table::codes, bytes("b"));
    batch.put(Table::headers, bytes("c"), bytes("4"));
    EXPECT_FALSE(batch.empty());
    EXPECT_EQ(database->get(Table::slots, bytes("a")), bytes("old"));

    ASSERT_TRUE(database->write(batch, true).has_value());

    EXPECT_EQ(database->get(Table::slots, bytes("a")), bytes("2"));
    EXPECT_EQ(database->get(Table::codes, bytes("b")), std::nullopt);
    EXPECT_EQ(database->get(Table::headers, bytes("c")), bytes("4"));
}

TEST_F(DatabaseTest, reader_never_sees_part_of_a_batch) {
    const auto database = must_open();
    put(*database, Table::accounts, bytes("x"), {0});
    put(*database, Table::slots, bytes("y"), {0});
    std::atomic<bool> is_done = false;
    std::atomic<int> wrong = 0;
    std::jthread reader([&] {
        while (!is_done) {
            const auto snapshot = database->snapshot();
            const auto x = database->get(Table::accounts, bytes("x"), snapshot.get());
            const auto y = database->get(Table::slots, bytes("y"), snapshot.get());
            if (!x.has_value() || !y.has_value() || *x != *y) ++wrong;
        }
    });
    for (int i = 0; i < 500; ++i) {
        WriteBatch batch = database->batch();
        batch.put(Table::accounts, bytes("x"), Bytes{static_cast<std::uint8_t>(i)});
        batch.put(Table::slots, bytes("y"), Bytes{static_cast<std::uint8_t>(i)});
        ASSERT_TRUE(database->write(batch, false).has_value());
    }
    is_done = true;
    reader.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(DatabaseTest, cleared_batch_writes_nothing) {
    const auto database = must_open();
    WriteBatch batch = database->batch();
    batch.put(Table::slots, bytes("a"), bytes("1"));
    EXPECT_GT(batch.size_bytes(), 2u);
    batch.clear();
    EXPECT_TRUE(batch.empty());
    ASSERT_TRUE(database->write(batch, false).has_value());
    EXPECT_EQ(database->get(Table::slots, bytes("a")), std::nullopt);
}

TEST_F(DatabaseTest, snapshot_stays_as_it_was) {
    const auto database = must_open();
    put(*database, Table::slots, bytes("a"), bytes("1"));
    const auto snapshot = database->snapshot();
    put(*database, Table::slots, bytes("a"), bytes("2"));
    put(*database, Table::slots, bytes("b"), bytes("3"));

    EXPECT_EQ(database->get(Table::slots, bytes("a"), snapshot.get()), bytes("1"));
    EXPECT_EQ(database->get(Table::slots, bytes("b"), snapshot.get()), std::nullopt);
    Cursor cursor = database->cursor(Table::slots, snapshot.get());
    cursor.seek({});
    ASSERT_TRUE(cursor.valid());
    EXPECT_TRUE(equal(cursor.key(), bytes("a")));
    EXPECT_TRUE(equal(cursor.value(), bytes("1")));
    cursor.next();
    EXPECT_FALSE(cursor.valid());
    EXPECT_EQ(database->get(Table::slots, bytes("a")), bytes("2"));
}

TEST_F(DatabaseTest, cursor_walks_a_prefix_in_order) {
    const auto database = must_open();
    test::Random random(1);
    std::map<Bytes, Bytes> expected;
    WriteBatch batch = database->batch();
    for (int i = 0; i < 500; ++i) {
        Bytes key = random.bytes(1 + random.below(3));
        key[0] %= 4;
        const Bytes value = random.bytes(3);
        batch.put(Table::slots, key, value);
        expected[key] = value;
    }
    ASSERT_TRUE(database->write(batch, false).has_value());

    for (std::uint8_t first = 0; first < 4; ++first) {
        Cursor cursor = database->cursor(Table::slots);
        auto at = expected.lower_bound({first});
        for (cursor.seek(Bytes{first}); cursor.has_prefix(Bytes{first}); cursor.next(), ++at) {
            ASSERT_TRUE(at != expected.end());
            ASSERT_TRUE(equal(cursor.key(), at->first));
            ASSERT_TRUE(equal(cursor.value(), at->second));
        }
        EXPECT_TRUE(at == expected.end() || at->first[0] != first);
        EXPECT_TRUE(cursor.error().has_value());
    }
}

TEST_F(DatabaseTest, erased_range_ends_before_its_end) {
    const auto database = must_open();
    for (std::uint8_t i = 0; i < 10; ++i)
        put(*database, Table::trie_nodes, {i}, {i});
    WriteBatch batch = database->batch();
    batch.erase_range(Table::trie_nodes, Bytes{3}, Bytes{7});
    ASSERT_TRUE(database->write(batch, false).has_value());

    for (std::uint8_t i = 0; i < 10; ++i)
        EXPECT_EQ(database->get(Table::trie_nodes, Bytes{i})->has_value(), i < 3 || i >= 7)
            << int{i};
}

TEST_F(DatabaseTest, get_all_gives_what_get_gives) {
    const auto database = must_open();
    test::Random random(2);
    std::vector<Bytes> keys;
    for (int i = 0; i < 200; ++i) {
        keys.push_back(random.bytes(32));
        if (random.one_in(2)) put(*database, Table::accounts, keys.back(), random.bytes(9));
    }
    keys.push_back(keys.front());

    const auto values = database->get_all(Table::accounts, keys);

    ASSERT_TRUE(values.has_value());
    ASSERT_EQ(values->size(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        EXPECT_EQ((*values)[i], *database->get(Table::accounts, keys[i]));
    EXPECT_TRUE(database->get_all(Table::accounts, {})->empty());
}

TEST_F(DatabaseTest, destroy_removes_the_database_only) {
    must_open().reset();
    std::ofstream(folder_ / "db/notes.txt") << "mine";
    ASSERT_TRUE(Database::destroy(folder_ / "db").has_value());
    EXPECT_TRUE(fs::exists(folder_ / "db/notes.txt"));
    EXPECT_FALSE(fs::exists(folder_ / "db/CURRENT"));
}

TEST_F(DatabaseTest, destroy_spares_what_is_open) {
    const auto database = must_open();
    put(*database, Table::slots, bytes("a"), bytes("1"));
    const auto destroyed = Database::destroy(folder_ / "db");
    ASSERT_FALSE(destroyed.has_value());
    EXPECT_EQ(destroyed.error().code, LedgerErrorCode::locked);
    EXPECT_EQ(database->get(Table::slots, bytes("a")), bytes("1"));
}

TEST_F(DatabaseTest, flipped_byte_in_a_file_is_found_and_named) {
    auto database = must_open();
    for (std::uint8_t i = 0; i < 100; ++i)
        put(*database, Table::accounts, {i}, Bytes(100, i));
    ASSERT_TRUE(database->compact(Table::accounts).has_value());
    ASSERT_TRUE(database->verify_files().has_value());
    EXPECT_GT(database->stats(Table::accounts).disk_bytes, 0u);
    EXPECT_GT(database->bytes_written(), 10'000u);
    database.reset();
    std::string damaged;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db")) {
        if (entry.path().extension() != ".sst") continue;
        std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(500);
        file.put('?');
        damaged = entry.path().filename().string();
    }
    ASSERT_FALSE(damaged.empty());

    database = must_open(false);
    const auto verified = database->verify_files();

    ASSERT_FALSE(verified.has_value());
    EXPECT_EQ(verified.error().code, LedgerErrorCode::corrupt);
    EXPECT_NE(verified.error().detail.find(damaged), std::string::npos) << verified.error().detail;
    const auto read = database->get(Table::accounts, Bytes{0});
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code, LedgerErrorCode::corrupt);
}

}  // namespace
}  // namespace heddle::ledger
