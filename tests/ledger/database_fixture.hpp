// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A database in a folder of its own, for tests of what it writes there.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "storage/database.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {

class DatabaseFixture : public testing::Test {
protected:
    static constexpr std::size_t kMemory = std::size_t{32} << 20;

    [[nodiscard]] static Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }
    [[nodiscard]] std::expected<std::unique_ptr<Database>, LedgerError> open(bool create) const {
        return Database::open(
            {.directory = folder_ / "db", .create = create, .memory_bytes = kMemory});
    }
    [[nodiscard]] std::unique_ptr<Database> must_open(bool create = true) const {
        auto database = open(create);
        EXPECT_TRUE(database.has_value()) << to_string(database.error());
        return *std::move(database);
    }
    static void put(Database& database, Table table, const Bytes& key, const Bytes& value) {
        WriteBatch batch = database.batch();
        batch.put(table, key, value);
        ASSERT_TRUE(database.write(batch, false).has_value());
    }
    /// The one in use.
    [[nodiscard]] std::filesystem::path manifest() const {
        std::ifstream current(folder_ / "db/CURRENT");
        std::string name;
        std::getline(current, name);
        return folder_ / ("db/" + name);
    }

    test::TemporaryFolder folder_;
};

}  // namespace heddle::ledger
