// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_store.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include <consensus_adapter/lanes/placement.hpp>

#include "../scratch_file.hpp"
#include "forced_files.hpp"

namespace heddle::consensus_adapter::lanes {
namespace {

using consensus_adapter::test::ScratchFile;

constexpr LaneLogHead kHead{1, 3, 0};

Bytes block_of(std::uint64_t height, std::size_t item_bytes = 40) {
    LaneBlock block;
    block.lane = kHead.lane;
    block.height = height;
    block.time_ms = 1000 * height;
    block.items.emplace_back(item_bytes, static_cast<std::uint8_t>(height));
    Bytes bytes;
    encode_lane_block(block, bytes);
    return bytes;
}

std::unique_ptr<LaneStore> open(const std::string& path, LaneLogHead head = kHead) {
    auto store = LaneStore::open(path, head);
    EXPECT_TRUE(store.has_value()) << to_string(store.error());
    return *std::move(store);
}

void append(LaneStore& store, std::uint64_t height) {
    ASSERT_TRUE(store.append(block_of(height), LaneStore::Keeping::durable).has_value());
}

TEST(LaneStore, keeps_blocks_by_height_over_a_restart) {
    const ScratchFile file{{}};
    Hash digest;
    {
        const auto store = open(file.path());
        EXPECT_EQ(store->height(), 0u);
        EXPECT_TRUE(store->digest().is_zero());
        for (std::uint64_t height = 1; height <= 5; ++height)
            append(*store, height);
        digest = store->digest();
    }
    const auto store = open(file.path());
    EXPECT_EQ(store->height(), 5u);
    EXPECT_EQ(store->digest(), digest);
    EXPECT_EQ(store->dropped_bytes(), 0u);
    EXPECT_EQ(store->bytes_after(0), 5 * (block_of(1).size() + 8));
    EXPECT_EQ(store->bytes_after(4), block_of(5).size() + 8);
    EXPECT_EQ(store->bytes_after(5), 0u);
    for (std::uint64_t height = 1; height <= 5; ++height)
        EXPECT_EQ(store->read(height).value(), block_of(height));
}

/// A loss of power could take the whole log, or what came after a shortening, with the name.
TEST(LaneStore, its_name_is_forced_to_the_disk_where_it_is_new) {
    const ScratchFile file{{}};
    const auto folder = std::filesystem::path{file.path()}.parent_path();
    heddle::test::forget_forced_files();
    const auto store = open(file.path());
    EXPECT_TRUE(heddle::test::is_forced(folder));
    for (std::uint64_t height = 1; height <= 3; ++height)
        append(*store, height);

    heddle::test::forget_forced_files();
    ASSERT_TRUE(store->give_up_to(2).has_value());
    EXPECT_TRUE(heddle::test::is_forced(folder));
}

TEST(LaneStore, is_a_log_that_is_read_front_to_back_too) {
    const ScratchFile file{{}};
    {
        const auto store = open(file.path());
        append(*store, 1);
        append(*store, 2);
    }
    auto reader = LaneLogReader::open(file.path());
    ASSERT_TRUE(reader.has_value());
    EXPECT_EQ(reader->head(), kHead);
    EXPECT_EQ(reader->next().value()->height, 1u);
    EXPECT_EQ(reader->next().value()->height, 2u);
    EXPECT_FALSE(reader->next().value().has_value());
}

TEST(LaneStore, cuts_off_whatever_a_crash_left_at_its_end) {
    Bytes whole;
    {
        const ScratchFile file{{}};
        const auto store = open(file.path());
        append(*store, 1);
        append(*store, 2);
        whole = consensus_adapter::test::read_file(file.path());
    }
    // Every length that a file may have had when the machine stopped.
    const ScratchFile first{{}};
    append(*open(first.path()), 1);
    const std::size_t one = consensus_adapter::test::read_file(first.path()).size();
    for (std::size_t size = one; size < whole.size(); ++size) {
        const ScratchFile file{Bytes(whole.begin(), whole.begin() + static_cast<long>(size))};
        const auto store = open(file.path());
        EXPECT_EQ(store->height(), 1u) << size;
        EXPECT_EQ(store->dropped_bytes(), size - one);
        append(*store, 2);
        EXPECT_EQ(store->read(2).value(), block_of(2));
    }
}

TEST(LaneStore, keeps_what_is_before_a_damaged_block_and_nothing_after_it) {
    const ScratchFile file{{}};
    {
        const auto store = open(file.path());
        for (std::uint64_t height = 1; height <= 3; ++height)
            append(*store, height);
    }
    Bytes bytes = consensus_adapter::test::read_file(file.path());
    const std::size_t record = (bytes.size() - 16) / 3;
    bytes[16 + record + 20] ^= 1;
    const ScratchFile damaged{bytes};
    EXPECT_EQ(open(damaged.path())->height(), 1u);
}

// Who goes on with a file whose beginning says something else would cut off all of it, as if a
// crash had left it half written.
TEST(LaneStore, cuts_nothing_off_where_its_beginning_is_damaged) {
    const ScratchFile file{{}};
    {
        const auto store = open(file.path());
        for (std::uint64_t height = 1; height <= 5; ++height)
            append(*store, height);
        ASSERT_TRUE(store->give_up_to(3).has_value());
    }
    const Bytes whole = consensus_adapter::test::read_file(file.path());
    constexpr std::size_t kRecordsAt = 60;
    for (std::size_t bit = 0; bit < 8 * kRecordsAt; ++bit) {
        Bytes bytes = whole;
        bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        const ScratchFile damaged{bytes};
        EXPECT_FALSE(LaneStore::open(damaged.path(), kHead).has_value()) << bit;
        EXPECT_EQ(consensus_adapter::test::read_file(damaged.path()), bytes) << bit;
    }
}

/// The beginning is that of an earlier program: without the checksum.
TEST(LaneStore, goes_on_with_a_log_that_an_earlier_program_has_shortened) {
    const ScratchFile file{{}};
    Hash digest;
    {
        const auto store = open(file.path());
        for (std::uint64_t height = 1; height <= 5; ++height)
            append(*store, height);
        ASSERT_TRUE(store->give_up_to(3).has_value());
        digest = store->digest();
    }
    Bytes bytes = consensus_adapter::test::read_file(file.path());
    bytes[8] = 2;
    bytes.erase(bytes.begin() + 56, bytes.begin() + 60);
    const ScratchFile earlier{bytes};
    {
        const auto store = open(earlier.path());
        EXPECT_EQ(store->given_up(), 3u);
        EXPECT_EQ(store->height(), 5u);
        EXPECT_EQ(store->digest(), digest);
        EXPECT_EQ(store->read(4).value(), block_of(4));
        append(*store, 6);
        ASSERT_TRUE(store->give_up_to(4).has_value());
    }
    EXPECT_EQ(consensus_adapter::test::read_file(earlier.path())[8], 4);
    const auto store = open(earlier.path());
    EXPECT_EQ(store->height(), 6u);
    EXPECT_EQ(store->read(5).value(), block_of(5));
    EXPECT_EQ(store->digest(), next_digest(digest, block_of(6)));
}

/// Until its name is durable a loss of power may bring back the file before it was shortened, which
/// gets no more blocks.
TEST(LaneStore, appends_nothing_durably_to_a_file_whose_name_is_not) {
    const ScratchFile file{{}};
    const auto folder = std::filesystem::path{file.path()}.parent_path();
    const auto store = open(file.path());
    for (std::uint64_t height = 1; height <= 3; ++height)
        append(*store, height);
    heddle::test::forget_forced_files();
    heddle::test::refuse_to_force(folder);
    const auto given_up = store->give_up_to(2);
    ASSERT_FALSE(given_up.has_value());
    EXPECT_EQ(given_up.error().code, SourceErrorCode{FileFault::write_failed});
    EXPECT_EQ(store->given_up(), 2u) << "the blocks are gone, as the contract says";

    EXPECT_FALSE(store->append(block_of(4), LaneStore::Keeping::durable).has_value());
    EXPECT_EQ(store->height(), 3u);
    EXPECT_TRUE(store->append(block_of(4), LaneStore::Keeping::written).has_value());
    heddle::test::forget_forced_files();
    append(*store, 5);
    EXPECT_TRUE(heddle::test::is_forced(folder));
    EXPECT_EQ(store->read(5).value(), block_of(5));
}

TEST(LaneStore, tells_a_block_that_was_damaged_while_it_was_open) {
    const ScratchFile file{{}};
    const auto store = open(file.path());
    append(*store, 1);
    {
        std::fstream stream{file.path(), std::ios::in | std::ios::out | std::ios::binary};
        stream.seekp(30);
        stream.put('\x7f');
    }
    const auto read = store->read(1);
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code, SourceErrorCode{LaneLogFault::malformed_block});
}

TEST(LaneStore, gives_up_old_blocks_and_goes_on_with_the_same_digest) {
    const ScratchFile file{{}};
    const ScratchFile whole_file{{}};
    const auto whole = open(whole_file.path());
    for (std::uint64_t height = 1; height <= 7; ++height)
        append(*whole, height);
    {
        const auto store = open(file.path());
        for (std::uint64_t height = 1; height <= 5; ++height)
            append(*store, height);
        ASSERT_TRUE(store->give_up_to(3).has_value());
        ASSERT_TRUE(store->give_up_to(2).has_value()) << "nothing more";
        EXPECT_EQ(store->given_up(), 3u);
        EXPECT_EQ(store->height(), 5u);
        EXPECT_EQ(store->read(4).value(), block_of(4));
        EXPECT_EQ(store->bytes_after(0), 2 * (block_of(1).size() + 8));
        EXPECT_EQ(store->bytes_after(4), block_of(5).size() + 8);
        append(*store, 6);
        const auto gone = store->read(3);
        ASSERT_FALSE(gone.has_value());
        EXPECT_NE(to_string(gone.error()).find("height 3 was given up"), std::string::npos);
        EXPECT_FALSE(LaneStore::open(file.path(), kHead).has_value()) << "it is locked as before";
    }
    const auto store = open(file.path());
    EXPECT_EQ(store->given_up(), 3u);
    EXPECT_EQ(store->height(), 6u);
    EXPECT_EQ(store->read(6).value(), block_of(6));
    append(*store, 7);
    EXPECT_EQ(store->digest(), whole->digest());
    ASSERT_TRUE(store->give_up_to(7).has_value());
    EXPECT_EQ(store->height(), 7u);
    EXPECT_EQ(store->digest(), whole->digest());
    EXPECT_LT(consensus_adapter::test::read_file(file.path()).size(), 100u);
    const auto reader = LaneLogReader::open(file.path());
    ASSERT_FALSE(reader.has_value());
    EXPECT_NE(to_string(reader.error()).find("oldest blocks were given up"), std::string::npos);
}

TEST(LaneStore, begins_where_it_is_told_to_if_it_is_made) {
    const ScratchFile file{{}};
    Hash digest;
    digest.bytes[3] = 9;
    {
        const auto store = LaneStore::open(file.path(), kHead, {41, digest});
        ASSERT_TRUE(store.has_value());
        EXPECT_EQ((*store)->height(), 41u);
        EXPECT_EQ((*store)->digest(), digest);
        append(**store, 42);
    }
    const auto store = open(file.path());
    EXPECT_EQ(store->height(), 42u);
    EXPECT_EQ(store->digest(), next_digest(digest, block_of(42)));
}

TEST(LaneStore, is_of_one_lane_and_one_process) {
    const ScratchFile file{{}};
    const auto store = open(file.path());
    const auto again = LaneStore::open(file.path(), kHead);
    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().reason, "another process has this log");

    const ScratchFile other{{}};
    append(*open(other.path()), 1);
    const auto wrong = LaneStore::open(other.path(), {2, 3, 0});
    ASSERT_FALSE(wrong.has_value());
    EXPECT_EQ(wrong.error().code, SourceErrorCode{LaneLogFault::wrong_place});

    const ScratchFile text{Bytes(100, 'x')};
    const auto none = LaneStore::open(text.path(), kHead);
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().code, SourceErrorCode{LaneLogFault::not_a_lane_log});
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
