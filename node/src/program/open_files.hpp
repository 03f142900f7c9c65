// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the system allows this process: how many files and sockets it may have open, and how large
// its files may be.
#pragma once

#include <cstdint>

namespace heddle::node {

/// Raises the limit as far as the system lets an ordinary process. @return what it is then.
std::uint64_t raise_open_file_limit() noexcept;

/// Writing beyond the largest size that a file may have (`ulimit -f`) fails from now on, as on a
/// full disk, in place of ending the process (SIGXFSZ): nobody would say why, and what is half
/// written would stay.
void let_too_large_files_fail() noexcept;

}  // namespace heddle::node
