// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where programs that keep a ledger on disk put it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <types/assert.hpp>

namespace heddle::bench {

/// A folder of its own, removed at the end.
class TemporaryFolder {
public:
    /// @param below   Where it is made; empty: among the system's temporary ones.
    /// @param prefix  Of its name.
    TemporaryFolder(const std::string& below, const std::string& prefix) {
        const std::filesystem::path place =
            below.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path{below};
        std::string text = (place / (prefix + "XXXXXX")).string();
        HEDDLE_ASSERT(::mkdtemp(text.data()) != nullptr);
        path_ = text;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace heddle::bench
