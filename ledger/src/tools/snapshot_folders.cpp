// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/snapshot_folders.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <types/expected.hpp>

namespace heddle::ledger {

namespace fs = std::filesystem;

std::expected<EmptyFolder, LedgerError> make_empty_folder(const std::string& path) {
    std::error_code error;
    // A link leads to what is somebody else's.
    if (!fs::is_directory(fs::symlink_status(path, error))) fs::remove(path, error);
    if (error) return system_failure("removing " + path, error.value());
    HEDDLE_TRY(NewFolders made, make_folder(path));
    auto lock = FolderLock::take(path);
    if (!lock.has_value()) {
        if (lock.error().code != LedgerErrorCode::locked) remove_made(made);
        return std::unexpected(std::move(lock).error());
    }
    for (fs::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error))
        fs::remove_all(entry->path(), error);
    if (error) return system_failure("emptying " + path, error.value());
    return EmptyFolder{*std::move(lock), std::move(made)};
}

std::expected<void, LedgerError> rename_folder(const std::string& from, const std::string& to) {
    HEDDLE_CHECK(sync_folder(from));
    if (std::rename(from.c_str(), to.c_str()) != 0)
        return system_failure("renaming " + from + " to " + to, errno);
    auto synced = sync_folder(folder_of(to));
    // What is said to have failed is not to stand in the way of doing it again.
    if (!synced.has_value()) (void)std::rename(to.c_str(), from.c_str());
    return synced;
}

}  // namespace heddle::ledger
