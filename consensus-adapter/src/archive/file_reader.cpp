// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "file_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/counted.hpp>
#include <types/expected.hpp>

namespace heddle::consensus_adapter {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
/// Items above this are read into a buffer that is given back afterwards.
constexpr std::size_t kMaxKeptBytes = std::size_t{16} << 20;

SourceError make_error(SourceErrorCode code, std::string path, std::uint64_t offset,
                       std::string reason) {
    return {code, std::move(path), offset, std::nullopt, std::move(reason)};
}

constexpr const char* kNoPipe = "write what comes through a pipe into a file first";

/// Why `path` was not opened, by the system's `error`.
std::string reason_of(const std::string& path, int error) {
    // Others read standard input by this name.
    if (path == "-" && error == ENOENT)
        return fmt::format("standard input is not read: {}", kNoPipe);
    return std::strerror(error);
}

}  // namespace

std::expected<FileReader, SourceError> FileReader::open(const std::string& path) {
    // A pipe that nobody writes to would not be opened before somebody does.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return std::unexpected(make_error(FileFault::cannot_open, path, 0, reason_of(path, errno)));
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor);
        return std::unexpected(make_error(FileFault::cannot_open, path, 0,
                                          S_ISDIR(status.st_mode)
                                              ? std::string{"a folder, not a file"}
                                              : fmt::format("not a regular file: {}", kNoPipe)));
    }
    return FileReader{path, descriptor, static_cast<std::uint64_t>(status.st_size)};
}

FileReader::FileReader(std::string path, int descriptor, std::uint64_t size_bytes) noexcept
    : path_(std::move(path)), descriptor_(descriptor), size_bytes_(size_bytes) {}

FileReader::FileReader(FileReader&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_bytes_(other.size_bytes_),
      offset_(other.offset_),
      buffer_(std::move(other.buffer_)),
      begin_(std::exchange(other.begin_, 0)),
      end_(std::exchange(other.end_, 0)) {}

FileReader::~FileReader() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::unexpected<SourceError> FileReader::error(SourceErrorCode code, std::string reason) const {
    return std::unexpected(make_error(code, path_, offset_, std::move(reason)));
}

std::expected<BytesView, SourceError> FileReader::peek(std::size_t size) {
    while (end_ - begin_ < size) {
        if (begin_ != 0) {
            std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
            end_ -= std::exchange(begin_, 0);
        }
        // A chunk at a time: memory follows what was read, not what was asked for.
        const std::size_t chunk = std::min<std::uint64_t>(kChunkBytes, size_bytes_ + 1);
        if (buffer_.size() - end_ < chunk)
            buffer_.resize(std::max(end_ + chunk, std::min(size, 2 * end_)));
        const auto next = static_cast<off_t>(offset_ + (end_ - begin_));
        const ssize_t count =
            ::pread(descriptor_, buffer_.data() + end_, buffer_.size() - end_, next);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return error(FileFault::read_failed, std::strerror(errno));
        if (count == 0) break;
        end_ += static_cast<std::size_t>(count);
    }
    return BytesView{buffer_.data() + begin_, std::min(size, end_ - begin_)};
}

std::expected<BytesView, SourceError> FileReader::peek_exactly(std::size_t size,
                                                               std::string_view what) {
    HEDDLE_TRY(const BytesView bytes, peek(size));
    if (bytes.size() < size)
        return error(FileFault::truncated,
                     fmt::format("{} of {}, {} left", what, counted(size, "byte"), bytes.size()));
    return bytes;
}

void FileReader::skip(std::size_t size) noexcept {
    HEDDLE_ASSERT(size <= end_ - begin_);
    begin_ += size;
    offset_ += size;
    if (begin_ == end_) {
        begin_ = end_ = 0;
        if (buffer_.size() > kMaxKeptBytes) buffer_ = {};
    }
}

void FileReader::seek(std::uint64_t offset) noexcept {
    if (offset >= offset_ && offset - offset_ <= end_ - begin_) {
        skip(static_cast<std::size_t>(offset - offset_));
        return;
    }
    offset_ = offset;
    begin_ = end_ = 0;
}

std::expected<FileReader, SourceError> FileReader::duplicate() const {
    const int descriptor = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0)
        return std::unexpected(make_error(FileFault::cannot_open, path_, 0, std::strerror(errno)));
    return FileReader{path_, descriptor, size_bytes_};
}

}  // namespace heddle::consensus_adapter
