// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where code goes that one transaction wants kept, and that is more than there is memory for.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <vm/code_memory.hpp>

namespace heddle::node {

/// A file without a name, mapped: the system writes its pages and drops them when it wants their
/// memory, and reads one again when somebody looks at it. Of what was looked at so many bytes are
/// mapped at a time; the others are the system's, as of any file. There is a file, and room on the
/// disk is taken, only while something is on the shelf.
/// Thread safety: one thread at a time.
class FileShelf final : public vm::CodeShelf {
public:
    /// @param folder        On a disk.
    /// @param mapped_bytes  At most, but for one piece and what is run without being asked for.
    explicit FileShelf(std::string folder, std::size_t mapped_bytes = kMappedBytes)
        : folder_(std::move(folder)), mapped_bytes_(mapped_bytes) {}
    ~FileShelf() override { clear(); }
    FileShelf(const FileShelf&) = delete;
    FileShelf& operator=(const FileShelf&) = delete;

    [[nodiscard]] std::byte* take(std::size_t bytes) noexcept override;
    void look_at(const std::byte* room, std::size_t bytes) noexcept override;
    void clear() noexcept override;

    /// Of the file.
    [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

    static constexpr std::size_t kMappedBytes = std::size_t{8} << 20;

private:
    struct Piece {
        std::byte* begin;
        std::size_t bytes;
    };

    [[nodiscard]] bool grow(std::size_t bytes) noexcept;

    // Immutable after construction.
    std::string folder_;
    std::size_t mapped_bytes_;

    int file_ = -1;
    std::size_t size_bytes_ = 0;
    std::vector<Piece> parts_;    // of the file, in its order
    std::size_t left_bytes_ = 0;  // of the last one
    std::vector<Piece> looked_at_;
    std::size_t looked_at_bytes_ = 0;
};

}  // namespace heddle::node
