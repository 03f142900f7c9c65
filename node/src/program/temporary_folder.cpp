// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "program/error.hpp"

namespace heddle::node {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::string_view prefix, std::string_view otherwise) {
    std::string path = (fs::temp_directory_path() / (std::string{prefix} + "XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr) fail_input("{}: cannot be made; {}", path, otherwise);
    path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace heddle::node
