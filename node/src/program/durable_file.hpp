// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Small files that must be on the disk before anything else is done: written whole under another
// name, and renamed by whoever has written them, who then syncs the folder.
#pragma once

#include <string>

#include <types/bytes.hpp>

namespace heddle::node {

/// Writes a whole file, which its owner's group may read, and waits until the disk has it.
/// @return false: it failed, errno says why, and what is there is of no use.
/// Thread safety: any, for different files.
[[nodiscard]] bool write_durably(const std::string& path, BytesView content);

/// Copies a file, which its owner's group may read then, and waits until the disk has it. What is
/// at `to` afterwards is all of it, or what was there before, also where the process ends
/// meanwhile; a part may be left at `to`.new then.
/// @return false: it failed, errno says why. Thread safety: any, for different files.
[[nodiscard]] bool copy_durably(const std::string& from, const std::string& to);

/// Makes a folder and those above it that are missing, and waits until their names are on the disk,
/// also where it is there. @return false: it failed, errno says why. Thread safety: any.
[[nodiscard]] bool make_folder_durably(const std::string& folder);

/// Waits until the names in a folder are on the disk. @return false: it failed, errno says why.
[[nodiscard]] bool sync_folder(const std::string& folder);

}  // namespace heddle::node
