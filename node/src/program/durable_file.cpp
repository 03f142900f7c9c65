// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/durable_file.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::node {
namespace {

bool write_all(int file, BytesView content) {
    while (!content.empty()) {
        const ssize_t count = ::write(file, content.data(), content.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        content = content.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

/// @return whether all of it was done, closing included; errno is that of what failed first.
bool finish(int file, bool is_done) {
    const bool is_synced = is_done && ::fsync(file) == 0;
    const int error = errno;
    const bool is_closed = ::close(file) == 0;
    if (!is_synced) errno = error;
    return is_synced && is_closed;
}

}  // namespace

bool write_durably(const std::string& path, BytesView content) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    return file >= 0 && finish(file, write_all(file, content));
}

bool copy_durably(const std::string& from, const std::string& to) {
    namespace fs = std::filesystem;
    const std::string made = to + ".new";
    ::unlink(made.c_str());  // of a copy that was not finished; it may be read-only as `from` is
    std::error_code error;
    fs::copy_file(from, made, error);
    if (error) {
        errno = error.value();
    } else {
        const int file = ::open(made.c_str(), O_RDONLY | O_CLOEXEC);
        const std::string folder = fs::path(to).parent_path().string();
        if (file >= 0 && finish(file, true) && ::rename(made.c_str(), to.c_str()) == 0)
            return sync_folder(folder.empty() ? "." : folder);
    }
    const int reason = errno;
    ::unlink(made.c_str());
    errno = reason;
    return false;
}

bool make_folder_durably(const std::string& folder) {
    namespace fs = std::filesystem;
    constexpr mode_t kForEverybody = 0777;  // but for what the process's mask takes away
    std::error_code error;
    fs::path path = fs::absolute(folder, error);
    if (error) {  // the folder that this process runs in is gone
        errno = error.value();
        return false;
    }
    if (!path.has_filename()) path = path.parent_path();  // it ended with a slash
    const fs::path above = path.parent_path();
    if (!fs::is_directory(above, error) && !make_folder_durably(above.string())) return false;
    if (::mkdir(path.c_str(), kForEverybody) != 0 && errno != EEXIST) return false;
    if (!fs::is_directory(path, error)) {
        errno = ENOTDIR;
        return false;
    }
    if (sync_folder(above.string())) return true;
    if (errno != EACCES) return false;
    // Who may make something in it need not be allowed to list it, and then cannot force it alone.
    ::sync();
    return true;
}

bool sync_folder(const std::string& folder) {
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return file >= 0 && finish(file, true);
}

}  // namespace heddle::node
