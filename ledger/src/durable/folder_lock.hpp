// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A data directory that one process has for itself while a ledger is made in it. Not for a ledger
// that is there: the database has a lock of its own.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include <ledger/ledger_error.hpp>

namespace heddle::ledger {

/// Held while it lives; the system lets go of it when the process ends, however it does.
class FolderLock {
public:
    /// Of a folder that is there. Where the file system has no such locks, as some networks', it is
    /// held by whoever asks.
    /// Errors: locked, not_a_ledger where it is no folder, denied, io_error.
    [[nodiscard]] static std::expected<FolderLock, LedgerError> take(const std::string& directory);

    FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    FolderLock& operator=(FolderLock&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    ~FolderLock();

private:
    explicit FolderLock(int file) noexcept : file_(file) {}
    int file_;  // the folder, opened; -1: moved away
};

}  // namespace heddle::ledger
