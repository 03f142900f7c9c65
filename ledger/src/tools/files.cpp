// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <types/expected.hpp>

#include "storage/folders.hpp"

namespace heddle::ledger {

namespace {

namespace fs = std::filesystem;

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
                                                           std::size_t max_bytes) {
    // A pipe that nobody writes to would not be opened before somebody does.
    const File file(path, O_RDONLY | O_NONBLOCK);
    if (!file.is_open()) {
        if (errno == ENOENT) return std::nullopt;
        return system_failure("opening " + path, errno);
    }
    struct stat found{};
    if (::fstat(file.get(), &found) != 0) return system_failure("reading " + path, errno);
    if (!S_ISREG(found.st_mode))
        return std::unexpected(
            LedgerError{LedgerErrorCode::bad_snapshot, path + " is not a regular file"});
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

std::expected<FolderLock, LedgerError> make_empty_folder(const std::string& path) {
    std::error_code error;
    // A link leads to what is somebody else's.
    if (!fs::is_directory(fs::symlink_status(path, error))) fs::remove(path, error);
    if (error) return system_failure("removing " + path, error.value());
    HEDDLE_CHECK(make_folder(path));
    HEDDLE_TRY(FolderLock lock, FolderLock::take(path));
    for (fs::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error))
        fs::remove_all(entry->path(), error);
    if (error) return system_failure("emptying " + path, error.value());
    return lock;
}

std::expected<void, LedgerError> rename_folder(const std::string& from, const std::string& to) {
    HEDDLE_CHECK(sync_folder(from));
    if (std::rename(from.c_str(), to.c_str()) != 0)
        return system_failure("renaming " + from + " to " + to, errno);
    auto synced = sync_folder(folder_of(to));
    // What is said to have failed is not to stand in the way of doing it again.
    if (!synced.has_value()) (void)std::rename(to.c_str(), from.c_str());
    return synced;
}

}  // namespace heddle::ledger
