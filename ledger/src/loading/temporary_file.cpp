// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "loading/temporary_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <types/expected.hpp>

#include "storage/byte_codec.hpp"

namespace heddle::ledger {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

std::unexpected<LedgerError> failure(const char* doing, const std::string& folder, int error) {
    const auto code =
        error == ENOSPC || error == EDQUOT ? LedgerErrorCode::no_space : LedgerErrorCode::io_error;
    return std::unexpected(LedgerError{code, std::string{doing} + " a temporary file in " + folder +
                                                 ": " + std::generic_category().message(error)});
}

}  // namespace

std::expected<TemporaryFile, LedgerError> TemporaryFile::make(const std::string& folder) {
    std::string name = folder + "/sorted-XXXXXX";
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) return failure("making", folder, errno);
    TemporaryFile made(file, folder);
    if (::unlink(name.c_str()) != 0) return failure("making", folder, errno);
    return made;
}

TemporaryFile::~TemporaryFile() {
    if (file_ >= 0) ::close(file_);
}

std::expected<void, LedgerError> TemporaryFile::append(BytesView bytes) {
    if (buffer_.capacity() == 0) buffer_.reserve(kBufferBytes);
    if (buffer_.size() + bytes.size() > kBufferBytes) HEDDLE_CHECK(write_buffer());
    ledger::append(bytes, buffer_);
    return {};
}

std::expected<void, LedgerError> TemporaryFile::flush() {
    HEDDLE_CHECK(write_buffer());
    buffer_ = Bytes{};
    return {};
}

std::expected<void, LedgerError> TemporaryFile::write_buffer() {
    for (std::size_t done = 0; done < buffer_.size();) {
        const ssize_t written = ::pwrite(file_, buffer_.data() + done, buffer_.size() - done,
                                         static_cast<off_t>(size_));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failure("writing", folder_, errno);
        done += static_cast<std::size_t>(written);
        size_ += static_cast<std::size_t>(written);
    }
    buffer_.clear();
    return {};
}

std::expected<void, LedgerError> TemporaryFile::read(std::uint64_t offset,
                                                     std::span<std::uint8_t> out) const {
    while (!out.empty()) {
        const ssize_t got = ::pread(file_, out.data(), out.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return failure("reading", folder_, got < 0 ? errno : EIO);
        offset += static_cast<std::uint64_t>(got);
        out = out.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

}  // namespace heddle::ledger
