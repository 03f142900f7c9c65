// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/code_shelf.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::node {
namespace {

constexpr std::size_t kPage = 4'096;
/// The file grows by so much at a time: room on the disk is taken before it is mapped, since
/// whoever writes to a page that has no room on a full disk is ended by the system.
constexpr std::size_t kPartBytes = std::size_t{16} << 20;
/// Looks between which nothing is put away, of pieces however small.
constexpr std::size_t kMostLooks = 512;

constexpr std::size_t whole_pages(std::size_t bytes) noexcept {
    return (bytes + kPage - 1) / kPage * kPage;
}

int make_unnamed_file(const std::string& folder) noexcept {
    std::string name = folder + "/shelf-XXXXXX";
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) (void)::unlink(name.c_str());
    return file;
}

}  // namespace

std::byte* FileShelf::take(std::size_t bytes) noexcept {
    // Pages of its own, or what is put away of one piece would be another's.
    bytes = whole_pages(bytes);
    if (bytes > left_bytes_ && !grow(std::max(bytes, kPartBytes))) return nullptr;
    const Piece& part = parts_.back();
    std::byte* const taken = part.begin + (part.bytes - left_bytes_);
    left_bytes_ -= bytes;
    return taken;
}

void FileShelf::look_at(const std::byte* room, std::size_t bytes) noexcept {
    // The mapping is this one's.
    auto* const begin = const_cast<std::byte*>(room);
    if (!looked_at_.empty() && looked_at_.back().begin == begin) return;
    bytes = whole_pages(bytes);
    if (looked_at_bytes_ + bytes > mapped_bytes_ || looked_at_.size() == kMostLooks) {
        // Of a shared mapping only the pages' places go; what is in them is the file's.
        for (const Piece& piece : looked_at_)
            (void)::madvise(piece.begin, piece.bytes, MADV_DONTNEED);
        looked_at_.clear();
        looked_at_bytes_ = 0;
    }
    looked_at_.push_back({begin, bytes});
    looked_at_bytes_ += bytes;
}

void FileShelf::clear() noexcept {
    for (const Piece& part : parts_)
        (void)::munmap(part.begin, part.bytes);
    parts_ = {};
    looked_at_ = {};
    left_bytes_ = looked_at_bytes_ = size_bytes_ = 0;
    if (file_ >= 0) ::close(std::exchange(file_, -1));
}

bool FileShelf::grow(std::size_t bytes) noexcept {
    if (file_ < 0) file_ = make_unnamed_file(folder_);
    if (file_ < 0) return false;
    const auto offset = static_cast<off_t>(size_bytes_);
    int failure = EINTR;
    while (failure == EINTR)
        failure = ::posix_fallocate(file_, offset, static_cast<off_t>(bytes));
    if (failure != 0) return false;
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, offset);
    if (begin == MAP_FAILED) return false;
    // Neighbours are no nearer in time: what is read ahead would be read for nothing.
    (void)::madvise(begin, bytes, MADV_RANDOM);
    parts_.push_back({static_cast<std::byte*>(begin), bytes});
    size_bytes_ += bytes;
    left_bytes_ = bytes;
    return true;
}

}  // namespace heddle::node
