// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "archive/file_writer.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <types/assert.hpp>
#include <types/expected.hpp>

namespace heddle::consensus_adapter {

namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

}  // namespace

int sync_folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int result = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    return result;
}

std::expected<FileWriter, SourceError> FileWriter::create(std::string path) {
    const auto cannot_open = [&path](std::string reason) {
        return std::unexpected(
            SourceError{FileFault::cannot_open, path, 0, std::nullopt, std::move(reason)});
    };
    // The rename at the end would replace a device or fail on a folder.
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        return cannot_open("exists and is not a regular file");
    const int descriptor =
        ::open((path + ".part").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return cannot_open(std::strerror(errno));
    return FileWriter{std::move(path), descriptor};
}

FileWriter::FileWriter(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      size_bytes_(other.size_bytes_) {}

FileWriter::~FileWriter() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(part_path().c_str());
}

std::unexpected<SourceError> FileWriter::write_error(int error_number) const {
    return std::unexpected(SourceError{FileFault::write_failed, part_path(),
                                       size_bytes_ - buffer_.size(), std::nullopt,
                                       std::strerror(error_number)});
}

std::expected<void, SourceError> FileWriter::flush() {
    std::size_t done = 0;
    while (done < buffer_.size()) {
        const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return write_error(errno);
        done += static_cast<std::size_t>(count);
    }
    buffer_.clear();
    return {};
}

std::expected<void, SourceError> FileWriter::append(BytesView bytes) {
    HEDDLE_ASSERT(descriptor_ >= 0);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    size_bytes_ += bytes.size();
    return buffer_.size() < kFlushBytes ? std::expected<void, SourceError>{} : flush();
}

std::expected<void, SourceError> FileWriter::finish() {
    HEDDLE_ASSERT(descriptor_ >= 0);
    HEDDLE_CHECK(flush());
    if (::fsync(descriptor_) != 0) return write_error(errno);
    // Some file systems say only now that a write has failed.
    if (::close(std::exchange(descriptor_, -1)) != 0) {
        const int error_number = errno;
        ::unlink(part_path().c_str());
        return write_error(error_number);
    }
    if (std::rename(part_path().c_str(), path_.c_str()) != 0) {
        const int error_number = errno;
        ::unlink(part_path().c_str());
        return write_error(error_number);
    }
    if (const int error_number = sync_folder_of(path_); error_number != 0)
        return write_error(error_number);
    return {};
}

}  // namespace heddle::consensus_adapter
