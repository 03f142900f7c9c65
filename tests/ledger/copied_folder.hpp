// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is in the folder of a ledger, and a copy of it at one moment, for tests that go on from what
// a crash would leave.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
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

/// Of all but logs, of which a crash leaves a beginning.
inline std::map<std::string, std::uintmax_t> lengths_in(const std::filesystem::path& folder) {
    std::map<std::string, std::uintmax_t> lengths;
    std::error_code error;  // of a file that is gone meanwhile
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        lengths[entry.path().native()] =
            entry.path().extension() == ".log" ? 0 : entry.file_size(error);
    return lengths;
}

/// As a crash would leave the folder of a ledger that is in use. A copy takes time, and the
/// database may replace files meanwhile, or go on with its list of them, which no crash would show
/// half of: then it is made again.
inline void copy_at_one_moment(const std::filesystem::path& folder,
                               const std::filesystem::path& copy) {
    for (;;) {
        const auto before = lengths_in(folder);
        std::error_code error;
        std::filesystem::copy(folder, copy, std::filesystem::copy_options::recursive, error);
        if (!error && lengths_in(folder) == before) return;
        std::filesystem::remove_all(copy);
    }
}

}  // namespace heddle::test
