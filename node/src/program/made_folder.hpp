// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder that a command writes into: made where it is not there, and gone again where the
// command fails before it has written anything that stays.
#pragma once

#include <filesystem>
#include <system_error>

namespace heddle::node {

/// Removes the folders that it made, those that are empty, when it ends: whoever wants them fills
/// them.
class MadeFolder {
public:
    /// Makes the folder, and those above it. What cannot be done says error().
    explicit MadeFolder(std::filesystem::path folder);
    MadeFolder(const MadeFolder&) = delete;
    MadeFolder& operator=(const MadeFolder&) = delete;
    ~MadeFolder();

    [[nodiscard]] const std::error_code& error() const noexcept { return error_; }

private:
    const std::filesystem::path folder_;
    std::filesystem::path there_;  // the one above or itself that was there before
    std::error_code error_;
};

}  // namespace heddle::node
