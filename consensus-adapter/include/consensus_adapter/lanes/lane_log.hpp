// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The recorded log of a lane: its blocks from height 1 on, so that what was merged can be merged
// again.
//
// | field      | size | what                                                                |
// |------------|------|---------------------------------------------------------------------|
// | magic      | 8    | 89 48 44 4c 4c 41 4e 45 (0x89 "HDLLANE")                            |
// | version    | 4    | 1                                                                   |
// | lane       | 1    |                                                                     |
// | lanes      | 1    | of the chain, at most kMaxLanes                                     |
// | leading    | 1    | the lane whose blocks name the cuts                                 |
// | zero       | 1    |                                                                     |
// | records    |      | one for each block, by height                                       |
// |   size     | 4    | of the block, in bytes, at most kMaxLaneBlockBytes                  |
// |   block    | size | as encode_lane_block() gives it                                     |
// |   checksum | 4    | CRC-32C of the record up to here                                    |
//
// A log whose oldest blocks were given up (LaneStore::give_up_to) has version 4, and before the
// records
//
// | field      | size | what                                                               |
// |------------|------|--------------------------------------------------------------------|
// |   given up | 8    | the last height that is not here any more                          |
// |   digest   | 32   | of the log up to there, as next_digest() counts                    |
// |   checksum | 4    | CRC-32C of the file up to here                                     |
//
// Version 2 is the same without that checksum; it is read, and not written any more.
//
// Integers are little-endian. The file ends after a record.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include <consensus_adapter/block_source.hpp>
#include <consensus_adapter/lanes/lane.hpp>
#include <consensus_adapter/lanes/placement.hpp>

namespace heddle::consensus_adapter {
class FileReader;
class FileWriter;
}  // namespace heddle::consensus_adapter

namespace heddle::consensus_adapter::lanes {

inline constexpr std::uint32_t kLaneLogVersion = 1;
/// Of these no flipped bit makes another one.
inline constexpr std::uint32_t kShortenedLaneLogVersion = 4;
inline constexpr std::uint32_t kEarlierShortenedLaneLogVersion = 2;

/// Which log it is.
struct LaneLogHead {
    LaneNumber lane = 0;
    std::uint8_t lane_count = 1;
    LaneNumber leading = 0;
    friend bool operator==(const LaneLogHead&, const LaneLogHead&) = default;
};

/// The file gets its name once it is finished.
/// Thread safety: none.
class LaneLogWriter {
public:
    /// Errors: cannot_open, also where `path` exists and is not a regular file.
    [[nodiscard]] static std::expected<LaneLogWriter, SourceError> create(std::string path,
                                                                          LaneLogHead head);
    LaneLogWriter(LaneLogWriter&& other) noexcept;
    LaneLogWriter& operator=(LaneLogWriter&&) = delete;
    LaneLogWriter(const LaneLogWriter&) = delete;
    LaneLogWriter& operator=(const LaneLogWriter&) = delete;
    ~LaneLogWriter();

    /// The block of the next height, from 1 on; another one is a programming error.
    /// Errors: write_failed; too_large, with nothing written.
    [[nodiscard]] std::expected<void, SourceError> append(const LaneBlock& block);
    /// Errors: write_failed. Nothing may follow.
    [[nodiscard]] std::expected<void, SourceError> finish();

private:
    LaneLogWriter(std::string path, LaneLogHead head, std::unique_ptr<FileWriter> file);

    std::string path_;
    LaneLogHead head_;
    std::unique_ptr<FileWriter> file_;
    std::uint64_t height_ = 0;
};

/// Reads a log front to back. Memory: one block.
/// Thread safety: none.
class LaneLogReader {
public:
    /// Errors: cannot_open, read_failed, not_a_lane_log, unknown_version.
    [[nodiscard]] static std::expected<LaneLogReader, SourceError> open(const std::string& path);

    LaneLogReader(LaneLogReader&& other) noexcept;
    LaneLogReader& operator=(LaneLogReader&&) = delete;
    LaneLogReader(const LaneLogReader&) = delete;
    LaneLogReader& operator=(const LaneLogReader&) = delete;
    ~LaneLogReader();

    [[nodiscard]] const LaneLogHead& head() const noexcept { return head_; }
    [[nodiscard]] const std::string& path() const noexcept;
    /// Of the last block that next() gave.
    [[nodiscard]] std::uint64_t height() const noexcept { return height_; }
    /// nullopt: the file has ended where it should.
    /// Errors: read_failed, truncated, too_large, malformed_block, wrong_place.
    [[nodiscard]] std::expected<std::optional<LaneBlock>, SourceError> next();

private:
    LaneLogReader(LaneLogHead head, std::unique_ptr<FileReader> reader);

    LaneLogHead head_;
    std::unique_ptr<FileReader> reader_;
    std::uint64_t height_ = 0;
};

}  // namespace heddle::consensus_adapter::lanes
