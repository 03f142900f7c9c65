// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the external test data is. It never belongs to the repository: tests that need it take it
// from the folder named by HEDDLE_FIXTURES (default: ../shared/fixtures beside the repository) and
// skip visibly when it is not there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::test {

/// Folder with the contents of `<name>.tar.zst`, unpacked once into the cache that all build
/// folders share (`build/fixtures`, or HEDDLE_FIXTURE_CACHE). A folder `<name>` beside the archive,
/// unpacked by hand, is used as it is.
///
/// What was unpacked from an archive of that name that was another one then goes when the new one
/// is unpacked; not while a process lives that this function has given it to.
///
/// @return  nullopt when there is neither archive nor folder.
/// Errors:        throws std::runtime_error when the archive is there but cannot be unpacked.
/// Thread safety: safe across threads and processes; the first caller unpacks, the others wait.
[[nodiscard]] std::optional<std::filesystem::path> fixture_archive(std::string_view name);

/// What a test says when it skips: which data is missing and where it was looked for.
[[nodiscard]] std::string missing_fixture_message(std::string_view name);

}  // namespace heddle::test
