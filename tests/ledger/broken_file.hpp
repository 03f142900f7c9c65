// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A disk that fails under files that are open already.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace heddle::test {

/// Has every read of the file fail that this process has open: what it is open by is made something
/// that cannot be read.
inline void break_open_file(const std::filesystem::path& path) {
    const int broken = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(broken, 0);
    std::vector<int> opened;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        if (std::filesystem::read_symlink(entry.path(), error) == path)
            opened.push_back(std::stoi(entry.path().filename()));
    }
    for (const int file : opened)
        ASSERT_EQ(::dup3(broken, file, O_CLOEXEC), file);
    ::close(broken);
}

}  // namespace heddle::test
