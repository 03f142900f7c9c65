// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/made_folder.hpp"

namespace heddle::node {

namespace fs = std::filesystem;

namespace {

/// Without a slash at its end, so that its parent is the one above.
fs::path without_slash(const fs::path& folder) {
    return folder.has_filename() || !folder.has_parent_path() ? folder : folder.parent_path();
}

}  // namespace

MadeFolder::MadeFolder(const fs::path& folder) : folder_(without_slash(folder)) {
    std::error_code ignored;
    there_ = folder_;
    while (!there_.empty() && !fs::exists(there_, ignored) && there_ != there_.parent_path())
        there_ = there_.parent_path();
    // Only one of two processes that make it at once is told that it has.
    was_there_ = !fs::create_directories(folder_, error_);
}

void MadeFolder::take_over() {
    if (there_ == folder_) there_ = folder_.parent_path();
}

MadeFolder::~MadeFolder() {
    if (is_kept_) return;
    std::error_code error;
    for (const fs::path& path : added_)
        fs::remove_all(path, error);
    // Of a folder nothing is removed that anything is in.
    for (fs::path path = folder_; path != there_ && !path.empty(); path = path.parent_path()) {
        if (!fs::is_directory(fs::symlink_status(path, error))) continue;
        if (!fs::remove(path, error)) return;
    }
}

}  // namespace heddle::node
