// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A folder of its own for a test or benchmark that writes files; gone with all it holds when its
// owner is.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace heddle::test {

class TemporaryFolder {
public:
    /// @param below  Where it is made; empty: among the system's temporary ones.
    explicit TemporaryFolder(const std::filesystem::path& below = {}) {
        const auto place = below.empty() ? std::filesystem::temp_directory_path() : below;
        std::string name = (place / "heddle-test-XXXXXX").native();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::filesystem::filesystem_error(
                "no temporary folder", place, std::error_code(errno, std::generic_category()));
        path_ = name;
    }
    /// Where files take no disk, if the system has such a place: thousands of runs would wear one.
    [[nodiscard]] static TemporaryFolder in_memory() {
        const bool has_memory = ::access("/dev/shm", W_OK) == 0;
        return TemporaryFolder(has_memory ? "/dev/shm" : "");
    }
    ~TemporaryFolder() {
        if (path_.empty()) return;
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TemporaryFolder(TemporaryFolder&& other) noexcept
        : path_(std::exchange(other.path_, std::filesystem::path{})) {}
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const {
        return (path_ / name).native();
    }
    /// Writes a file and gives its path.
    [[nodiscard]] std::string write(const std::string& name, const std::string& content) const {
        const std::string file = *this / name;
        std::ofstream(file, std::ios::binary) << content;
        return file;
    }

private:
    std::filesystem::path path_;
};

}  // namespace heddle::test
