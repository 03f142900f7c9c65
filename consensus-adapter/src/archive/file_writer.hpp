// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that gets its name once it is whole: written as `PATH.part`, forced to the disk, renamed.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include <types/bytes.hpp>

#include <consensus_adapter/block_source.hpp>

namespace heddle::consensus_adapter {

/// Waits until the name of a file is on the disk, which it is once its folder is.
/// @return the system's error; 0: none.
[[nodiscard]] int sync_folder_of(const std::string& path);

/// Thread safety: none. Ownership: of the temporary file, which is gone with a writer that has not
/// finished.
class FileWriter {
public:
    /// Errors: cannot_open, also where `path` exists and is not a regular file.
    [[nodiscard]] static std::expected<FileWriter, SourceError> create(std::string path);

    FileWriter(FileWriter&& other) noexcept;
    FileWriter& operator=(FileWriter&&) = delete;
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;
    ~FileWriter();

    /// Behind what is there. Goes to the file a megabyte at a time. Errors: write_failed.
    [[nodiscard]] std::expected<void, SourceError> append(BytesView bytes);
    /// Brings everything to the disk and gives the file its name. Nothing may follow.
    /// Errors: write_failed.
    [[nodiscard]] std::expected<void, SourceError> finish();

    [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }

private:
    FileWriter(std::string path, int descriptor);
    [[nodiscard]] std::string part_path() const { return path_ + ".part"; }
    [[nodiscard]] std::expected<void, SourceError> flush();
    [[nodiscard]] std::unexpected<SourceError> write_error(int error_number) const;

    std::string path_;
    int descriptor_ = -1;  // -1: finished or moved from
    Bytes buffer_;         // not yet written
    std::uint64_t size_bytes_ = 0;
};

}  // namespace heddle::consensus_adapter
