// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder that a command writes into: made where it is not there, and gone again where the
// command fails.
#pragma once

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace heddle::node {

/// When it ends without keep(), what it was given goes, and then the folders that it made, up to
/// one that something is in: what somebody else has put there stays.
class MadeFolder {
public:
    /// Makes the folder, and those above it. What cannot be done says error().
    explicit MadeFolder(const std::filesystem::path& folder);
    MadeFolder(const MadeFolder&) = delete;
    MadeFolder& operator=(const MadeFolder&) = delete;
    ~MadeFolder();

    [[nodiscard]] const std::error_code& error() const noexcept { return error_; }
    /// Whether the folder was there: then it stays, and what is in it may be somebody else's.
    [[nodiscard]] bool was_there() const noexcept { return was_there_; }
    /// A file or a folder that the command makes, or is about to: goes with all that is in it.
    void add(std::filesystem::path path) { added_.push_back(std::move(path)); }
    /// A folder that was there goes as if it had been made here: an attempt that was killed has
    /// left it.
    void take_over();
    /// Everything stays: what is in it is complete.
    void keep() noexcept { is_kept_ = true; }

private:
    const std::filesystem::path folder_;
    std::filesystem::path there_;  // the one above or itself that was there before
    std::vector<std::filesystem::path> added_;
    std::error_code error_;
    bool was_there_ = false;
    bool is_kept_ = false;
};

}  // namespace heddle::node
