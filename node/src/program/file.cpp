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

#include <unistd.h>

#include "program/error.hpp"
#include "program/input_file.hpp"

namespace heddle::node {

namespace {

namespace fs = std::filesystem;

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

bool is_same_file(const std::string& one, const std::string& other) {
    const auto place_of = [](const std::string& path) {
        std::error_code error;
        const fs::path whole = fs::absolute(path);  // what is not there has no place otherwise
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
    const bool is_renamed = is_replaceable(path);
    const std::string name = is_renamed ? path + ".unfinished" : path;
    std::ofstream file(name, std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (file && (!is_renamed || std::rename(name.c_str(), path.c_str()) == 0)) return;
    const int error = errno;
    std::error_code ignored;
    if (is_renamed) fs::remove(name, ignored);
    fail_input("{}: cannot write: {}", path, std::strerror(error));
}

void check_writable(const std::string& path) {
    if (is_standard_output(path)) return;
    std::error_code ignored;
    const fs::file_status there = fs::status(path, ignored);
    if (fs::is_directory(there)) fail_input("{}: cannot write: it is a folder", path);
    if (fs::exists(there) && !fs::is_regular_file(there)) return;  // a pipe or a device
    const fs::path folder = fs::path(path).parent_path();
    // A file by the folder's name has nothing in it.
    const std::string where = (folder.empty() ? fs::path(".") : folder / ".").native();
    if (::access(where.c_str(), W_OK | X_OK) != 0)
        fail_input("{}: cannot write: {}", path, std::strerror(errno));
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
        const std::size_t before = files.size();
        auto it = fs::recursive_directory_iterator(
            path, fs::directory_options::follow_directory_symlink, error);
        for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
            // Fixture releases keep their index in a hidden folder.
            const bool is_hidden = it->path().filename().native().starts_with('.');
            if (is_hidden && it->is_directory())
                it.disable_recursion_pending();
            else if (!is_hidden && it->is_regular_file() &&
                     it->path().native().ends_with(extension))
                files.push_back(it->path().native());
        }
        if (error) fail_input("{}: cannot list: {}", path, error.message());
        if (files.size() == before)
            fail_input("{}: no file ending with {} in this folder", path, extension);
        std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
    }
    return files;
}

}  // namespace heddle::node
