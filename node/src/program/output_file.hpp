// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that is written over a long time and has its name only once it is complete.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include <types/bytes.hpp>

namespace heddle::node {

/// A file that has another name until it is complete, and is this process's until then; or standard
/// output; or a pipe or a device, which is written to as it is.
///
/// All fail with InputError, which names the command, the file, and what the system says.
/// Thread safety: none. What is not published is gone with the object.
class OutputFile {
public:
    /// @param command  What errors begin with.
    OutputFile(std::string command, const std::string& path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(BytesView bytes);
    /// All of it is written, and on the disk where there is one to force it to.
    void complete();
    /// Follows complete(): it gets its name.
    void publish();
    /// Of what was written, in bytes.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] bool is_standard() const noexcept { return is_standard_; }

private:
    [[nodiscard]] std::FILE* open() const;
    [[noreturn]] void fail(const char* doing, const std::string& path) const;

    const std::string command_;
    const std::string path_;
    const bool is_standard_;
    const bool is_renamed_;
    const std::string opened_;
    std::FILE* file_ = nullptr;
    bool is_published_ = false;
    std::uint64_t size_ = 0;
};

}  // namespace heddle::node
