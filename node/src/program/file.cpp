// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/error.hpp"
#include "program/input_file.hpp"

namespace heddle::node {

namespace {

namespace fs = std::filesystem;

/// Whether the file that is open has this name.
bool is_file_of(const std::string& path, int file) {
    struct stat opened{};
    struct stat named{};
    return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool write_all(int file, std::string_view content) {
    while (!content.empty()) {
        const ssize_t count = ::write(file, content.data(), content.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

/// As write_file(), of a name that is free or a regular file's. @return false: errno says why.
bool replace_file(const std::string& path, std::string_view content) {
    const std::string unfinished = path + ".unfinished";
    const int file = open_unfinished(unfinished);
    if (file < 0) return false;
    const bool is_done =
        write_all(file, content) && std::rename(unfinished.c_str(), path.c_str()) == 0;
    const int error = errno;
    if (!is_done) ::unlink(unfinished.c_str());
    ::close(file);
    errno = error;
    return is_done;
}

}  // namespace

void read_file(const std::string& path, std::size_t max_size, std::string& out) {
    InputFile file(path);
    out.clear();
    if (file.size() > max_size)
        fail_input("{}: has {} bytes, more than the {} accepted", path, file.size(), max_size);
    // One byte more than announced, so that the end shows without growing; pipes announce nothing.
    out.resize(static_cast<std::size_t>(file.size()) + 1);
    std::size_t size = 0;
    while (true) {
        if (size == out.size()) out.resize(2 * out.size());
        const std::size_t got = file.read(std::span(out).subspan(size));
        if (got == 0) break;
        size += got;
        if (size > max_size) fail_input("{}: more than the {} bytes accepted", path, max_size);
    }
    out.resize(size);
}

void require_regular_file(const std::string& path) {
    std::error_code ignored;
    const fs::file_status there = fs::status(path, ignored);
    if (fs::exists(there) && !fs::is_regular_file(there))
        throw StorageError(path + " is not a regular file, as what is kept there has to be");
}

bool is_replaceable(const std::string& path) {
    std::error_code ignored;
    const fs::file_status there = fs::symlink_status(path, ignored);
    return !fs::exists(there) || fs::is_regular_file(there);
}

int open_unfinished(const std::string& path) {
    constexpr mode_t kForEverybody = 0666;  // but for what the process's mask takes away
    constexpr int kFlags = O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC;
    constexpr int kMostAttempts = 100;
    for (int i = 0; i < kMostAttempts; ++i) {
        const int file = ::open(path.c_str(), kFlags, kForEverybody);
        if (file < 0) return -1;
        // Where the file system has no such locks, as some networks', whoever asks has it.
        if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            ::close(file);
            break;
        }
        // Whoever had it may have finished meanwhile: then it is whole, and not to be emptied.
        if (is_file_of(path, file)) {
            if (::ftruncate(file, 0) == 0) return file;
            const int error = errno;
            ::unlink(path.c_str());  // nobody else has it
            ::close(file);
            errno = error;
            return -1;
        }
        ::close(file);
    }
    errno = EWOULDBLOCK;
    return -1;
}

bool is_same_file(const std::string& one, const std::string& other) {
    const auto place_of = [](const std::string& path) {
        std::error_code error;
        // What is not there has no place otherwise; nothing has where the working folder is gone.
        const fs::path whole = fs::absolute(path, error);
        if (error) return fs::path(path).lexically_normal();
        fs::path place = fs::weakly_canonical(whole, error);
        return error ? whole.lexically_normal() : place;
    };
    const bool are_given = !one.empty() && !other.empty();
    return are_given && is_replaceable(one) && place_of(one) == place_of(other);
}

void write_file(const std::string& path, std::string_view content) {
    if (is_standard_output(path)) {
        const bool is_out =
            std::fwrite(content.data(), 1, content.size(), stdout) == content.size() &&
            std::fflush(stdout) == 0;
        if (!is_out) fail_input("cannot write to standard output: {}", std::strerror(errno));
        return;
    }
    bool is_written = false;
    if (is_replaceable(path)) {
        is_written = replace_file(path, content);
    } else {
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        file.write(content.data(), static_cast<std::streamsize>(content.size()));
        file.close();
        is_written = static_cast<bool>(file);
    }
    if (is_written) return;
    if (errno == EWOULDBLOCK) fail_input("{}: cannot write: another process is writing it", path);
    fail_input("{}: cannot write: {}", path, std::strerror(errno));
}

void check_writable(const std::string& path) {
    if (is_standard_output(path)) return;
    std::error_code error;
    const fs::file_status there = fs::status(path, error);
    if (!fs::status_known(there)) fail_input("{}: cannot write: {}", path, error.message());
    if (fs::is_directory(there)) fail_input("{}: cannot write: it is a folder", path);
    if (fs::exists(there) && !fs::is_regular_file(there)) return;  // a pipe or a device
    // Of a working folder that is gone the system says that it may be written.
    (void)fs::absolute(path, error);
    if (error) fail_input("{}: cannot write: {}", path, error.message());
    const fs::path folder = fs::path(path).parent_path();
    // A file by the folder's name has nothing in it.
    const std::string where = (folder.empty() ? fs::path(".") : folder / ".").native();
    if (::access(where.c_str(), W_OK | X_OK) != 0)
        fail_input("{}: cannot write: {}", path, std::strerror(errno));
}

void check_new_folder(const std::string& option, const std::string& path) {
    std::error_code error;
    const fs::file_status there = fs::symlink_status(path, error);
    if (fs::exists(there))
        fail_input("{} {}: is there already; name a folder to make", option, path);
    if (!fs::status_known(there)) fail_input("{} {}: {}", option, path, error.message());
    const fs::path whole = fs::absolute(path, error);
    if (error) fail_input("{} {}: {}", option, path, error.message());
    fs::path above = whole.lexically_normal().parent_path();
    while (!fs::exists(above, error) && above.has_relative_path())
        above = above.parent_path();
    // A file has nothing in it.
    if (::access((above / ".").c_str(), W_OK | X_OK) != 0)
        fail_input("{} {}: {}", option, path, std::strerror(errno));
}

std::vector<std::string> files_below(const std::string& folder, std::string_view extension) {
    std::vector<std::string> files;
    std::error_code error;
    auto it = fs::recursive_directory_iterator(
        folder, fs::directory_options::follow_directory_symlink, error);
    for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
        // Fixture releases keep their index in a hidden folder.
        if (it->path().filename().native().starts_with('.')) {
            it.disable_recursion_pending();
            continue;
        }
        std::error_code unknown;
        const fs::file_status found = it->status(unknown);
        if (!fs::status_known(found))
            fail_input("{}: cannot list: {}", it->path().native(), unknown.message());
        if (fs::is_regular_file(found) && it->path().native().ends_with(extension))
            files.push_back(it->path().native());
    }
    if (error) fail_input("{}: cannot list: {}", folder, error.message());
    std::ranges::sort(files);
    return files;
}

std::vector<std::string> expand_paths(const std::vector<std::string>& paths,
                                      std::string_view extension) {
    std::vector<std::string> files;
    for (const auto& path : paths) {
        std::error_code error;
        const auto status = fs::status(path, error);
        if (error || !fs::exists(status)) fail_input("{}: no such file or folder", path);
        if (!fs::is_directory(status)) {
            files.push_back(path);
            continue;
        }
        const std::vector<std::string> found = files_below(path, extension);
        if (found.empty()) fail_input("{}: no file ending with {} in this folder", path, extension);
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

}  // namespace heddle::node
