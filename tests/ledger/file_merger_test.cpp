// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "storage/file_merger.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "copied_folder.hpp"
#include "random.hpp"
#include "storage/database.hpp"
#include "storage/merge_plan.hpp"
#include "storage/rocks_options.hpp"
#include "storage/rocks_versions.hpp"
#include "storage/schema.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

using Contents = std::map<Bytes, Bytes>;

constexpr std::size_t kBlockBytes = 1000;
constexpr std::size_t kBlocksPerFlush = 10;
constexpr std::size_t kFlushBytes = kBlockBytes * kBlocksPerFlush;
/// How often files of one flush can become eight times larger before they are not small any more.
constexpr std::size_t kSteps = 4;
static_assert(kFlushBytes * 512 < kSmallFileBytes && kFlushBytes * 4096 > kSmallFileBytes);
/// What waits for its eighth on each step, twice as much for flushes that are not equal, and what
/// RocksDB has not moved below level 0 yet, where it stalls the writer at 20.
constexpr std::size_t kMostFiles = 2 * kMergeGrowth * kSteps + 20;

class FileMergerTest : public testing::Test {
protected:
    [[nodiscard]] DatabaseOptions options() const {
        return {.directory = folder_ / "db", .create = true, .memory_bytes = std::size_t{32} << 20};
    }
    [[nodiscard]] std::unique_ptr<Database> open() const {
        auto database = Database::open(options());
        EXPECT_TRUE(database.has_value()) << to_string(database.error());
        return *std::move(database);
    }

    /// Appends blocks, as many as one flush takes.
    void append(WriteBatch& batch) {
        for (std::size_t i = 0; i < kBlocksPerFlush; ++i, ++next_) {
            const Bytes value = random_.bytes(kBlockBytes);
            batch.put(Table::bodies, schema::number_key(next_), value);
            expected_[schema::number_key(next_)] = value;
        }
    }
    void append_and_flush(Database& database) {
        WriteBatch batch = database.batch();
        append(batch);
        ASSERT_TRUE(database.write(batch, false).has_value());
        ASSERT_TRUE(database.flush().has_value());
    }

    /// A database as it was made before files were merged: a file for each flush.
    void make_small_files(std::size_t count) {
        open().reset();  // with its tables
        const auto cache = rocksdb::NewLRUCache(std::size_t{8} << 20);
        std::vector<rocksdb::ColumnFamilyHandle*> handles;
        std::unique_ptr<rocksdb::DB> db;
        const rocksdb::DBOptions db_options = make_database_options(options(), cache);
        const auto tables = make_tables(options(), cache, db_options.write_buffer_manager);
        ASSERT_TRUE(open_rocks(db, db_options, folder_ / "db", tables, &handles).ok());
        rocksdb::ColumnFamilyHandle* const bodies =
            handles[static_cast<std::size_t>(Table::bodies)];
        const auto slice = [](const Bytes& bytes) {
            return rocksdb::Slice(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        };
        rocksdb::WriteOptions no_log;
        no_log.disableWAL = true;
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t block = 0; block < kBlocksPerFlush; ++block, ++next_) {
                const Bytes key = schema::number_key(next_);
                const Bytes value = random_.bytes(kBlockBytes);
                ASSERT_TRUE(db->Put(no_log, bodies, slice(key), slice(value)).ok());
                expected_[key] = value;
            }
            ASSERT_TRUE(db->Flush({}, bodies).ok());
        }
        std::string at_level_0;
        do {  // until it has moved the others below
            ASSERT_TRUE(db->GetProperty(bodies, "rocksdb.num-files-at-level0", &at_level_0));
        } while (std::stoul(at_level_0) >= 4);
        rocksdb::ColumnFamilyMetaData table;
        db->GetColumnFamilyMetaData(bodies, &table);
        EXPECT_EQ(table.file_count, count) << "RocksDB merges them itself";
        for (rocksdb::ColumnFamilyHandle* handle : handles)
            ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    }

    static std::size_t files(const Database& database) {
        return database.stats(Table::bodies).files;
    }

    static void expect_contents(const Database& database, const Contents& expected,
                                const DatabaseSnapshot* snapshot = nullptr) {
        Cursor cursor = database.cursor(Table::bodies, snapshot);
        auto at = expected.begin();
        for (cursor.seek({}); cursor.valid() && at != expected.end(); cursor.next(), ++at) {
            ASSERT_TRUE(std::ranges::equal(cursor.key(), at->first));
            ASSERT_TRUE(std::ranges::equal(cursor.value(), at->second));
        }
        EXPECT_FALSE(cursor.valid());
        EXPECT_TRUE(at == expected.end());
        EXPECT_TRUE(cursor.error().has_value());
    }

    test::TemporaryFolder folder_;
    test::Random random_{5};
    std::uint64_t next_ = 0;
    Contents expected_;
};

