// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a program has forced to the disk. A program with forced_files.cpp has its fsync() and
// fdatasync() in the place of the C library's.
#pragma once

#include <filesystem>
#include <functional>

namespace heddle::test {

/// Forgets what was forced so far, what was to be refused and what was to be done.
/// Thread safety: any, as of the others.
void forget_forced_files();
/// From now on the file or folder, which is there, is not forced: the disk fails.
void refuse_to_force(const std::filesystem::path& path);
/// Whether the file or folder, which is there, was forced since.
[[nodiscard]] bool is_forced(const std::filesystem::path& path);

/// Done once, as soon as a file's data is on the disk by fdatasync(), as a database forces its log:
/// before whoever forced it goes on, by their thread.
void once_data_is_forced(std::function<void()> act);

}  // namespace heddle::test
