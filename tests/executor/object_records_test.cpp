// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "dag/object_records.hpp"

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

/// Everything from position 1 on is in flight.
constexpr std::uint64_t kStart = 1;

Predecessors read_at(ObjectRecord& record, std::uint64_t position,
                     std::uint64_t watermark = kStart) {
    return order(record, AccessMode::read, position, watermark);
}
Predecessors write_at(ObjectRecord& record, std::uint64_t position,
                      std::uint64_t watermark = kStart) {
    return order(record, AccessMode::write, position, watermark);
}
void move_at(ObjectRecord& record, AccessMode mode, std::uint64_t position) {
    const Predecessors before = order(record, mode, position, kStart);
    EXPECT_EQ(before.complete, 0u);
    EXPECT_EQ(before.commit, 0u);
}

TEST(ObjectRecord, first_access_waits_for_nobody) {
    for (const AccessMode mode :
         {AccessMode::read, AccessMode::write, AccessMode::add, AccessMode::debit}) {
        ObjectRecord record;
        const Predecessors before = order(record, mode, 1, kStart);
        EXPECT_EQ(before.complete, 0u);
        EXPECT_EQ(before.commit, 0u);
    }
}

TEST(ObjectRecord, reader_and_writer_wait_for_the_last_writer) {
    ObjectRecord record;
    static_cast<void>(write_at(record, 1));
    EXPECT_EQ(read_at(record, 2).complete, 1u);
    EXPECT_EQ(write_at(record, 3).complete, 1u);
    EXPECT_EQ(read_at(record, 4).complete, 3u);
    EXPECT_EQ(read_at(record, 5).complete, 3u);
}

TEST(ObjectRecord, writer_waits_for_no_reader) {
    ObjectRecord record;
    static_cast<void>(read_at(record, 1));
    const Predecessors before = write_at(record, 2);
    EXPECT_EQ(before.complete, 0u);
    EXPECT_EQ(before.commit, 0u);
}

TEST(ObjectRecord, moves_wait_for_nobody) {
    ObjectRecord record;
    static_cast<void>(write_at(record, 1));
    move_at(record, AccessMode::add, 2);
    move_at(record, AccessMode::debit, 3);
    move_at(record, AccessMode::add, 4);
}

TEST(ObjectRecord, reader_waits_for_the_last_writer_and_for_the_commit_of_the_last_move) {
    ObjectRecord record;
    static_cast<void>(write_at(record, 1));
    move_at(record, AccessMode::add, 2);
    move_at(record, AccessMode::debit, 3);
    const Predecessors before = read_at(record, 4);
    EXPECT_EQ(before.complete, 1u);
    EXPECT_EQ(before.commit, 3u);
}

TEST(ObjectRecord, moves_before_the_last_writer_are_the_writers_business) {
    ObjectRecord record;
    move_at(record, AccessMode::debit, 1);
    EXPECT_EQ(write_at(record, 2).commit, 1u);
    const Predecessors before = read_at(record, 3);
    EXPECT_EQ(before.complete, 2u);
    EXPECT_EQ(before.commit, 0u);
}

TEST(ObjectRecord, what_is_below_the_watermark_is_done) {
    ObjectRecord record;
    static_cast<void>(write_at(record, 3));
    EXPECT_EQ(read_at(record, 9, 3).complete, 3u);
    EXPECT_EQ(read_at(record, 9, 4).complete, 0u);
    move_at(record, AccessMode::add, 5);
    EXPECT_EQ(read_at(record, 9, 5).commit, 5u);
    EXPECT_EQ(read_at(record, 9, 6).commit, 0u);
}

TEST(ObjectRecords, stay_where_they_are_when_more_are_made) {
    ObjectRecords records;
    ObjectRecord& first = records[0];
    first.last_writer = 7;
    records[1'000'000].last_writer = 8;
    EXPECT_EQ(&records[0], &first);
    EXPECT_EQ(records[0].last_writer, 7u);
    EXPECT_EQ(records[1'000'000].last_writer, 8u);
    EXPECT_EQ(records[999'999].last_writer, 0u);
}

TEST(ObjectRecords, are_as_many_as_the_largest_number_and_give_back_what_is_beyond_those_kept) {
    constexpr auto kChunk = static_cast<std::uint32_t>(ObjectRecords::kChunk);
    ObjectRecords records;
    EXPECT_EQ(records.memory_bytes(), 0u);
    for (std::uint32_t chunk = 0; chunk < 5; ++chunk)
        records[chunk * kChunk].last_writer = chunk + 1;
    EXPECT_EQ(records.memory_bytes(), 5 * ObjectRecords::kChunkBytes);

    records.shrink(kChunk + 1);
    EXPECT_EQ(records.memory_bytes(), 2 * ObjectRecords::kChunkBytes);
    EXPECT_EQ(records[kChunk].last_writer, 2u) << "what is kept stays as it was";
    EXPECT_EQ(records[2 * kChunk].last_writer, 0u) << "what comes back is new";

    records.shrink(0);
    EXPECT_EQ(records.memory_bytes(), 0u);
}

}  // namespace
}  // namespace heddle::executor
