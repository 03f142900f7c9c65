// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Room on the disk for what is sorted outside of memory. The file has no name once it is open, so
// that nothing is left of it however the process ends.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <utility>

#include <types/bytes.hpp>

#include <ledger/ledger_error.hpp>

namespace heddle::ledger {

/// Thread safety: any number of readers once it is flushed.
class TemporaryFile {
public:
    /// Errors: no_space, io_error.
    [[nodiscard]] static std::expected<TemporaryFile, LedgerError> make(const std::string& folder);
    TemporaryFile(TemporaryFile&& other) noexcept
        : file_(std::exchange(other.file_, -1)),
          folder_(std::move(other.folder_)),
          size_(other.size_),
          buffer_(std::move(other.buffer_)) {}
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    /// Errors: no_space, io_error.
    [[nodiscard]] std::expected<void, LedgerError> append(BytesView bytes);
    /// Makes what was appended readable, and gives back the memory for it.
    [[nodiscard]] std::expected<void, LedgerError> flush();
    /// Of all that was appended.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_ + buffer_.size(); }
    /// Fills `out` from this offset on. Errors: io_error, also where the file is shorter.
    [[nodiscard]] std::expected<void, LedgerError> read(std::uint64_t offset,
                                                        std::span<std::uint8_t> out) const;

private:
    TemporaryFile(int file, std::string folder) : file_(file), folder_(std::move(folder)) {}
    [[nodiscard]] std::expected<void, LedgerError> write_buffer();

    int file_;
    std::string folder_;  // for the text of errors
    std::uint64_t size_ = 0;
    Bytes buffer_;
};

}  // namespace heddle::ledger
