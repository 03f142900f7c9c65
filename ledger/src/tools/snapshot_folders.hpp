// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Folders that are there, whole, once a call returns: for snapshots.
#pragma once

#include <expected>
#include <string>

#include <ledger/ledger_error.hpp>

#include "durable/folder_lock.hpp"
#include "storage/folders.hpp"

namespace heddle::ledger {

struct EmptyFolder {
    FolderLock lock;  // held by this process, so that no other empties it meanwhile
    NewFolders made;  // it and those above it, as far as they were missing
};

/// Makes an empty folder, and those above it; what was in it is gone.
/// Errors: locked where another process has it; not_a_ledger, no_space, denied, io_error.
[[nodiscard]] std::expected<EmptyFolder, LedgerError> make_empty_folder(const std::string& path);
/// Gives a folder, whose files were written by write_file(), its name, for good. After an error it
/// has the one before.
[[nodiscard]] std::expected<void, LedgerError> rename_folder(const std::string& from,
                                                             const std::string& to);

}  // namespace heddle::ledger
