// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that exist as long as a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

#include <types/bytes.hpp>

namespace heddle::consensus_adapter::test {

class ScratchFile {
public:
    explicit ScratchFile(const Bytes& content) {
        static int count = 0;
        path_ = (std::filesystem::temp_directory_path() /
                 ("heddle-test-" + std::to_string(::getpid()) + "-" + std::to_string(++count)))
                    .string();
        std::ofstream file{path_, std::ios::binary};
        file.write(reinterpret_cast<const char*>(content.data()),
                   static_cast<std::streamsize>(content.size()));
    }
    ~ScratchFile() { std::filesystem::remove(path_); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

inline Bytes read_file(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace heddle::consensus_adapter::test
