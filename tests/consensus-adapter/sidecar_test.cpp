// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/sidecar.hpp>

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/block.hpp>

#include "fake_source.hpp"
#include "scratch_file.hpp"

namespace heddle::consensus_adapter {
namespace {

using test::FakeSource;
using test::ScratchFile;
using testing::HasSubstr;

constexpr std::size_t kHeadBytes = 12;

/// Sets that tell one block and transaction from another.
std::vector<ObjectSet> sets_of(std::uint64_t number, std::size_t count) {
    std::vector<ObjectSet> sets;
    sets.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        sets.push_back(ObjectSet{
            {{{address_from_low64(number), ObjectKind::storage, Uint256{i}}, AccessMode::write}}});
    return sets;
}

Hash hash_of(std::uint64_t number, std::size_t transaction_count) {
    return header_hash(test::sample_block(number, transaction_count).header);
}

struct Entry {
    std::uint64_t number;
    Hash hash;
    std::vector<ObjectSet> sets;
};

/// A whole sidecar, as bytes.
Bytes sidecar(const std::vector<Entry>& entries) {
    const ScratchFile file{{}};
    auto writer = SidecarWriter::create(file.path());
    EXPECT_TRUE(writer.has_value());
    for (const Entry& entry : entries)
        EXPECT_TRUE(writer->append(entry.number, entry.hash, entry.sets).has_value());
    EXPECT_TRUE(writer->finish().has_value());
    return test::read_file(file.path());
}

/// Blocks 1 to 3 with two transactions each.
Bytes small_sidecar() {
    return sidecar({{1, hash_of(1, 2), sets_of(1, 2)},
                    {2, hash_of(2, 2), sets_of(2, 2)},
                    {3, hash_of(3, 2), sets_of(3, 2)}});
}

/// What next() gives in the end when a file of these bytes is read.
SourceError error_of(const Bytes& bytes) {
    const ScratchFile file{bytes};
    auto reader = SidecarReader::open(file.path());
    if (!reader.has_value()) return reader.error();
    for (;;) {
        auto record = reader->next();
        if (!record.has_value()) return record.error();
        if (!record->has_value()) break;
    }
    ADD_FAILURE() << "no error";
    return {};
}

TEST(Sidecar, bytes_are_pinned) {
    Hash hash;
    hash.bytes.fill(0xab);

    const Bytes bytes = sidecar({{7, hash, sets_of(1, 1)}});

    EXPECT_EQ(to_hex(bytes),
              "0x8948444c53455453"                                                // magic
              "01000000"                                                          // version
              "0700000000000000"                                                  // number
              "abababababababababababababababababababababababababababababababab"  // hash
              "1c000000"                                                          // size
              "010101000000000000000000000000000000000000000108010001"
              "03"
              "b96af6ee");
}

TEST(Sidecar, records_come_back_in_order) {
    const ScratchFile file{small_sidecar()};
    auto reader = SidecarReader::open(file.path());
    ASSERT_TRUE(reader.has_value());
    for (std::uint64_t number = 1; number <= 3; ++number) {
        const auto record = reader->next();
        ASSERT_TRUE(record.has_value() && record->has_value());
        EXPECT_EQ((*record)->number, number);
        EXPECT_EQ((*record)->hash, hash_of(number, 2));
        EXPECT_EQ(reader->decode(**record), sets_of(number, 2));
    }
    const auto end = reader->next();
    ASSERT_TRUE(end.has_value());
    EXPECT_FALSE(end->has_value());
}

TEST(Sidecar, has_its_name_only_once_it_is_whole) {
    const ScratchFile file{{}};
    const std::string path = file.path() + "-sets";
    {
        auto writer = SidecarWriter::create(path);
        ASSERT_TRUE(writer.has_value());
        ASSERT_TRUE(writer->append(1, {}, sets_of(1, 1)).has_value());
        EXPECT_TRUE(std::filesystem::exists(path + ".part"));
    }
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    EXPECT_FALSE(std::filesystem::exists(path));

    auto writer = SidecarWriter::create(path);
    ASSERT_TRUE(writer.has_value() && writer->finish().has_value());
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    EXPECT_EQ(std::filesystem::file_size(path), kHeadBytes);
    std::filesystem::remove(path);
}

TEST(Sidecar, replaces_an_older_one_but_nothing_that_is_no_file) {
    const ScratchFile file{Bytes{1, 2, 3}};
    auto writer = SidecarWriter::create(file.path());
    ASSERT_TRUE(writer.has_value() && writer->finish().has_value());
    EXPECT_TRUE(SidecarReader::open(file.path()).has_value());

    const auto folder = SidecarWriter::create(std::filesystem::temp_directory_path().string());
    ASSERT_FALSE(folder.has_value());
    EXPECT_EQ(folder.error().code, FileFault::cannot_open);
    EXPECT_FALSE(SidecarWriter::create("/dev/null").has_value());
    EXPECT_FALSE(SidecarWriter::create(file.path() + "/no/such/folder").has_value());
}

TEST(Sidecar, says_when_the_disk_is_full) {
    const ScratchFile file{{}};
    const std::string path = file.path() + "-sets";
    std::filesystem::create_symlink("/dev/full", path + ".part");
    auto writer = SidecarWriter::create(path);
    ASSERT_TRUE(writer.has_value());

    const auto finished = writer->finish();

    ASSERT_FALSE(finished.has_value());
    EXPECT_EQ(finished.error().code, FileFault::write_failed);
    EXPECT_THAT(to_string(finished.error()), HasSubstr("No space left"));
}

TEST(Sidecar, other_files_are_refused) {
    Bytes later = small_sidecar();
    later[8] = 2;
    EXPECT_EQ(error_of({}).code, SidecarFault::not_a_sidecar);
    EXPECT_EQ(error_of(Bytes(100, 0xf9)).code, SidecarFault::not_a_sidecar);
    EXPECT_EQ(error_of(later).code, SidecarFault::unknown_version);
    EXPECT_FALSE(SidecarReader::open("no-such-file").has_value());
}

TEST(Sidecar, every_truncation_is_refused_unless_a_record_ends_there) {
    const Bytes whole = small_sidecar();
    const std::size_t record = (whole.size() - kHeadBytes) / 3;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        if (size >= kHeadBytes && (size - kHeadBytes) % record == 0) continue;
        const SourceError error = error_of(Bytes(whole.begin(), whole.begin() + long(size)));
        const SourceErrorCode expected =
            size < kHeadBytes ? SourceErrorCode{SidecarFault::not_a_sidecar} : FileFault::truncated;
        EXPECT_EQ(error.code, expected) << size;
    }
}

TEST(Sidecar, every_wrong_byte_is_refused) {
    const Bytes whole = small_sidecar();
    for (std::size_t place = 0; place < whole.size(); ++place) {
        Bytes damaged = whole;
        damaged[place] ^= 0x10;
        EXPECT_NE(error_of(damaged).code, FileFault::cannot_open) << place;
    }
}

TEST(Sidecar, a_size_that_nobody_has_written_costs_no_memory) {
    Bytes bytes = small_sidecar();
    const std::size_t size_at = kHeadBytes + 40;
    for (std::size_t i = 0; i < 4; ++i)
        bytes[size_at + i] = 0xff;
    EXPECT_EQ(error_of(bytes).code, FileFault::too_large);
}

std::vector<OrderedBlock> read_all(BlockSource& source) {
    std::vector<OrderedBlock> blocks;
    while (auto block = source.next())
        blocks.push_back(*std::move(block));
    return blocks;
}

TEST(DeclaredSource, blocks_carry_the_sets_of_their_record) {
    const ScratchFile file{small_sidecar()};
    const auto counts = std::make_shared<DeclaredCounts>();
    auto source = make_declared_source(std::make_unique<FakeSource>(4, 2), file.path(), counts);
    ASSERT_TRUE(source.has_value());

    const auto blocks = read_all(**source);

    ASSERT_EQ(blocks.size(), 4u);
    for (std::uint64_t number = 1; number <= 3; ++number)
        EXPECT_EQ(blocks[number - 1].object_sets, sets_of(number, 2));
    EXPECT_TRUE(blocks[3].object_sets.empty());
    EXPECT_FALSE((*source)->error().has_value());
    EXPECT_EQ(counts->blocks_with_sets, 3u);
    EXPECT_EQ(counts->blocks_without_sets, 1u);
}

TEST(DeclaredSource, records_of_other_blocks_are_passed_over) {
    Hash other;
    other.bytes.fill(1);
    const ScratchFile file{sidecar({{0, other, sets_of(9, 1)},
                                    {2, other, sets_of(9, 2)},
                                    {2, hash_of(2, 2), sets_of(2, 2)},
                                    {2, other, sets_of(9, 2)},
                                    {4, hash_of(4, 2), sets_of(4, 2)}})};
    const auto counts = std::make_shared<DeclaredCounts>();
    auto source = make_declared_source(std::make_unique<FakeSource>(4, 2), file.path(), counts);
    ASSERT_TRUE(source.has_value());

    const auto blocks = read_all(**source);

    ASSERT_EQ(blocks.size(), 4u);
    EXPECT_TRUE(blocks[0].object_sets.empty());
    EXPECT_EQ(blocks[1].object_sets, sets_of(2, 2));
    EXPECT_TRUE(blocks[2].object_sets.empty());
    EXPECT_EQ(blocks[3].object_sets, sets_of(4, 2));
    EXPECT_EQ(counts->blocks_without_sets, 2u);
}

TEST(DeclaredSource, blocks_without_transactions_are_not_counted) {
    const ScratchFile file{sidecar({})};
    const auto counts = std::make_shared<DeclaredCounts>();
    auto source = make_declared_source(std::make_unique<FakeSource>(3, 0), file.path(), counts);
    ASSERT_TRUE(source.has_value());

    EXPECT_EQ(read_all(**source).size(), 3u);
    EXPECT_EQ(counts->blocks_with_sets + counts->blocks_without_sets, 0u);
}

TEST(DeclaredSource, a_count_that_is_not_the_blocks_ends_the_stream) {
    const ScratchFile file{
        sidecar({{1, hash_of(1, 2), sets_of(1, 2)}, {2, hash_of(2, 2), sets_of(2, 3)}})};
    auto source = make_declared_source(std::make_unique<FakeSource>(3, 2), file.path());
    ASSERT_TRUE(source.has_value());

    EXPECT_EQ(read_all(**source).size(), 1u);

    ASSERT_TRUE((*source)->error().has_value());
    EXPECT_EQ((*source)->error()->code, SidecarFault::malformed_sets);
    EXPECT_EQ((*source)->error()->number, 2u);
    EXPECT_THAT(to_string(*(*source)->error()), HasSubstr("3 sets, but the block has 2"));
    EXPECT_FALSE((*source)->next().has_value());
}

TEST(DeclaredSource, a_damaged_record_ends_the_stream_where_it_is) {
    Bytes bytes = small_sidecar();
    bytes[bytes.size() - 10] ^= 1;
    const ScratchFile file{bytes};
    auto source = make_declared_source(std::make_unique<FakeSource>(3, 2), file.path());
    ASSERT_TRUE(source.has_value());

    EXPECT_EQ(read_all(**source).size(), 2u);

    ASSERT_TRUE((*source)->error().has_value());
    EXPECT_THAT(to_string(*(*source)->error()), HasSubstr("checksum"));
}

TEST(DeclaredSource, failures_of_the_source_behind_pass_through) {
    const ScratchFile file{small_sidecar()};
    auto failing = std::make_unique<FakeSource>(1, 2);
    failing->fail_at_the_end();
    auto source = make_declared_source(std::move(failing), file.path());
    ASSERT_TRUE(source.has_value());

    EXPECT_EQ(read_all(**source).size(), 1u);
    ASSERT_TRUE((*source)->error().has_value());
    EXPECT_EQ((*source)->error()->code, FileFault::truncated);
}

}  // namespace
}  // namespace heddle::consensus_adapter
