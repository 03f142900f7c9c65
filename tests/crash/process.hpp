// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Running a program to its end, however it ends, with more in its environment. Not for programs
// that are talked to while they run.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct ProcessResult {
    int exit_code = -1;  // -1: ended by a signal
    int signal = 0;      // 0: ended by itself
    std::string out;
    std::string error;

    /// One sentence for a failure message.
    [[nodiscard]] std::string ending() const;
};

/// Runs `command` (its first word is a path) and waits for its end.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& command,
                                        const Environment& environment = {});

/// A folder that is gone with its owner, in memory where the system has such a place: no test
/// here needs a real disk, and thousands of runs would wear one.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) {
        other.path_.clear();
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (path_ / name).native();
    }

private:
    std::filesystem::path path_;
};

[[nodiscard]] std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& content);

}  // namespace heddle::test
