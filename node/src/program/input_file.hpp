// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that somebody has named, read from the beginning to the end. They may be pipes, of which
// nobody knows whether anything ever comes: who waits for one can be told to stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace heddle::node {

/// Thread safety: one thread at a time.
class InputFile {
public:
    /// Does not wait for who writes to a pipe.
    /// Errors: InputError when it is missing, a folder or unreadable.
    explicit InputFile(std::string path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    /// In bytes; 0 of what is no plain file.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    /// Waits for some bytes. @return how many; 0: the end.
    /// Errors: InputError, also where is_given_up() of give_up_waiting_when() says so.
    [[nodiscard]] std::size_t read(std::span<char> into);

private:
    void wait_for_bytes() const;

    const std::string path_;
    const int file_;
    std::uint64_t size_ = 0;
    bool may_wait_ = false;  // a pipe, a terminal
};

/// Whom those that wait ask, several times a second. Set before there is more than one thread.
void give_up_waiting_when(bool (*is_given_up)() noexcept) noexcept;

}  // namespace heddle::node
