// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The sidecar: a file of object sets beside the chain files whose blocks they belong to. Only a
// help: a block without a record, or with a wrong one, executes to the same result.
//
// | field        | size | what                                                              |
// |--------------|------|-------------------------------------------------------------------|
// | magic        | 8    | 89 48 44 4c 53 45 54 53 (0x89 "HDLSETS")                          |
// | version      | 4    | 1                                                                 |
// | records      |      | one for each block, in the order in which the blocks were executed|
// |   number     | 8    | of the block                                                      |
// |   hash       | 32   | of the block                                                      |
// |   size       | 4    | of the sets, in bytes, at most kMaxSidecarSetsBytes               |
// |   sets       | size | as types/object_codec.hpp encodes them                            |
// |   checksum   | 4    | CRC-32C of the record up to here                                  |
//
// Integers are little-endian. The file ends after a record.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>

#include <consensus_adapter/block_source.hpp>

namespace heddle::consensus_adapter {

inline constexpr std::uint32_t kSidecarVersion = 1;
inline constexpr std::size_t kMaxSidecarSetsBytes = std::size_t{64} << 20;

class FileWriter;

/// Writes a sidecar under a temporary name (`PATH.part`), which finish() turns into the real one: a
/// file under that name is whole.
///
/// Thread safety: none. Ownership: of the temporary file, which is gone with a writer that has not
/// finished.
class SidecarWriter {
public:
    /// Errors: cannot_open, also where `path` exists and is not a regular file.
    [[nodiscard]] static std::expected<SidecarWriter, SourceError> create(std::string path);

    SidecarWriter(SidecarWriter&& other) noexcept;
    SidecarWriter& operator=(SidecarWriter&&) = delete;
    SidecarWriter(const SidecarWriter&) = delete;
    SidecarWriter& operator=(const SidecarWriter&) = delete;
    ~SidecarWriter();

    /// Appends one block's sets, one for each of its transactions. Sets beyond the limits of codec
    /// and record are left out, as if nothing were known of the block.
    /// Errors: write_failed.
    [[nodiscard]] std::expected<void, SourceError> append(std::uint64_t number, const Hash& hash,
                                                          std::span<const ObjectSet> sets);
    /// Brings everything to the disk and gives the file its name. Nothing may follow.
    /// Errors: write_failed.
    [[nodiscard]] std::expected<void, SourceError> finish();

    [[nodiscard]] std::uint64_t block_count() const noexcept { return block_count_; }
    [[nodiscard]] std::uint64_t size_bytes() const noexcept;

private:
    explicit SidecarWriter(std::unique_ptr<FileWriter> file);

    std::unique_ptr<FileWriter> file_;
    std::uint64_t block_count_ = 0;
};

/// One block's record, its checksum verified.
struct SidecarRecord {
    std::uint64_t number = 0;
    Hash hash;
    std::uint64_t offset = 0;  // in the file
    Bytes sets;                // encoded
};

class FileReader;

/// Reads a sidecar front to back. Memory: one record.
/// Thread safety: none.
class SidecarReader {
public:
    /// Errors: cannot_open, read_failed, not_a_sidecar, unknown_version.
    [[nodiscard]] static std::expected<SidecarReader, SourceError> open(const std::string& path);

    SidecarReader(SidecarReader&& other) noexcept;
    SidecarReader& operator=(SidecarReader&&) = delete;
    SidecarReader(const SidecarReader&) = delete;
    SidecarReader& operator=(const SidecarReader&) = delete;
    ~SidecarReader();

    /// nullopt: the file has ended where it should.
    /// Errors: read_failed, truncated, too_large, malformed_sets (the checksum).
    [[nodiscard]] std::expected<std::optional<SidecarRecord>, SourceError> next();
    /// Errors: malformed_sets, also where the sets are not `transaction_count` many.
    [[nodiscard]] std::expected<std::vector<ObjectSet>, SourceError> decode(
        const SidecarRecord& record,
        std::optional<std::size_t> transaction_count = std::nullopt) const;

private:
    explicit SidecarReader(FileReader reader);

    std::unique_ptr<FileReader> reader_;
};

/// How many of the blocks delivered had sets. Blocks without transactions are not counted.
struct DeclaredCounts {
    std::atomic<std::uint64_t> blocks_with_sets = 0;
    std::atomic<std::uint64_t> blocks_without_sets = 0;
};

/// Another source's blocks with the object sets that a sidecar has of them. Blocks are found by
/// number and hash in the order of the file: a record is passed over once a block of a higher
/// number has been delivered. Memory: one record. Ownership: takes `source`; shares `counts`, which
/// may be null. Errors: as SidecarReader::open. What is wrong further inside ends the stream when
/// next() gets there.
[[nodiscard]] std::expected<std::unique_ptr<BlockSource>, SourceError> make_declared_source(
    std::unique_ptr<BlockSource> source, const std::string& sidecar_path,
    std::shared_ptr<DeclaredCounts> counts = nullptr);

}  // namespace heddle::consensus_adapter
