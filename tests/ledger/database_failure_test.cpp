// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A database that could not write: how it is closed, and what is there when it is opened again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "storage/database.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMemory = std::size_t{64} << 20;
constexpr std::size_t kBufferBytes = kMemory / 8;  // of a table, before it is flushed

std::unique_ptr<Database> open(const std::string& directory, bool create) {
    auto opened =
        Database::open({.directory = directory, .create = create, .memory_bytes = kMemory});
    EXPECT_TRUE(opened.has_value()) << to_string(opened.error());
    return *std::move(opened);
}

/// Several buffers are full when the folder goes away, so that the next write is to flush them and
/// begins a log: RocksDB ended the process when that database was closed (SIGABRT).
TEST(DatabaseFailure, a_database_that_could_not_begin_a_log_is_closed_and_opened_again) {
    const test::TemporaryFolder folder;
    const std::string directory = folder / "db";
    std::unique_ptr<Database> database = open(directory, true);
    const Bytes large(kBufferBytes / 8, 7);
    WriteBatch full = database->batch();
    for (std::uint8_t i = 0; i < 9; ++i)
        for (const Table table : {Table::bodies, Table::accounts, Table::slots})
            full.put(table, Bytes{i}, large);
    ASSERT_TRUE(database->write(full, false).has_value());
    fs::rename(directory, directory + ".away");
    WriteBatch next = database->batch();
    next.put(Table::meta, Bytes{1}, Bytes{2});

    const auto written = database->write(next, false);

    ASSERT_FALSE(written.has_value());
    EXPECT_NE(written.error().detail.find(".log"), std::string::npos) << written.error().detail;
    EXPECT_EQ(database->get(Table::slots, Bytes{8}), large) << "reads go on";
    fs::rename(directory + ".away", directory);
    database.reset();
    database = open(directory, false);
    EXPECT_EQ(database->get(Table::slots, Bytes{8}), large);
    EXPECT_EQ(database->get(Table::meta, Bytes{1}), std::nullopt);
}

std::string read_file(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t count_tables(const std::string& directory) {
    return static_cast<std::size_t>(std::ranges::count_if(
        fs::directory_iterator(directory),
        [](const auto& entry) { return entry.path().extension() == ".sst"; }));
}

/// A list of files, of which a part was lost or misread, was taken for all there is: what opened
/// was an earlier database or an empty one, and RocksDB removed the files of the others.
TEST(DatabaseFailure, a_damaged_list_of_files_costs_no_file) {
    const test::TemporaryFolder folder;
    const std::string directory = folder / "db";
    std::unique_ptr<Database> database = open(directory, true);
    for (std::uint8_t i = 0; i < 4; ++i) {
        WriteBatch batch = database->batch();
        for (const Table table : {Table::meta, Table::accounts, Table::slots})
            batch.put(table, Bytes{i}, Bytes{i});
        ASSERT_TRUE(database->write(batch, true).has_value());
        ASSERT_TRUE(database->flush().has_value());
    }
    database.reset();
    std::string name = read_file(directory + "/CURRENT");
    name.pop_back();
    const std::string whole = read_file(fs::path(directory) / name);
    const std::size_t tables = count_tables(directory);
    ASSERT_GE(tables, 12u);

    const auto expect_refused = [&](const std::string& list, const std::string& what) {
        const std::string copy = folder / "copy";
        fs::remove_all(copy);
        fs::copy(directory, copy);
        std::ofstream(fs::path(copy) / name, std::ios::binary | std::ios::trunc) << list;
        const auto opened =
            Database::open({.directory = copy, .create = false, .memory_bytes = kMemory});
        ASSERT_FALSE(opened.has_value()) << what;
        EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt) << what;
        EXPECT_NE(opened.error().detail.find(name), std::string::npos) << opened.error().detail;
        EXPECT_EQ(count_tables(copy), tables) << what;
    };
    constexpr std::size_t kHeaderBytes = 7;
    std::size_t records = 0;
    for (std::size_t at = 0; at < whole.size(); ++records) {
        const std::string where = "record at " + std::to_string(at);
        expect_refused(whole.substr(0, at), "cut before the " + where);
        for (const int bit : {0, 5, 14}) {
            std::string flipped = whole;
            char& byte = flipped[at + 4 + static_cast<std::size_t>(bit / 8)];
            byte = static_cast<char>(byte ^ 1 << bit % 8);
            expect_refused(flipped, "bit " + std::to_string(bit) + " of the length, " + where);
        }
        const auto low = static_cast<unsigned char>(whole[at + 4]);
        const auto high = static_cast<unsigned char>(whole[at + 5]);
        at += kHeaderBytes + low + (std::size_t{high} << 8);
    }
    EXPECT_GE(records, 20u);
    EXPECT_NE(open(directory, false), nullptr);
}

}  // namespace
}  // namespace heddle::ledger
