// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How commands end: exit codes, and the exception for bad usage and bad input. Exceptions stay
// inside node; a block or test that is wrong is a result, not an exception.
#pragma once

#include <cerrno>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace heddle::node {

/// The program's exit codes.
enum class ExitCode : int {
    ok = 0,
    failed = 1,          // a block or a test is wrong
    bad_input = 2,       // bad usage, unreadable or malformed input
    storage_failed = 3,  // the data directory is damaged, or the disk failed or is full
    in_use = 4,          // the data directory is in use by another process
    no_memory = 5,       // the system gave too little memory, or too few threads
};

/// Bad usage or bad input. Its text says what is wrong and, where it is not obvious, what to do.
class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Another process has the data directory, for now: the same command works later.
class InUseError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The data directory cannot be used any more. Its text says what is wrong and what to do.
class StorageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Whether a system call failed by the disk, not by what it was asked for: then it is a
/// StorageError, because the same may work when the disk has room or is mounted again.
[[nodiscard]] constexpr bool is_of_disk(int error) noexcept {
    return error == ENOSPC || error == EDQUOT || error == EIO || error == EROFS;
}

/// Throws InputError with the formatted text.
template <typename... Args>
[[noreturn]] void fail_input(fmt::format_string<Args...> format, Args&&... args) {
    throw InputError(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace heddle::node
