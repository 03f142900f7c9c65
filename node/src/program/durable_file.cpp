// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/durable_file.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
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

bool copy_all(int from, int to) {
    std::array<std::uint8_t, std::size_t{1} << 16> part;
    for (;;) {
        const ssize_t count = ::read(from, part.data(), part.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count == 0;
        if (!write_all(to, BytesView{part}.first(static_cast<std::size_t>(count)))) return false;
    }
}

/// @return whether all of it was done, closing included; errno is that of what failed first.
bool finish(int file, bool is_done) {
    const bool is_synced = is_done && ::fsync(file) == 0;
    const int error = errno;
    const bool is_closed = ::close(file) == 0;
    if (!is_synced) errno = error;
    return is_synced && is_closed;
}

int open_new(const std::string& path) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
}

bool copy_and_force(const std::string& from, const std::string& to) {
    const int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (source < 0) return false;
    const int file = open_new(to);
    const bool is_copied = file >= 0 && finish(file, copy_all(source, file));
    const int reason = errno;
    ::close(source);
    errno = reason;
    return is_copied;
}

}  // namespace

bool write_durably(const std::string& path, BytesView content) {
    const int file = open_new(path);
    return file >= 0 && finish(file, write_all(file, content));
}

bool copy_durably(const std::string& from, const std::string& to) {
    const std::string made = to + ".new";
    ::unlink(made.c_str());  // of a copy that was not finished
    if (copy_and_force(from, made) && ::rename(made.c_str(), to.c_str()) == 0) {
        const std::string folder = std::filesystem::path(to).parent_path().string();
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
