// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is in the folder of a ledger, and a copy of it at one moment, for tests that go on from what
// a crash would leave.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <system_error>

namespace heddle::test {

inline std::set<std::string> files_in(const std::filesystem::path& folder) {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        files.insert(entry.path().native());
    return files;
}

/// As a crash would leave the folder of a ledger that is in use. A copy takes time, and the
/// database may replace files meanwhile, which no crash would show half of: then it is made again.
inline void copy_at_one_moment(const std::filesystem::path& folder,
                               const std::filesystem::path& copy) {
    for (;;) {
        const auto before = files_in(folder);
        std::error_code error;
        std::filesystem::copy(folder, copy, std::filesystem::copy_options::recursive, error);
        if (!error && files_in(folder) == before) return;
        std::filesystem::remove_all(copy);
    }
}

}  // namespace heddle::test
