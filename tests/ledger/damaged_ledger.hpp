// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A sound ledger on disk, and copies of it in which some records are changed, removed or added.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "storage/database.hpp"
#include "tools_chain.hpp"

namespace heddle::test {

class DamagedLedger : public testing::Test {
protected:
    static constexpr std::uint64_t kHead = 40;

    void SetUp() override { make_ledger(sound_, chain_, kHead); }

    /// A fresh copy of the sound ledger, changed.
    void damage(const std::function<void(ledger::Database&, ledger::WriteBatch&)>& change) {
        copy_ledger(sound_, directory_);
        auto database = ledger::open_database(directory_, std::size_t{16} << 20);
        ASSERT_TRUE(database.has_value());
        ledger::WriteBatch batch = (*database)->batch();
        change(**database, batch);
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    }
    void expect_found(const std::string& text) {
        const ledger::VerifyReport report = verify_ledger(directory_);
        EXPECT_FALSE(report.is_good()) << "instead of: " << text;
        const auto says = [&](const std::string& problem) {
            return problem.find(text) != std::string::npos;
        };
        EXPECT_TRUE(std::ranges::any_of(report.problems, says))
            << "instead of: " << text << ": "
            << (report.problems.empty() ? "nothing" : report.problems.front());
    }
    /// The record of that place in a table, or its last one.
    static std::pair<Bytes, Bytes> pick(const ledger::Database& database, ledger::Table table,
                                        std::size_t nth) {
        std::optional<std::pair<Bytes, Bytes>> picked;
        ledger::Cursor cursor = database.cursor(table);
        for (cursor.seek({}); cursor.valid(); cursor.next()) {
            picked.emplace(Bytes(cursor.key().begin(), cursor.key().end()),
                           Bytes(cursor.value().begin(), cursor.value().end()));
            if (nth-- == 0) break;
        }
        EXPECT_TRUE(picked.has_value()) << ledger::table_name(table);
        return picked.value_or(std::pair<Bytes, Bytes>{});
    }

    static std::pair<Bytes, Bytes> pick_of(const std::string& directory, ledger::Table table,
                                           std::size_t nth) {
        const auto database = ledger::open_database(directory, std::size_t{16} << 20);
        EXPECT_TRUE(database.has_value());
        return pick(**database, table, nth);
    }

    /// Code that an account has.
    static Bytes code_in_use(const ledger::Database& database) {
        ledger::Cursor cursor = database.cursor(ledger::Table::accounts);
        for (cursor.seek({}); cursor.valid(); cursor.next()) {
            const auto entry = ledger::schema::decode_account_entry(cursor.value());
            if (!entry->record.account.has_code()) continue;
            const Hash& hash = entry->record.account.code_hash;
            return {hash.bytes.begin(), hash.bytes.end()};
        }
        ADD_FAILURE() << "no account has code";
        return {};
    }

    Random random_{44};
    const ToolsChain chain_{random_, 60};
    TemporaryFolder folder_;
    const std::string sound_ = folder_ / "sound";
    const std::string directory_ = folder_ / "data";
};

}  // namespace heddle::test
