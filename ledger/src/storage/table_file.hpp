// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A part of a table written in order, which the database takes over as it is: for loading what is
// sorted already, without log, write buffers and compaction. Made by Database::new_file(), taken
// over by Database::adopt().
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>

#include <types/bytes.hpp>

#include <ledger/ledger_error.hpp>

namespace heddle::ledger {

/// Thread safety: none; any number of files are written side by side. Must not outlive its
/// database. A file that is not adopted stays in the database's folder, unknown to it.
class TableFile {
public:
    TableFile(TableFile&&) noexcept;
    TableFile& operator=(TableFile&&) noexcept;
    ~TableFile();

    /// `key` is above the one before. Errors: no_space, io_error.
    [[nodiscard]] std::expected<void, LedgerError> put(BytesView key, BytesView value);
    /// Of keys and values so far.
    [[nodiscard]] std::size_t size_bytes() const noexcept { return size_; }
    /// Nothing is put afterwards; something was before. Errors: no_space, io_error.
    [[nodiscard]] std::expected<void, LedgerError> finish();

private:
    friend class Database;
    struct Impl;
    TableFile(std::unique_ptr<Impl> impl, std::string path) noexcept;
    std::unique_ptr<Impl> impl_;
    std::string path_;
    std::size_t size_ = 0;
};

}  // namespace heddle::ledger
