// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "program/error.hpp"

namespace heddle::node {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::string_view prefix, std::string_view otherwise) {
    std::error_code error;
    const fs::path place = fs::temp_directory_path(error);
    if (error) {
        const char* const named = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
        fail_input("TMPDIR: {}: is no folder for temporary files; {}",
                   named != nullptr ? named : "/tmp", otherwise);
    }
    std::string path = (place / (std::string{prefix} + "XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr) {
        const std::string reason = std::generic_category().message(errno);
        fail_input("{}: cannot be made: {}; {}", path, reason, otherwise);
    }
    path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace heddle::node
