// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "fixtures.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <regex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
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

/// An open file or folder, and the lock on it; the kernel drops both when a process dies.
class LockedFile {
public:
    /// @param flags  Of open().
    LockedFile(const fs::path& path, int flags)
        : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
    ~LockedFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    LockedFile(LockedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    LockedFile& operator=(LockedFile&&) = delete;
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    /// Whether it was there.
    [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
    /// @param how  Of flock(). @return whether it has the lock now.
    [[nodiscard]] bool lock(int how) const noexcept {
        while (::flock(descriptor_, how) != 0)
            if (errno != EINTR) return false;
        return true;
    }
    /// Whether this is what now stands at a path.
    [[nodiscard]] bool is_at(const fs::path& path) const noexcept {
        struct stat mine{};
        struct stat there{};
        return ::fstat(descriptor_, &mine) == 0 && ::stat(path.c_str(), &there) == 0 &&
               mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
    }

private:
    int descriptor_;
};

/// Keeps a folder from remove_others(), whoever calls that, as long as this process lives.
/// @return false: it is not there, or not any more.
bool hold(const fs::path& folder) {
    static std::mutex mutex;
    static std::map<fs::path, LockedFile> held;
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || !fs::is_directory(real)) return false;
    const std::scoped_lock lock{mutex};
    if (held.contains(real)) return true;
    LockedFile opened(real, O_RDONLY | O_DIRECTORY);
    if (!opened.is_open()) return false;
    // Where a file system has no locks, nobody can remove the folder either: that takes one.
    (void)opened.lock(LOCK_SH);
    if (!opened.is_at(real)) return false;
    held.emplace(real, std::move(opened));
    return true;
}

/// Whether a folder of the cache was made for this archive, whatever the archive was like then, and
/// however far that came.
bool is_made_for(const std::string& name, const std::string& folder) {
    static const std::regex kStamp{R"(-\d+-\d+(\.partial|\.removed)?)"};
    return folder.starts_with(name) && std::regex_match(folder.substr(name.size()), kStamp);
}

/// Removes what was made for the archive as it was before, but for what a process holds. With the
/// archive's lock.
void remove_others(const fs::path& cache, const std::string& name, const fs::path& current) {
    std::vector<fs::path> others;
    for (const fs::directory_entry& entry : fs::directory_iterator(cache))
        if (entry.is_directory() && !entry.is_symlink() && entry.path() != current &&
            is_made_for(name, entry.path().filename().string()))
            others.push_back(entry.path());
    for (const fs::path& other : others) {
        const LockedFile opened(other, O_RDONLY | O_DIRECTORY);
        if (!opened.is_open() || !opened.lock(LOCK_EX | LOCK_NB)) continue;
        // Under its name it is whole, or not there.
        fs::path removed = other;
        if (removed.extension() != ".removed") {
            removed += ".removed";
            fs::remove_all(removed);
            fs::rename(other, removed);
        }
        fs::remove_all(removed);
    }
}

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
    if (fs::path unpacked = source / name; hold(unpacked)) return unpacked;
    const fs::path archive = source / (std::string{name} + ".tar.zst");
    if (!fs::is_regular_file(archive)) return std::nullopt;

    const fs::path cache = from_environment("HEDDLE_FIXTURE_CACHE", HEDDLE_DEFAULT_FIXTURE_CACHE);
    // One folder for all of them, whatever folder they come from.
    std::string flat_name{name};
    std::ranges::replace(flat_name, '/', '-');
    fs::path folder = cache / (flat_name + "-" + stamp_of(archive));
    if (hold(folder)) return folder;

    fs::create_directories(cache);
    // scripts/unpack-fixtures.sh takes the same one.
    const fs::path lock_path = cache / (flat_name + ".lock");
    const LockedFile lock{lock_path, O_RDWR | O_CREAT};
    if (!lock.is_open() || !lock.lock(LOCK_EX))
        throw std::runtime_error("cannot lock " + lock_path.string() + ": " + std::strerror(errno));
    if (!hold(folder)) {
        // Renaming makes a folder that is seen at all a complete one, even after a crash half-way.
        const fs::path partial = folder.string() + ".partial";
        fs::remove_all(partial);
        fs::create_directory(partial);
        unpack(archive, partial);
        fs::rename(partial, folder);
        if (!hold(folder)) throw std::runtime_error("cannot open " + folder.string());
    }
    remove_others(cache, flat_name, folder);
    return folder;
}

std::string missing_fixture_message(std::string_view name) {
    return "no " + std::string{name} + ".tar.zst in " + fixtures_folder().string() +
           " (set HEDDLE_FIXTURES)";
}

}  // namespace heddle::test
