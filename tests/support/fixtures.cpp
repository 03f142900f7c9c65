// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "fixtures.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* variable, const char* fallback) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? fs::path{value} : fs::path{fallback};
}

fs::path fixtures_folder() {
    return from_environment("HEDDLE_FIXTURES", HEDDLE_DEFAULT_FIXTURES);
}

/// Holds an exclusive lock on a file as long as it lives; the kernel drops it when a process dies.
class FileLock {
public:
    explicit FileLock(const fs::path& path)
        : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        if (descriptor_ < 0)
            throw std::runtime_error("cannot open " + path.string() + ": " + std::strerror(errno));
        while (::flock(descriptor_, LOCK_EX) != 0) {
            if (errno != EINTR) throw std::runtime_error("cannot lock " + path.string());
        }
    }
    ~FileLock() { ::close(descriptor_); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int descriptor_;
};

/// Size and time of the archive, so that a new archive is not mistaken for the cached one.
std::string stamp_of(const fs::path& archive) {
    struct stat status{};
    if (::stat(archive.c_str(), &status) != 0)
        throw std::runtime_error("cannot read " + archive.string() + ": " + std::strerror(errno));
    return std::to_string(status.st_size) + "-" + std::to_string(status.st_mtime);
}

void unpack(const fs::path& archive, const fs::path& folder) {
    std::vector<std::string> words{
        "tar", "--zstd",         "-x", "--no-same-owner", "--no-same-permissions",
        "-f",  archive.string(), "-C", folder.string()};
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);

    pid_t child = 0;
    if (const int error =
            ::posix_spawnp(&child, "tar", nullptr, nullptr, arguments.data(), environ);
        error != 0)
        throw std::runtime_error(std::string{"cannot start tar: "} + std::strerror(error));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) throw std::runtime_error("lost the tar process");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error("tar could not unpack " + archive.string() +
                                 " (it needs the zstd program)");
}

}  // namespace

std::optional<fs::path> fixture_archive(std::string_view name) {
    const fs::path source = fixtures_folder();
    if (fs::path unpacked = source / name; fs::is_directory(unpacked)) return unpacked;
    const fs::path archive = source / (std::string{name} + ".tar.zst");
    if (!fs::is_regular_file(archive)) return std::nullopt;

    const fs::path cache = from_environment("HEDDLE_FIXTURE_CACHE", HEDDLE_DEFAULT_FIXTURE_CACHE);
    // One folder for all of them, whatever folder they come from.
    std::string flat_name{name};
    std::ranges::replace(flat_name, '/', '-');
    fs::path folder = cache / (flat_name + "-" + stamp_of(archive));
    if (fs::is_directory(folder)) return folder;

    fs::create_directories(cache);
    const FileLock lock{cache / (flat_name + ".lock")};
    if (fs::is_directory(folder)) return folder;
    // Renaming makes a folder that is seen at all a complete one, even after a crash half-way.
    const fs::path partial = folder.string() + ".partial";
    fs::remove_all(partial);
    fs::create_directory(partial);
    unpack(archive, partial);
    std::error_code error;
    fs::rename(partial, folder, error);
    if (error) {
        // The script that unpacks everything at once may have been faster.
        fs::remove_all(partial);
        if (!fs::is_directory(folder))
            throw std::runtime_error("cannot create " + folder.string() + ": " + error.message());
    }
    return folder;
}

std::string missing_fixture_message(std::string_view name) {
    return "no " + std::string{name} + ".tar.zst in " + fixtures_folder().string() +
           " (set HEDDLE_FIXTURES)";
}

}  // namespace heddle::test