TEST_F(FileMergerTest, thousands_of_blocks_in_small_flushes_leave_few_files) {
    const auto database = open();
    const std::uint64_t written_before = database->bytes_written();
    constexpr std::size_t kFlushes = 300;
    for (std::size_t i = 0; i < kFlushes; ++i) {
        append_and_flush(*database);
        if (i % kMergeGrowth != 0) continue;
        database->wait_merged();
        ASSERT_LE(files(*database), kMostFiles) << "after flush " << i;
    }
    ASSERT_TRUE(database->compact(Table::bodies).has_value());

    EXPECT_LE(files(*database), 2 * kMergeGrowth * kSteps);
    // To the log, by flushes, and once on each step; a tenth for keys, checksums and indexes.
    EXPECT_LE(database->bytes_written() - written_before,
              (2 + kSteps) * kFlushes * kFlushBytes * 11 / 10);
    expect_contents(*database, expected_);
    EXPECT_TRUE(database->verify_files().has_value());
}

TEST_F(FileMergerTest, small_files_of_an_older_database_are_merged_when_it_is_opened) {
    constexpr std::size_t kFiles = 1000;
    make_small_files(kFiles);

    auto database = open();
    database->wait_merged();

    EXPECT_LE(files(*database), kMostFiles);
    expect_contents(*database, expected_);
    for (int i = 0; i < 20; ++i)
        append_and_flush(*database);
    database.reset();
    database = open();
    database->wait_merged();
    EXPECT_LE(files(*database), kMostFiles);
    expect_contents(*database, expected_);
}

TEST_F(FileMergerTest, compaction_on_request_merges_small_files) {
    make_small_files(80);
    const auto database = open();
    ASSERT_TRUE(database->compact(Table::bodies).has_value());
    EXPECT_LE(files(*database), 2 * kMergeGrowth * kSteps);
    expect_contents(*database, expected_);
}

TEST_F(FileMergerTest, closing_amid_a_merge_loses_nothing) {
    make_small_files(200);
    for (int i = 0; i < 8; ++i) {
        const auto database = open();
        std::this_thread::sleep_for(std::chrono::microseconds(random_.below(3000)));
    }
    const auto database = open();
    expect_contents(*database, expected_);
    database->wait_merged();
    EXPECT_LE(files(*database), kMostFiles);
    expect_contents(*database, expected_);
    EXPECT_TRUE(database->verify_files().has_value());
}

TEST_F(FileMergerTest, going_back_pruning_and_reading_find_what_was_written) {
    auto database = open();
    std::uint64_t first = 0;
    std::unique_ptr<DatabaseSnapshot> snapshot;
    Contents at_snapshot;
    for (int i = 0; i < 300; ++i) {
        WriteBatch batch = database->batch();
        switch (random_.below(12)) {
            case 0:  // the last blocks are replaced
                for (std::size_t left = random_.below(40); left != 0 && next_ > first; --left) {
                    batch.erase(Table::bodies, schema::number_key(--next_));
                    expected_.erase(schema::number_key(next_));
                }
                break;
            case 1:  // the first blocks are dropped
                for (std::size_t left = random_.below(60); left != 0 && first < next_; --left) {
                    batch.erase(Table::bodies, schema::number_key(first));
                    expected_.erase(schema::number_key(first++));
                }
                break;
            default:
                append(batch);
        }
        ASSERT_TRUE(database->write(batch, false).has_value());
        if (!random_.one_in(3)) ASSERT_TRUE(database->flush().has_value());
        if (random_.one_in(50)) {
            if (snapshot) expect_contents(*database, at_snapshot, snapshot.get());
            snapshot = database->snapshot();
            at_snapshot = expected_;
        }
        if (random_.one_in(60)) {
            snapshot.reset();
            database.reset();
            database = open();
        }
        if (random_.one_in(20)) expect_contents(*database, expected_);
    }
    database->wait_merged();
    expect_contents(*database, expected_);
    EXPECT_LE(files(*database), kMostFiles);
    EXPECT_TRUE(database->verify_files().has_value());
}

TEST_F(FileMergerTest, damage_that_a_merge_meets_stops_writing_and_is_named) {
    make_small_files(64);
    std::set<std::string> tables;
    for (const std::string& path : test::files_in(folder_.path()))
        if (path.ends_with(".sst")) tables.insert(path);
    ASSERT_EQ(tables.size(), 64u);
    const std::string damaged = *std::next(tables.begin(), 2);
    {
        std::fstream file(damaged, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(kBlockBytes * 2);
        file << "damage";
    }

    const auto database = open();
    database->wait_merged();

    WriteBatch batch = database->batch();
    append(batch);
    const auto written = database->write(batch, false);
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, LedgerErrorCode::corrupt);
    EXPECT_TRUE(to_string(written.error()).contains(damaged)) << to_string(written.error());
    // What is whole is still read, and nothing was replaced.
    EXPECT_EQ(database->get(Table::bodies, schema::number_key(0)),
              expected_.at(schema::number_key(0)));
    EXPECT_EQ(files(*database), 64u);
}

}  // namespace
}  // namespace heddle::ledger
