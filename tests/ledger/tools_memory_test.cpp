// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What work on a whole ledger takes of the memory. Its own program, because it replaces the global
// allocation functions.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include <types/ordered_root.hpp>
#include <types/rlp.hpp>

#include <ledger/snapshot.hpp>

#include "storage/byte_codec.hpp"
#include "tools/block_check.hpp"
#include "tools/state_walk.hpp"
#include "tools_chain.hpp"

namespace {
std::atomic<std::size_t> largest{0};
}  // namespace

void* operator new(std::size_t size) {
    std::size_t before = largest.load();
    while (before < size && !largest.compare_exchange_weak(before, size)) {
    }
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace heddle::ledger {
namespace {

class ToolsMemoryTest : public testing::Test {
protected:
    [[nodiscard]] static DurableLedgerOptions options_of(const std::string& directory) {
        return test::tools_options(directory);
    }

    test::TemporaryFolder folder_;
};

/// Everything of a chunk was written at once, which took six times as much.
TEST_F(ToolsMemoryTest, no_piece_of_memory_of_a_restore_is_larger_than_a_chunk) {
    const std::string snapshot = folder_ / "snapshot";
    {
        Genesis genesis;
        genesis.alloc.push_back({address_from_low64(1), 1, 1, {}, {}});
        for (std::uint64_t i = 1; i <= 200'000; ++i)
            genesis.alloc[0].storage.emplace_back(to_word(keccak256(schema::number_key(i))), i);
        auto made = DurableLedger::create(options_of(folder_ / "source"), genesis, Bytes{});
        ASSERT_TRUE(made.has_value()) << to_string(made.error());
        auto writer = (*made)->begin_snapshot();
        ASSERT_TRUE(writer.has_value());
        ASSERT_TRUE((*writer)->write(snapshot, {}).has_value());
    }
    const auto reader = SnapshotReader::open(snapshot);
    ASSERT_TRUE(reader.has_value());
    const Bytes chunk = *reader->read_chunk(0);
    ASSERT_GT(chunk.size(), kSnapshotChunkBytes / 2);
    ASSERT_EQ(reader->manifest().chunks.size(), 1u);

    auto restorer = SnapshotRestorer::begin(test::maintenance_options(folder_ / "data"),
                                            reader->manifest_bytes());
    ASSERT_TRUE(restorer.has_value()) << to_string(restorer.error());
    largest = 0;
    ASSERT_TRUE(restorer->apply(chunk).has_value());
    ASSERT_TRUE(restorer->finish().has_value());

    EXPECT_LE(largest.load(), chunk.size());
}

TEST_F(ToolsMemoryTest, state_is_walked_in_smaller_parts_where_there_is_little_memory) {
    auto made =
        DurableLedger::create(options_of(folder_ / "data"), test::ToolsChain::genesis(), Bytes{});
    ASSERT_TRUE(made.has_value());
    const Hash expected = (*made)->head().header.state_root;
    ASSERT_TRUE((*made)->close().has_value());
    made->reset();
    const auto database = open_database(folder_ / "data", std::size_t{16} << 20);
    ASSERT_TRUE(database.has_value());
    const auto rounds_within = [&](std::size_t memory_bytes) {
        std::size_t rounds = 0;
        StateWalkOptions options;
        options.memory_bytes = memory_bytes;
        options.on_progress = [&](const StateWalkCounts&) { ++rounds; };
        StateWalkCounts counts;
        EXPECT_EQ(walk_state(**database, options, [](const std::string&) {}, counts), expected);
        return rounds;
    };

    EXPECT_EQ(rounds_within(std::size_t{256} << 20), 1u);
    EXPECT_EQ(rounds_within(1), 2u);
}

/// They were read to their end, whatever their size, before anything was found wrong with them.
TEST_F(ToolsMemoryTest, small_files_of_a_data_directory_are_read_no_further_than_they_may_be) {
    constexpr std::uintmax_t kFar = std::uintmax_t{256} << 20;  // none of it on the disk
    const std::string directory = folder_ / "data";
    {
        auto made = DurableLedger::create(options_of(directory), {}, Bytes{});
        ASSERT_TRUE(made.has_value());
        ASSERT_TRUE((*made)->close().has_value());
    }
    const std::string current = directory + "/ledger/CURRENT";
    const std::uintmax_t size = std::filesystem::file_size(current);
    std::filesystem::resize_file(current, kFar);
    largest = 0;
    const auto opened = open_database(directory, std::size_t{16} << 20);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
    EXPECT_LE(largest.load(), std::size_t{1} << 20);

    std::filesystem::resize_file(current, size);
    const std::string mark = directory + "/ledger.unfinished";
    std::ofstream{mark} << "snapshot";
    std::filesystem::resize_file(mark, kFar);
    largest = 0;
    // The restorer's: hours of its work may lie beside it.
    const auto made = NewDatabase::create(directory, std::size_t{16} << 20);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, LedgerErrorCode::unfinished);
    EXPECT_LE(largest.load(), std::size_t{32} << 20);
}

/// Decoded as a whole, a stranger's block took a hundred times as much as it has bytes.
TEST_F(ToolsMemoryTest, transactions_and_receipts_of_a_block_are_checked_some_at_a_time) {
    constexpr std::size_t kCount = 100'000;
    // Nothing but what they must have: v is 27, r and s are 1. A receipt has neither gas nor logs.
    const Bytes transaction{0xc9, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x1b, 0x01, 0x01};
    const Bytes receipt{0xc4, 0x80, 0x01, 0x80, 0xc0};
    Bytes body;
    Bytes receipts;
    for (std::size_t i = 0; i < kCount; ++i) {
        append(transaction, body);
        append(receipt, receipts);
    }
    rlp::wrap_list(0, body);
    rlp::encode_list_header(0, body);
    Bytes encoded;
    encode_receipt(schema::decode_receipts(receipt)->front(), encoded);
    BlockHeader header;
    header.transactions_root = ordered_root(std::vector<Bytes>(kCount, transaction));
    header.ommers_hash = ommers_hash({});
    header.receipts_root = ordered_root(std::vector<Bytes>(kCount, encoded));
    largest = 0;

    const StoredBlockCheck checked = check_stored_block(header, body, receipts);

    EXPECT_EQ(checked.problem, std::nullopt);
    EXPECT_EQ(checked.transactions, kCount);
    EXPECT_LE(largest.load(), 5 * body.size());
    std::size_t visited = 0;
    const auto all = visit_transactions(
        body,
        [&](std::size_t first, std::span<Transaction> some) -> std::expected<void, LedgerError> {
            EXPECT_EQ(first, visited);
            visited += some.size();
            return {};
        });
    EXPECT_TRUE(all.has_value());
    EXPECT_EQ(visited, kCount);
    EXPECT_LE(largest.load(), 5 * body.size());
}

/// All that had changed in 64 blocks, or in blocks with 200,000 changes, was held.
TEST_F(ToolsMemoryTest, verification_takes_back_as_many_blocks_as_its_memory_holds) {
    constexpr std::uint64_t kHead = 30;
    test::Random random{46};
    const test::ToolsChain chain{random, kHead};
    test::make_ledger(folder_ / "data", chain, kHead);
    const auto states_within = [&](std::size_t memory_bytes) {
        VerifyOptions options;
        options.ledger = test::maintenance_options(folder_ / "data");
        options.ledger.memory_bytes = memory_bytes;
        const auto report = verify(options);
        EXPECT_TRUE(report.has_value() && report->is_good());
        return report.value_or(VerifyReport{}).states;
    };

    EXPECT_EQ(states_within(std::size_t{64} << 20), 1 + kHead);
    const std::uint64_t few = states_within(std::size_t{64} << 10);
    EXPECT_GT(few, 1u);
    EXPECT_LT(few, 1 + kHead);
}

}  // namespace
}  // namespace heddle::ledger
