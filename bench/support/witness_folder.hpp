// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The witness blocks of a folder.
#pragma once

#include <filesystem>
#include <vector>

#include "formats/witness_file.hpp"

namespace heddle::bench {

/// Every witness file below `folder`, by path.
/// Errors: throws node::InputError.
[[nodiscard]] std::vector<node::Witness> load_witnesses(const std::filesystem::path& folder);

}  // namespace heddle::bench
