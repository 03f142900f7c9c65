// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/rocks_manifest.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <rocksdb/file_system.h>

#include "storage/rocks_folder.hpp"

namespace heddle::ledger {

namespace {

/// As in all logs of RocksDB: blocks of 32 KiB, in them records, each a checksum (4 bytes), the
/// length of its content (2, little-endian), a type (1) and the content. Where a block has no room
/// for these 7 bytes, it ends with zeros.
constexpr std::size_t kBlockBytes = std::size_t{32} << 10;
constexpr std::size_t kHeaderBytes = 7;
constexpr std::size_t kLengthAt = 4;

std::size_t content_length(const char* record) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(record[i]); };
    return byte(kLengthAt) | static_cast<std::size_t>(byte(kLengthAt + 1)) << 8;
}

/// Where the last record ends that is whole.
std::size_t end_of_records(const char* block, std::size_t size) noexcept {
    std::size_t at = 0;
    while (size - at >= kHeaderBytes) {
        const std::size_t length = content_length(block + at);
        if (length > size - at - kHeaderBytes) break;
        at += kHeaderBytes + length;
    }
    return at;
}

/// @return how many bytes were read: fewer than wanted at the end of the file.
std::expected<std::size_t, LedgerError> read_block(rocksdb::FSSequentialFile& file, char* block,
                                                   std::size_t wanted) {
    std::size_t done = 0;
    while (done < wanted) {
        rocksdb::Slice bytes;
        const rocksdb::Status status =
            file.Read(wanted - done, rocksdb::IOOptions{}, &bytes, block + done, nullptr);
        if (!status.ok()) return failure("reading the list of files", status);
        if (bytes.empty()) break;
        // It may be read elsewhere than to where it was asked for.
        std::copy_n(bytes.data(), bytes.size(), block + done);
        done += bytes.size();
    }
    return done;
}

std::unexpected<LedgerError> damaged(const std::string& manifest, const std::string& what) {
    return std::unexpected(LedgerError{LedgerErrorCode::corrupt, manifest + ' ' + what});
}

}  // namespace

std::expected<void, LedgerError> check_records(const std::string& manifest,
                                               std::uint64_t durable_length) {
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    const rocksdb::Status opened = rocksdb::FileSystem::Default()->NewSequentialFile(
        manifest, rocksdb::FileOptions{}, &file, nullptr);
    if (opened.IsPathNotFound()) return {};
    if (!opened.ok()) return failure("reading the list of files", opened);
    std::vector<char> block(kBlockBytes);
    for (std::uint64_t begin = 0; begin < durable_length; begin += kBlockBytes) {
        const auto wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, durable_length - begin));
        const auto size = read_block(*file, block.data(), wanted);
        if (!size.has_value()) return std::unexpected(size.error());
        if (*size < wanted)
            return damaged(manifest, "is cut: it has " + std::to_string(begin + *size) +
                                         " bytes, and had " + std::to_string(durable_length));
        const std::size_t end = end_of_records(block.data(), wanted);
        const bool is_whole =
            wanted == kBlockBytes ? kBlockBytes - end < kHeaderBytes : end == wanted;
        if (!is_whole)
            return damaged(manifest, "is damaged: what begins at byte " +
                                         std::to_string(begin + end) + " is no record");
    }
    return {};
}

}  // namespace heddle::ledger
