// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A database that could not write: how it is closed, and what is there when it is opened again.
#include <cstddef>
#include <cstdint>
#include <filesystem>
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

}  // namespace
}  // namespace heddle::ledger
