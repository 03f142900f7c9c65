// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_log.hpp>

#include <array>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "archive/crc32c.hpp"
#include "archive/file_reader.hpp"
#include "archive/file_writer.hpp"
#include "lanes/field_reader.hpp"

namespace heddle::consensus_adapter::lanes {

namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'H', 'D', 'L', 'L', 'A', 'N', 'E'};
constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kSizeBytes = 4;
constexpr std::size_t kChecksumBytes = 4;

}  // namespace

std::expected<LaneLogWriter, SourceError> LaneLogWriter::create(std::string path,
                                                                LaneLogHead head) {
    HEDDLE_ASSERT(head.lane_count <= kMaxLanes && head.lane < head.lane_count &&
                  head.leading < head.lane_count);
    HEDDLE_TRY(FileWriter file, FileWriter::create(path));
    Bytes bytes(kMagic.begin(), kMagic.end());
    put(kLaneLogVersion, bytes);
    put(head.lane, bytes);
    put(head.lane_count, bytes);
    put(head.leading, bytes);
    put(std::uint8_t{0}, bytes);
    HEDDLE_CHECK(file.append(bytes));
    return LaneLogWriter{std::move(path), head, std::make_unique<FileWriter>(std::move(file))};
}

LaneLogWriter::LaneLogWriter(std::string path, LaneLogHead head, std::unique_ptr<FileWriter> file)
    : path_(std::move(path)), head_(head), file_(std::move(file)) {}
LaneLogWriter::LaneLogWriter(LaneLogWriter&& other) noexcept = default;
LaneLogWriter::~LaneLogWriter() = default;

std::expected<void, SourceError> LaneLogWriter::append(const LaneBlock& block) {
    HEDDLE_ASSERT(block.lane == head_.lane && block.height == height_ + 1);
    Bytes encoded;
    encode_lane_block(block, encoded);
    if (encoded.size() > kMaxLaneBlockBytes)
        return std::unexpected(
            SourceError{FileFault::too_large, path_, file_->size_bytes(), std::nullopt,
                        fmt::format("block {} of {} bytes, at most {}", block.height,
                                    encoded.size(), kMaxLaneBlockBytes)});
    Bytes record;
    put(static_cast<std::uint32_t>(encoded.size()), record);
    record.insert(record.end(), encoded.begin(), encoded.end());
    put(crc32c(record), record);
    HEDDLE_CHECK(file_->append(record));
    ++height_;
    return {};
}

std::expected<void, SourceError> LaneLogWriter::finish() {
    return file_->finish();
}

std::expected<LaneLogReader, SourceError> LaneLogReader::open(const std::string& path) {
    HEDDLE_TRY(FileReader file, FileReader::open(path));
    HEDDLE_TRY(const BytesView bytes, file.peek(kHeadBytes));
    if (bytes.size() < kHeadBytes || !equal(bytes.first(kMagic.size()), kMagic))
        return file.error(LaneLogFault::not_a_lane_log,
                          bytes.empty() ? "the file is empty" : "starts with " + to_hex(bytes));
    FieldReader fields{bytes.subspan(kMagic.size())};
    const auto version = fields.integer<std::uint32_t>();
    if (version == kShortenedLaneLogVersion || version == kEarlierShortenedLaneLogVersion)
        return file.error(LaneLogFault::wrong_place,
                          "its oldest blocks were given up (retain blocks), and merging begins at "
                          "height 1: take the log of somebody who keeps all of it");
    if (version != kLaneLogVersion)
        return file.error(
            LaneLogFault::unknown_version,
            fmt::format("version {}, this program reads {}", version, kLaneLogVersion));
    LaneLogHead head;
    head.lane = fields.integer<LaneNumber>();
    head.lane_count = fields.integer<std::uint8_t>();
    head.leading = fields.integer<LaneNumber>();
    const auto zero = fields.integer<std::uint8_t>();
    if (head.lane_count == 0 || head.lane_count > kMaxLanes || head.lane >= head.lane_count ||
        head.leading >= head.lane_count || zero != 0)
        return file.error(
            LaneLogFault::not_a_lane_log,
            fmt::format("of lane {} of {}, led by {}", head.lane, head.lane_count, head.leading));
    file.skip(kHeadBytes);
    return LaneLogReader{head, std::make_unique<FileReader>(std::move(file))};
}

LaneLogReader::LaneLogReader(LaneLogHead head, std::unique_ptr<FileReader> reader)
    : head_(head), reader_(std::move(reader)) {}
LaneLogReader::LaneLogReader(LaneLogReader&& other) noexcept = default;
LaneLogReader::~LaneLogReader() = default;

const std::string& LaneLogReader::path() const noexcept {
    return reader_->path();
}

std::expected<std::optional<LaneBlock>, SourceError> LaneLogReader::next() {
    HEDDLE_TRY(const BytesView first, reader_->peek(1));
    if (first.empty()) return std::nullopt;
    HEDDLE_TRY(const BytesView head, reader_->peek_exactly(kSizeBytes, "size of a block"));
    const auto size = FieldReader{head}.integer<std::uint32_t>();
    if (size > kMaxLaneBlockBytes)
        return reader_->error(FileFault::too_large, fmt::format("a block of {} bytes, at most {}",
                                                                size, kMaxLaneBlockBytes));
    const std::size_t covered = kSizeBytes + size;
    HEDDLE_TRY(const BytesView record,
               reader_->peek_exactly(covered + kChecksumBytes, "block of a lane"));
    const auto stored = FieldReader{record.subspan(covered)}.integer<std::uint32_t>();
    const std::uint32_t computed = crc32c(record.first(covered));
    if (stored != computed)
        return reader_->error(
            LaneLogFault::malformed_block,
            fmt::format("the record's checksum is {:08x}, but should be {:08x}", stored, computed));
    auto block = decode_lane_block(record.subspan(kSizeBytes, size));
    if (!block.has_value())
        return reader_->error(LaneLogFault::malformed_block, std::string{to_string(block.error())});
    if (block->lane != head_.lane || block->height != height_ + 1)
        return reader_->error(LaneLogFault::wrong_place,
                              fmt::format("height {} of lane {} after height {} of lane {}",
                                          block->height, block->lane, height_, head_.lane));
    reader_->skip(covered + kChecksumBytes);
    ++height_;
    return *std::move(block);
}

}  // namespace heddle::consensus_adapter::lanes
