// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_log.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace heddle::consensus_adapter::lanes {
namespace {

using testing::HasSubstr;

/// A file that is gone with its owner.
class LogFile {
public:
    explicit LogFile(const Bytes& content = {}) {
        std::string name = (std::filesystem::temp_directory_path() / "heddle-lane-XXXXXX").native();
        ::close(::mkstemp(name.data()));
        path_ = name;
        std::ofstream file{path_, std::ios::binary};
        file.write(reinterpret_cast<const char*>(content.data()),
                   static_cast<std::streamsize>(content.size()));
    }
    ~LogFile() { std::filesystem::remove(path_); }
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] Bytes bytes() const {
        std::ifstream file{path_, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

private:
    std::string path_;
};

constexpr LaneLogHead kHead{1, 3, 0};
constexpr std::size_t kHeadBytes = 16;

LaneBlock block_at(std::uint64_t height) {
    return {1, height, height * 10, std::nullopt, {{1, 2, 3}}};
}

Bytes small_log() {
    const LogFile file;
    auto writer = LaneLogWriter::create(file.path(), kHead);
    EXPECT_TRUE(writer.has_value());
    for (std::uint64_t height = 1; height <= 3; ++height)
        EXPECT_TRUE(writer->append(block_at(height)).has_value());
    EXPECT_TRUE(writer->finish().has_value());
    return file.bytes();
}

/// What reading all of it gives in the end: nothing, or what is wrong.
std::optional<SourceError> error_of(const Bytes& bytes) {
    const LogFile file{bytes};
    auto reader = LaneLogReader::open(file.path());
    if (!reader.has_value()) return reader.error();
    for (;;) {
        auto block = reader->next();
        if (!block.has_value()) return block.error();
        if (!block->has_value()) return std::nullopt;
    }
}

TEST(LaneLog, bytes_are_pinned) {
    const Bytes bytes = small_log();
    EXPECT_EQ(to_hex(BytesView{bytes}.first(kHeadBytes)),
              "0x8948444c4c414e45"
              "01000000"
              "01030000");
    EXPECT_EQ(to_hex(BytesView{bytes}.subspan(kHeadBytes, 37)),
              "0x1d000000"
              "0101000000000000000a00000000000000"
              "00"
              "01000000"
              "03000000010203"
              "4bb22bfd");
}

TEST(LaneLog, blocks_come_back_in_order) {
    const LogFile file{small_log()};
    auto reader = LaneLogReader::open(file.path());
    ASSERT_TRUE(reader.has_value());
    EXPECT_EQ(reader->head(), kHead);
    for (std::uint64_t height = 1; height <= 3; ++height) {
        const auto block = reader->next();
        ASSERT_TRUE(block.has_value() && block->has_value());
        EXPECT_EQ(**block, block_at(height));
        EXPECT_EQ(reader->height(), height);
    }
    const auto end = reader->next();
    ASSERT_TRUE(end.has_value());
    EXPECT_FALSE(end->has_value());
}

TEST(LaneLog, every_truncation_is_refused_unless_a_block_ends_there) {
    const Bytes whole = small_log();
    const std::size_t record = (whole.size() - kHeadBytes) / 3;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto error = error_of(Bytes(whole.begin(), whole.begin() + long(size)));
        if (size >= kHeadBytes && (size - kHeadBytes) % record == 0) {
            EXPECT_FALSE(error.has_value());
            continue;
        }
        ASSERT_TRUE(error.has_value()) << size;
        EXPECT_EQ(error->code, size < kHeadBytes ? SourceErrorCode{LaneLogFault::not_a_lane_log}
                                                 : SourceErrorCode{FileFault::truncated})
            << size;
    }
}

TEST(LaneLog, every_wrong_bit_is_refused_or_seen_in_the_head) {
    const Bytes whole = small_log();
    for (std::size_t place = 0; place < whole.size(); ++place)
        for (int bit = 0; bit < 8; ++bit) {
            Bytes damaged = whole;
            damaged[place] ^= static_cast<std::uint8_t>(1 << bit);
            // Lanes, leading lane: another log, which its reader compares with the others.
            if (place == 13 || place == 14) continue;
            EXPECT_TRUE(error_of(damaged).has_value()) << place;
        }
}

TEST(LaneLog, a_block_out_of_place_is_refused_with_file_and_offset) {
    const Bytes whole = small_log();
    const std::size_t record = (whole.size() - kHeadBytes) / 3;
    Bytes gap(whole.begin(), whole.begin() + long(kHeadBytes + record));
    gap.insert(gap.end(), whole.begin() + long(kHeadBytes + 2 * record), whole.end());

    const auto error = error_of(gap);

    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code, LaneLogFault::wrong_place);
    EXPECT_EQ(error->offset, kHeadBytes + record);
    EXPECT_THAT(to_string(*error), HasSubstr("height 3 of lane 1 after height 1"));
}

TEST(LaneLog, a_size_that_nobody_has_written_costs_no_memory) {
    Bytes bytes = small_log();
    for (std::size_t i = 0; i < 4; ++i)
        bytes[kHeadBytes + i] = 0xff;
    EXPECT_EQ(error_of(bytes)->code, FileFault::too_large);
}

TEST(LaneLog, other_files_and_versions_are_refused) {
    Bytes later = small_log();
    later[8] = 3;
    EXPECT_EQ(error_of(later)->code, LaneLogFault::unknown_version);
    EXPECT_EQ(error_of(Bytes(100, 0xf9))->code, LaneLogFault::not_a_lane_log);
    EXPECT_EQ(error_of({})->code, LaneLogFault::not_a_lane_log);
    EXPECT_FALSE(LaneLogReader::open("no-such-file").has_value());
}

TEST(LaneLog, a_block_that_is_too_large_is_not_written) {
    const LogFile file;
    auto writer = LaneLogWriter::create(file.path(), kHead);
    ASSERT_TRUE(writer.has_value());
    LaneBlock large = block_at(1);
    large.items = {Bytes(kMaxLaneBlockBytes, 1)};
    const auto appended = writer->append(large);
    ASSERT_FALSE(appended.has_value());
    EXPECT_EQ(appended.error().code, FileFault::too_large);
    EXPECT_TRUE(writer->append(block_at(1)).has_value());
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
