// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/whole_file.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/folders.hpp"

namespace heddle::ledger {

namespace {

/// Closes itself.
class File {
public:
    File(const std::string& path, int flags)
        : file_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
    ~File() {
        if (file_ >= 0) ::close(file_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }
    [[nodiscard]] int get() const noexcept { return file_; }

private:
    const int file_;
};

}  // namespace

std::expected<void, LedgerError> write_file(const std::string& path, BytesView bytes) {
    const File file(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.is_open()) return system_failure("making " + path, errno);
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_failure("writing " + path, errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    if (::fsync(file.get()) != 0) return system_failure("syncing " + path, errno);
    return {};
}

std::expected<std::optional<Bytes>, LedgerError> read_file(const std::string& path,
                                                           std::size_t max_bytes,
                                                           LedgerErrorCode if_not_regular) {
    // A pipe that nobody writes to would not be opened before somebody does.
    const File file(path, O_RDONLY | O_NONBLOCK);
    if (!file.is_open()) {
        if (errno == ENOENT) return std::nullopt;
        return system_failure("opening " + path, errno);
    }
    struct stat found{};
    if (::fstat(file.get(), &found) != 0) return system_failure("reading " + path, errno);
    if (!S_ISREG(found.st_mode))
        return std::unexpected(LedgerError{if_not_regular, path + " is not a regular file"});
    const std::size_t size = std::min(static_cast<std::size_t>(found.st_size), max_bytes + 1);
    Bytes bytes(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count = ::read(file.get(), bytes.data() + done, size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_failure("reading " + path, errno);
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    bytes.resize(done);
    return bytes;
}

}  // namespace heddle::ledger
