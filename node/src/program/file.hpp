// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files named on the command line: reading and writing whole files, expanding
// folders.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::node {

/// Reads a whole file into `out`, whose memory is reused.
/// Errors: InputError when it is missing, a folder, unreadable or larger than `max_size` bytes.
void read_file(const std::string& path, std::size_t max_size, std::string& out);

/// Where something is there, it has to be a regular file: a pipe might never answer. Of files that
/// the program keeps for itself. Errors: StorageError.
void require_regular_file(const std::string& path);

/// Whether a file may take the place of what has this name: nothing, or another file. A pipe, a
/// device or a link stays what it is, and is written to.
[[nodiscard]] bool is_replaceable(const std::string& path);

/// Opens a file that has not got its name yet, for writing and empty: what an interrupted process
/// left of it is gone. No other process opens it like this before it is closed; so whoever has it
/// renames or removes it first.
/// @return its descriptor; -1: errno says why, EWOULDBLOCK where another process has it.
[[nodiscard]] int open_unfinished(const std::string& path);

/// Whether both name one file, which would be replaced twice: what was written first would be lost.
/// An empty name is no file.
[[nodiscard]] bool is_same_file(const std::string& one, const std::string& other);

/// Whether this name of a file means standard output.
[[nodiscard]] inline bool is_standard_output(std::string_view path) noexcept {
    return path == "-";
}

/// Writes a whole file, which has its name only once it is whole: one that was there stays until
/// then; or to standard output. Errors: InputError, also where another process is writing it.
void write_file(const std::string& path, std::string_view content);

/// Whether write_file() may be expected to succeed, for what takes long before it has something to
/// write. Errors: InputError where it cannot: no such folder, a folder by that name, no permission.
void check_writable(const std::string& path);

/// Whether a folder by that name can be made, for what takes long before it makes it: nothing is
/// there, and those above that are there may be written. Errors: InputError, which begins with
/// `option`.
void check_new_folder(const std::string& option, const std::string& path);

/// Every file below a folder whose name ends with `extension`, sorted by path; hidden files and
/// folders are left out. None where there is none.
/// Errors: InputError where the folder, or one below it, cannot be listed.
[[nodiscard]] std::vector<std::string> files_below(const std::string& folder,
                                                   std::string_view extension);

/// The files themselves, and every file below a folder, as files_below().
/// Errors: InputError when a path does not exist, or nothing was found.
[[nodiscard]] std::vector<std::string> expand_paths(const std::vector<std::string>& paths,
                                                    std::string_view extension);

}  // namespace heddle::node
