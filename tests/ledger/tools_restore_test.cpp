// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Restoring a snapshot of several chunks: each is one step, and a crash between two loses nothing.

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/snapshot.hpp>

#include "durable/records.hpp"
#include "tools_chain.hpp"

namespace heddle::ledger {
namespace {

/// Slots in one account until there are several chunks.
class LargeSnapshotTest : public testing::Test {
protected:
    void SetUp() override {
        Genesis genesis;
        for (std::uint64_t i = 0; i < 40; ++i)
            genesis.alloc.push_back(
                {address_from_low64(i), 1, i, Bytes(24'000, static_cast<std::uint8_t>(i)), {}});
        for (std::uint64_t i = 1; i <= 300'000; ++i)
            genesis.alloc[7].storage.emplace_back(keccak_word(i), keccak_word(i + 1));
        auto options = test::tools_options(source_);
        auto made = DurableLedger::create(options, genesis, Bytes{});
        ASSERT_TRUE(made.has_value()) << to_string(made.error());
        auto writer = (*made)->begin_snapshot();
        ASSERT_TRUE(writer.has_value());
        ASSERT_TRUE((*writer)->write(snapshot_, {}).has_value());
    }
    static Uint256 keccak_word(std::uint64_t i) {
        return to_word(keccak256(schema::number_key(i)));
    }

    test::TemporaryFolder folder_;
    const std::string source_ = folder_ / "source";
    const std::string snapshot_ = folder_ / "snapshot";
};

TEST_F(LargeSnapshotTest, restore_goes_on_after_a_crash_at_any_chunk) {
    const auto reader = SnapshotReader::open(snapshot_);
    ASSERT_TRUE(reader.has_value());
    const std::size_t count = reader->manifest().chunks.size();
    ASSERT_GE(count, 3u);
    ASSERT_TRUE(verify_snapshot(snapshot_, {}).has_value());
    const std::string directory = folder_ / "data";
    const MaintenanceOptions options = test::maintenance_options(directory);
    std::vector<std::string> copies;
    {
        auto restorer = SnapshotRestorer::begin(options, reader->manifest_bytes());
        ASSERT_TRUE(restorer.has_value()) << to_string(restorer.error());
        EXPECT_EQ(restorer->next_chunk(), 0u);
        // A chunk out of turn changes nothing.
        EXPECT_EQ(restorer->apply(*reader->read_chunk(1)).error().code,
                  LedgerErrorCode::bad_snapshot);
        EXPECT_EQ(restorer->finish().error().code, LedgerErrorCode::bad_snapshot);
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_TRUE(restorer->apply(*reader->read_chunk(i)).has_value());
            copies.push_back(folder_ / ("copy" + std::to_string(i)));
            test::copy_ledger(directory, copies.back());
        }
        ASSERT_TRUE(restorer->finish().has_value());
    }
    test::expect_sound(directory, 0);

    for (std::size_t i = 0; i < count; ++i) {
        const MaintenanceOptions there = test::maintenance_options(copies[i]);
        EXPECT_EQ(DurableLedger::open(test::tools_options(copies[i])).error().code,
                  LedgerErrorCode::unfinished);
        auto restorer = SnapshotRestorer::begin(there, reader->manifest_bytes());
        ASSERT_TRUE(restorer.has_value()) << to_string(restorer.error());
        ASSERT_EQ(restorer->next_chunk(), i + 1);
        for (std::size_t k = i + 1; k < count; ++k)
            ASSERT_TRUE(restorer->apply(*reader->read_chunk(k)).has_value());
        ASSERT_TRUE(restorer->finish().has_value());
        test::expect_same_tables(copies[i], directory);
    }
}

/// A ledger that began with a snapshot of block 300.
class RestoredLedgerTest : public testing::Test {
protected:
    static constexpr std::uint64_t kHead = 300;
    static constexpr std::uint64_t kFirstHeader = 45;

    void SetUp() override {
        test::Random random{42};
        const test::ToolsChain chain{random, kHead};
        const std::string snapshot = folder_ / "snapshot";
        test::make_ledger(folder_ / "source", chain, kHead);
        const auto source = DurableLedger::open(test::tools_options(folder_ / "source")).value();
        ASSERT_TRUE(source->begin_snapshot().value()->write(snapshot, {}).has_value());
        const auto reader = SnapshotReader::open(snapshot).value();
        auto restorer =
            SnapshotRestorer::begin(test::maintenance_options(sound_), reader.manifest_bytes());
        ASSERT_TRUE(restorer.has_value()) << to_string(restorer.error());
        ASSERT_TRUE(restorer->apply(reader.read_chunk(0).value()).has_value());
        ASSERT_TRUE(restorer->finish().has_value());
    }
    /// A copy of the sound ledger, changed.
    void damage(const std::function<void(const Database&, WriteBatch&)>& change) {
        test::copy_ledger(sound_, directory_);
        const auto database = open_database(directory_, std::size_t{16} << 20).value();
        WriteBatch batch = database->batch();
        change(*database, batch);
        ASSERT_TRUE(database->write(batch, true).has_value());
    }
    /// The header becomes another one, with which only its child does not agree.
    static void replace_header(const Database& database, std::uint64_t number, WriteBatch& batch) {
        schema::HeaderRecord record = read_header(database, number).value().value();
        batch.erase(Table::block_numbers, record.hash.view());
        record.header.extra_data.push_back(1);
        record.hash = header_hash(record.header);
        Bytes value;
        schema::encode_header_record(record, value);
        batch.put(Table::headers, schema::number_key(number), value);
        batch.put(Table::block_numbers, record.hash.view(), schema::number_key(number));
    }
    static void erase_header(const Database& database, std::uint64_t number, WriteBatch& batch) {
        const schema::HeaderRecord record = read_header(database, number).value().value();
        batch.erase(Table::block_numbers, record.hash.view());
        batch.erase(Table::headers, schema::number_key(number));
    }
    void expect_not_opened(const std::string& text) {
        const auto opened = DurableLedger::open(test::tools_options(directory_));
        ASSERT_FALSE(opened.has_value()) << "instead of: " << text;
        EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
        EXPECT_EQ(opened.error().detail, text);
    }
    void expect_verified(const std::vector<std::string>& problems) {
        EXPECT_EQ(test::verify_ledger(directory_).problems, problems);
    }

    test::TemporaryFolder folder_;
    const std::string sound_ = folder_ / "sound";
    const std::string directory_ = folder_ / "data";
};

/// Below its first block, too, where BLOCKHASH still reaches.
TEST_F(RestoredLedgerTest, headers_have_to_link_when_it_is_opened) {
    test::expect_sound(sound_, kHead);
    damage(
        [](const Database& database, WriteBatch& batch) { replace_header(database, 280, batch); });

    expect_not_opened("the header of block 280 is not the parent of the one after it");
    // One that names another parent, which is there.
    damage([](const Database& database, WriteBatch& batch) {
        replace_header(database, 280, batch);
        schema::HeaderRecord child = read_header(database, 281).value().value();
        schema::HeaderRecord parent = read_header(database, 280).value().value();
        parent.header.extra_data.push_back(1);
        child.header.parent_hash = header_hash(parent.header);
        Bytes value;
        schema::encode_header_record(child, value);
        batch.put(Table::headers, schema::number_key(281), value);
    });
    expect_not_opened("the header of block 281 is not the parent of the one after it");
}

/// Nothing held those below a missing one: BLOCKHASH gave what stood there.
TEST_F(RestoredLedgerTest, headers_below_its_first_block_have_no_gap) {
    damage([](const Database& database, WriteBatch& batch) {
        erase_header(database, 250, batch);
        replace_header(database, 200, batch);
    });
    expect_not_opened("the header of block 250 is missing");
    const VerifyReport report = test::verify_ledger(directory_);
    ASSERT_EQ(report.problem_count, 2u);
    EXPECT_NE(report.problems[0].find("block 201: the block before has hash"), std::string::npos)
        << report.problems[0];
    EXPECT_EQ(report.problems[1], "block 250: the header is missing");
    // All down to the first that the snapshot had, and that of block 0.
    damage([](const Database& database, WriteBatch& batch) {
        erase_header(database, kFirstHeader, batch);
    });
    expect_not_opened("the header of block 45 is missing");
    expect_verified({"block 45: the header is missing"});
    damage([](const Database& database, WriteBatch& batch) { erase_header(database, 0, batch); });
    expect_verified({"block 0: the header is missing"});
    damage([](const Database& database, WriteBatch& batch) {
        for (std::uint64_t number = kFirstHeader; number < kHead - 6; ++number)
            erase_header(database, number, batch);
    });
    expect_not_opened("the header of block 293 is missing");
    expect_verified({"block 293: the header is missing"});
}

/// Nothing is below its genesis block, and nothing is missing there.
TEST(LedgerOfALaterGenesis, has_no_headers_below) {
    test::TemporaryFolder folder;
    Genesis genesis;
    genesis.header.number = 1'000;
    {
        const auto made =
            DurableLedger::create(test::tools_options(folder / "data"), genesis, Bytes{});
        ASSERT_TRUE(made.has_value()) << to_string(made.error());
        EXPECT_EQ((*made)->header(999).value(), std::nullopt);
    }

    {
        const auto opened = DurableLedger::open(test::tools_options(folder / "data"));
        ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
        EXPECT_EQ((*opened)->first_block(), 1'000U);
        EXPECT_EQ((*opened)->header(0).value(), std::nullopt);
    }
    test::expect_sound(folder / "data", 1'000);
}

/// With each chunk of it, all of the record before was written once more.
TEST(LongRecord, is_begun_again_after_a_crash_and_kept_only_where_it_begins) {
    test::TemporaryFolder folder;
    const std::string snapshot = folder / "snapshot";
    {
        Genesis genesis;
        genesis.alloc.push_back({address_from_low64(1), 1, 1, Bytes(3 * kSnapshotChunkBytes), {}});
        auto made = DurableLedger::create(test::tools_options(folder / "source"), genesis, Bytes{});
        ASSERT_TRUE(made.has_value()) << to_string(made.error());
        auto writer = (*made)->begin_snapshot();
        ASSERT_TRUE(writer.has_value());
        ASSERT_TRUE((*writer)->write(snapshot, {}).has_value());
    }
    const auto reader = SnapshotReader::open(snapshot);
    ASSERT_TRUE(reader.has_value());
    const std::size_t count = reader->manifest().chunks.size();
    ASSERT_EQ(count, 4u);

    for (std::size_t applied = 1; applied < count; ++applied) {
        const std::string directory = folder / ("data" + std::to_string(applied));
        const MaintenanceOptions options = test::maintenance_options(directory);
        {
            auto restorer = SnapshotRestorer::begin(options, reader->manifest_bytes());
            ASSERT_TRUE(restorer.has_value()) << to_string(restorer.error());
            for (std::size_t i = 0; i < applied; ++i)
                ASSERT_TRUE(restorer->apply(*reader->read_chunk(i)).has_value());
        }
        {
            const auto database =
                Database::open({.directory = directory + "/ledger", .create = false});
            ASSERT_TRUE(database.has_value()) << to_string(database.error());
            const auto mark =
                (*database)->get(Table::meta, schema::meta_key(schema::Meta::restore));
            ASSERT_TRUE(mark.has_value() && mark->has_value());
            EXPECT_LE((*mark)->size(), kSnapshotChunkBytes + 256) << applied;
        }
        auto restorer = SnapshotRestorer::begin(options, reader->manifest_bytes());
        ASSERT_TRUE(restorer.has_value()) << to_string(restorer.error());
        EXPECT_EQ(restorer->next_chunk(), 1u) << applied;
        while (restorer->next_chunk() < count)
            ASSERT_TRUE(restorer->apply(*reader->read_chunk(restorer->next_chunk())).has_value());
        ASSERT_TRUE(restorer->finish().has_value());
        test::expect_sound(directory, 0);
    }
}

TEST_F(LargeSnapshotTest, one_that_was_abandoned_begins_anew) {
    const auto reader = SnapshotReader::open(snapshot_);
    ASSERT_TRUE(reader.has_value());
    const std::string directory = folder_ / "data";
    const MaintenanceOptions options = test::maintenance_options(directory);
    {
        auto restorer = SnapshotRestorer::begin(options, reader->manifest_bytes());
        ASSERT_TRUE(restorer.has_value());
        EXPECT_EQ(restorer->genesis_hash().error().code, LedgerErrorCode::bad_snapshot);
        ASSERT_TRUE(restorer->apply(*reader->read_chunk(0)).has_value());
        EXPECT_EQ(restorer->genesis_hash(), header_hash(reader->manifest().header));

        ASSERT_TRUE(restorer->abandon().has_value());
    }

    auto restorer = SnapshotRestorer::begin(options, reader->manifest_bytes());
    ASSERT_TRUE(restorer.has_value()) << to_string(restorer.error());
    EXPECT_EQ(restorer->next_chunk(), 0u);
    while (restorer->next_chunk() < reader->manifest().chunks.size())
        ASSERT_TRUE(restorer->apply(*reader->read_chunk(restorer->next_chunk())).has_value());
    ASSERT_TRUE(restorer->finish().has_value());
    test::expect_sound(directory, 0);
}

/// Hours of work began anew.
TEST_F(LargeSnapshotTest, what_lacks_nothing_but_the_removal_of_its_mark_is_finished) {
    const auto reader = SnapshotReader::open(snapshot_);
    ASSERT_TRUE(reader.has_value());
    const std::size_t count = reader->manifest().chunks.size();
    const std::string directory = folder_ / "data";
    const MaintenanceOptions options = test::maintenance_options(directory);
    const auto restore = [&](std::size_t expected_next) {
        auto restorer = SnapshotRestorer::begin(options, reader->manifest_bytes());
        ASSERT_TRUE(restorer.has_value()) << to_string(restorer.error());
        EXPECT_EQ(restorer->next_chunk(), expected_next);
        while (restorer->next_chunk() < count)
            ASSERT_TRUE(restorer->apply(*reader->read_chunk(restorer->next_chunk())).has_value());
        EXPECT_EQ(restorer->genesis_hash(), header_hash(reader->manifest().header));
        ASSERT_TRUE(restorer->finish().has_value());
    };
    const auto put_mark = [&] { std::ofstream{directory + "/ledger.unfinished"} << "snapshot"; };
    restore(0);
    const auto tables = test::dump(directory);

    put_mark();
    restore(count);

    test::expect_sound(directory, 0);
    EXPECT_TRUE(test::dump(directory) == tables);

    put_mark();
    {
        auto restorer = SnapshotRestorer::begin(options, reader->manifest_bytes());
        ASSERT_TRUE(restorer.has_value());
        ASSERT_TRUE(restorer->abandon().has_value());
    }
    restore(0);
}

TEST_F(LargeSnapshotTest, writing_ends_soon_once_it_is_stopped) {
    auto ledger = DurableLedger::open(test::tools_options(source_));
    ASSERT_TRUE(ledger.has_value());
    auto writer = (*ledger)->begin_snapshot();
    ASSERT_TRUE(writer.has_value());
    (*writer)->stop();

    EXPECT_EQ((*writer)->write(folder_ / "stopped", {}).error().code, LedgerErrorCode::unavailable);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "stopped"));
}

TEST_F(LargeSnapshotTest, another_snapshot_begins_anew) {
    const auto reader = SnapshotReader::open(snapshot_);
    ASSERT_TRUE(reader.has_value());
    const MaintenanceOptions options = test::maintenance_options(folder_ / "data");
    {
        auto restorer = SnapshotRestorer::begin(options, reader->manifest_bytes());
        ASSERT_TRUE(restorer->apply(*reader->read_chunk(0)).has_value());
    }
    SnapshotManifest other = reader->manifest();
    other.chain = Bytes{1};

    auto restorer = SnapshotRestorer::begin(options, encode_manifest(other));

    ASSERT_TRUE(restorer.has_value()) << to_string(restorer.error());
    EXPECT_EQ(restorer->next_chunk(), 0u);
    for (std::size_t i = 0; i < other.chunks.size(); ++i)
        ASSERT_TRUE(restorer->apply(*reader->read_chunk(i)).has_value());
    ASSERT_TRUE(restorer->finish().has_value());
    test::expect_sound(folder_ / "data", 0);
}

}  // namespace
}  // namespace heddle::ledger
