// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A place for files that nobody needs afterwards.
#pragma once

#include <string>
#include <string_view>

namespace heddle::node {

/// A folder among the system's temporary ones that is gone with this.
class TemporaryFolder {
public:
    /// @param prefix     Of its name.
    /// @param otherwise  What to do where none can be made: the end of a sentence.
    /// Errors: InputError.
    TemporaryFolder(std::string_view prefix, std::string_view otherwise);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

}  // namespace heddle::node
