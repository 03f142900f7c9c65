// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a file in bounded memory, with a look ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <types/bytes.hpp>

#include <consensus_adapter/block_source.hpp>

namespace heddle::consensus_adapter {

/// Thread safety: none. Ownership: of the descriptor.
/// Invariant: the buffer holds the bytes of the file from offset() on.
class FileReader {
public:
    /// Errors: cannot_open.
    [[nodiscard]] static std::expected<FileReader, SourceError> open(const std::string& path);

    FileReader(FileReader&& other) noexcept;
    FileReader& operator=(FileReader&&) = delete;
    FileReader(const FileReader&) = delete;
    FileReader& operator=(const FileReader&) = delete;
    ~FileReader();

    /// The next bytes, at most `size`: fewer only where the file ends. Valid until the next call.
    /// Reads no more than there is: a length that a corrupted file claims costs no memory.
    /// Errors: read_failed.
    [[nodiscard]] std::expected<BytesView, SourceError> peek(std::size_t size);
    /// As peek(), but exactly `size` bytes.
    /// Errors: truncated, with `what` in its reason.
    [[nodiscard]] std::expected<BytesView, SourceError> peek_exactly(std::size_t size,
                                                                     std::string_view what);
    /// Moves past bytes that peek() has shown.
    void skip(std::size_t size) noexcept;
    /// Moves to any place of the file, or behind its end, where nothing is.
    void seek(std::uint64_t offset) noexcept;
    /// Another one of the same file, whatever has its name by now, at its start.
    /// Errors: cannot_open.
    [[nodiscard]] std::expected<FileReader, SourceError> duplicate() const;

    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
    /// When it was opened.
    [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// An error at the current offset.
    [[nodiscard]] std::unexpected<SourceError> error(SourceErrorCode code,
                                                     std::string reason = {}) const;

private:
    FileReader(std::string path, int descriptor, std::uint64_t size_bytes) noexcept;

    std::string path_;
    int descriptor_ = -1;
    std::uint64_t size_bytes_ = 0;
    std::uint64_t offset_ = 0;  // of the file, where begin_ points
    std::vector<std::uint8_t> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace heddle::consensus_adapter
