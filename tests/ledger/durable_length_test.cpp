// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The length of a MANIFEST that is noted beside it, as a database is opened by it.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "database_fixture.hpp"
#include "storage/database.hpp"

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNote = ".length";

class DurableLengthTest : public DatabaseFixture {
protected:
    /// Of its length.
    [[nodiscard]] fs::path note() const { return manifest().native() + std::string{kNote}; }
};

/// Trigger: the power fails amid the sync of a MANIFEST, and the file system keeps the length of
/// what was appended without its content. Symptom: the database does not open, and a validator has
/// to fetch a state that it has.
TEST_F(DurableLengthTest, what_a_manifest_has_beyond_its_durable_length_is_not_read) {
    put(*must_open(), Table::accounts, bytes("a"), bytes("1"));
    // A record of 20 bytes, as long as its header says, under a wrong checksum.
    Bytes garbage(27, 0xaa);
    garbage[4] = 20;
    garbage[5] = 0;
    garbage[6] = 1;
    std::ofstream(manifest(), std::ios::binary | std::ios::app)
        .write(reinterpret_cast<const char*>(garbage.data()), 27);
    fs::copy(folder_ / "db", folder_ / "without_length");
    fs::remove(folder_ / "without_length" / note().filename());

    EXPECT_EQ(must_open(false)->get(Table::accounts, bytes("a")), bytes("1"));
    const auto control = Database::open(
        {.directory = folder_ / "without_length", .create = false, .memory_bytes = kMemory});
    ASSERT_FALSE(control.has_value());
    EXPECT_EQ(control.error().code, LedgerErrorCode::corrupt);
}

TEST_F(DurableLengthTest, damage_within_the_durable_length_of_a_manifest_stays_damage) {
    put(*must_open(), Table::accounts, bytes("a"), bytes("1"));
    std::fstream file(manifest(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    const int last = file.peek();
    file.put(static_cast<char>(last ^ 1));
    file.close();

    const auto opened = open(false);

    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
}

// Shortened by whole records, the lengths ended with one of long ago: that of a database to which
// nothing had been written since it was opened. It was opened, and the files with the rest removed.
TEST_F(DurableLengthTest, that_is_shortened_makes_no_database_of_long_ago) {
    put(*must_open(), Table::accounts, bytes("a"), bytes("1"));
    {
        const auto database = must_open(false);
        put(*database, Table::accounts, bytes("b"), bytes("2"));
        ASSERT_TRUE(database->flush().has_value());
    }
    const std::uintmax_t size = fs::file_size(note());
    for (std::uintmax_t left = 0; left < size; left += 8) {
        SCOPED_TRACE(left);
        fs::remove_all(folder_ / "cut");
        fs::copy(folder_ / "db", folder_ / "cut");
        fs::resize_file(folder_ / "cut" / note().filename(), left);
        const auto opened = Database::open(
            {.directory = folder_ / "cut", .create = false, .memory_bytes = kMemory});
        ASSERT_FALSE(opened.has_value());
        EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
    }
}

TEST_F(DurableLengthTest, goes_with_its_manifest) {
    for (int i = 0; i < 3; ++i)
        put(*must_open(), Table::accounts, bytes("a"), {static_cast<std::uint8_t>(i)});
    must_open().reset();
    std::set<std::string> lengths;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db"))
        if (entry.path().extension() == kNote) lengths.insert(entry.path().native());
    EXPECT_EQ(lengths, std::set<std::string>{note().native()});

    ASSERT_TRUE(Database::destroy(folder_ / "db").has_value());
    EXPECT_FALSE(fs::exists(*lengths.begin()));
}

}  // namespace
}  // namespace heddle::ledger
