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

#include "temporary_folder.hpp"

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

[[nodiscard]] std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& content);

}  // namespace heddle::test
