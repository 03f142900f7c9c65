// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A folder of its own for a test that writes files; gone with all it holds when the test is.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include <types/assert.hpp>

namespace heddle::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "heddle-XXXXXX").string();
        HEDDLE_ASSERT(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const {
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

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
