// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The records of a snapshot: how they are cut into chunks, which there are, and where.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/snapshot.hpp>

#include "random.hpp"
#include "snapshot_records.hpp"
#include "storage/schema.hpp"
#include "tools/snapshot_stream.hpp"

namespace heddle::ledger {
namespace {

TEST(RecordStream, chunks_are_full_and_records_go_on_in_the_next) {
    test::Random random(43);
    std::vector<Bytes> chunks;
    RecordWriter writer([&](BytesView chunk) -> std::expected<void, LedgerError> {
        chunks.emplace_back(chunk.begin(), chunk.end());
        return {};
    });
    std::vector<Bytes> codes;
    for (const std::size_t size : {std::size_t{1}, std::size_t{3} << 20, std::size_t{25} << 20,
                                   kSnapshotChunkBytes - 5, std::size_t{100}})
        codes.emplace_back(size, static_cast<std::uint8_t>(random.below(256)));
    std::ranges::sort(codes, {}, [](const Bytes& code) { return keccak256(code); });
    Bytes header;
    schema::encode_header_record({}, header);
    ASSERT_TRUE(writer.add(RecordKind::header, header).has_value());
    ASSERT_TRUE(writer.add(RecordKind::block, Bytes(sizeof(std::uint64_t) + 1)).has_value());
    for (const Bytes& code : codes)
        ASSERT_TRUE(writer.add(RecordKind::code, code).has_value());
    ASSERT_TRUE(writer.finish().has_value());

    ASSERT_EQ(chunks.size(), 4u);
    for (std::size_t i = 0; i + 1 < chunks.size(); ++i)
        EXPECT_EQ(chunks[i].size(), kSnapshotChunkBytes);
    Records records;
    RecordReader reader(0);
    for (const Bytes& chunk : chunks) {
        // Everything that it needs to go on can be kept elsewhere.
        Bytes state;
        reader.encode(state);
        reader = *RecordReader::decode(0, state);
        ASSERT_TRUE(reader.read(chunk, records).has_value());
    }
    ASSERT_TRUE(reader.finish().has_value());
    ASSERT_EQ(records.records.size(), 2 + codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i)
        EXPECT_TRUE(records.records[2 + i].payload == codes[i]);
}

/// Also of the last number that there is.
TEST(RecordStream, has_the_headers_that_block_hash_reaches_and_the_blocks_that_ommers_reach) {
    struct Case {
        std::uint64_t last, headers, second_header, blocks, first_block;
    };
    for (const Case& c :
         {Case{0, 1, 1, 1, 0}, Case{6, 7, 1, 7, 0}, Case{7, 8, 1, 7, 1}, Case{255, 256, 1, 7, 249},
          Case{256, 257, 1, 7, 250}, Case{257, 257, 2, 7, 251},
          Case{UINT64_MAX, 257, UINT64_MAX - 255, 7, UINT64_MAX - 6}}) {
        EXPECT_EQ(header_count(c.last), c.headers) << c.last;
        EXPECT_EQ(header_number(c.last, 0), 0u);
        EXPECT_EQ(header_number(c.last, 1), c.second_header) << c.last;
        EXPECT_EQ(header_number(c.last, c.headers - 1), c.last);
        EXPECT_EQ(block_count(c.last), c.blocks) << c.last;
        EXPECT_EQ(whole_block_number(c.last, 0), c.first_block) << c.last;
        EXPECT_EQ(whole_block_number(c.last, c.blocks - 1), c.last);
    }
}

/// Readers that earlier versions put away do not say what there was.
TEST(RecordStream, a_reader_of_an_earlier_version_is_not_gone_on_with) {
    const Bytes earlier{static_cast<std::uint8_t>(RecordKind::header), 0, 0, 0};

    EXPECT_FALSE(RecordReader::decode(0, earlier).has_value());
}

/// It was written, and no node could restore it.
TEST(RecordStream, a_record_that_no_reader_takes_is_not_written) {
    std::size_t chunks = 0;
    RecordWriter writer([&](BytesView) -> std::expected<void, LedgerError> {
        ++chunks;
        return {};
    });

    const auto added = writer.add(RecordKind::block, Bytes(kMaxRecordBytes + 1));

    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().code, LedgerErrorCode::unavailable);
    EXPECT_EQ(chunks, 0u);
}

}  // namespace
}  // namespace heddle::ledger
