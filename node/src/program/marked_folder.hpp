// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder in which something lies that is not complete yet, and that nothing but this program
// may clear.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

#include "program/made_folder.hpp"

namespace heddle::node {

/// A mark in it says what it is, and is locked as long as somebody is at work. When this ends
/// without finish() everything in it goes, also where something failed: on a full disk it would
/// hold the room that is missing. What a kill has left is the next attempt's.
class MarkedFolder {
public:
    /// Makes the folder, with those above it, or empties it where a kill has left it.
    /// @param mark  The name of a file that nobody else uses: what lies beside it is removed.
    /// @param part  The only name that lies beside it, a folder's; empty: any may.
    /// Errors: InputError where something else is there, or another process is at work;
    /// StorageError.
    MarkedFolder(std::filesystem::path path, std::string mark, std::string part = {});
    MarkedFolder(const MarkedFolder&) = delete;
    MarkedFolder& operator=(const MarkedFolder&) = delete;
    ~MarkedFolder();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    /// Removes everything but the mark. Errors: InputError.
    void clear() const;
    /// Gives the folder its name, without the mark. Errors: InputError where something is there.
    void finish(const std::filesystem::path& name);

private:
    struct Lock {
        Lock() = default;
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;
        ~Lock();

        int file = -1;
    };

    /// @return what could not be removed, and why.
    [[nodiscard]] std::expected<void, std::string> remove_parts() const;

    const std::filesystem::path path_;
    const std::string mark_;
    const bool is_left_over_;
    bool is_finished_ = false;
    MadeFolder made_;
    Lock lock_;
};

}  // namespace heddle::node
