// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Folders whose names survive a loss of power. A file that is forced to the disk is lost with the
// name of a folder above it that was not. What lies in folders is not this file's business.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include <ledger/ledger_error.hpp>

namespace heddle::ledger {

/// What the system answered, as an error: no_space, denied, bad_path or io_error.
[[nodiscard]] std::unexpected<LedgerError> system_failure(const std::string& doing, int error);

/// What failed in an open ledger: `removed` where its folder is not there any more, which is
/// neither a disk that failed nor damage. Otherwise, and for a folder without a name, as it was.
[[nodiscard]] LedgerError with_removal(LedgerError error, const std::filesystem::path& folder);

/// The folder that a path is in, also where the path is relative or ends with a slash.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);

/// Waits until the names in a folder are on the disk.
[[nodiscard]] std::expected<void, LedgerError> sync_folder(const std::filesystem::path& folder);

/// For everybody to read, but for what the process's mask takes away.
inline constexpr mode_t kForEverybody = 0777;

/// Those that were missing and were made, from the inside out.
using NewFolders = std::vector<std::filesystem::path>;

/// Makes a folder, and those above it that are missing, for everybody. When this returns, its name
/// is on the disk, also if it was there. After an error those that were missing are again.
/// @param mode  Of the folder itself, if it is made here.
/// Errors: not_a_ledger where something else than a folder is there; no_space, denied, bad_path,
/// io_error.
[[nodiscard]] std::expected<NewFolders, LedgerError> make_folder(
    const std::filesystem::path& folder, mode_t mode = kForEverybody);

/// Where what they were made for has failed: they go again, up to one that something is in.
void remove_made(const NewFolders& folders) noexcept;

}  // namespace heddle::ledger
