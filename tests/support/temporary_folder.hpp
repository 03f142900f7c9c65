// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A folder of its own for a test or benchmark that writes files; gone with all it holds when its
// owner is, also where the program is killed in the middle. Not for programs that users run.
#pragma once

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::test {

/// Takes away the folders of a process that had no time to: a shell in a session of its own, so
/// that nobody who ends the process ends it too, reads their names until the process is gone.
class FolderSweeper {
public:
    /// The calling process's.
    static void note(const std::filesystem::path& folder) {
        static const FolderSweeper sweeper;
        const std::string line = folder.native() + '\n';
        // Without a sweeper, folders are left behind, and nothing else.
        (void)::send(sweeper.names_, line.data(), line.size(), MSG_NOSIGNAL);
    }

private:
    FolderSweeper() {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
        spawn(ends[1]);
        ::close(ends[1]);
        names_ = ends[0];
    }

    /// The shell goes on in the background, nobody's child.
    static void spawn(int names) {
        constexpr int kNames = 3;
        std::string script =
            "(while IFS= read -r folder; do set -- \"$@\" \"$folder\"; done; "
            "rm -rf -- \"$@\") <&3 >/dev/null 2>&1 &";
        std::string shell = "sh";
        std::string flag = "-c";
        const std::array<char*, 4> arguments{shell.data(), flag.data(), script.data(), nullptr};
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
        ::posix_spawn_file_actions_adddup2(&actions, names, kNames);
        ::posix_spawn_file_actions_addclosefrom_np(&actions, kNames + 1);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
        pid_t child = -1;
        if (::posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments.data(), environ) == 0)
            ::waitpid(child, nullptr, 0);
        ::posix_spawnattr_destroy(&attributes);
        ::posix_spawn_file_actions_destroy(&actions);
    }

    int names_ = -1;
};

class TemporaryFolder {
public:
    /// @param below  Where it is made; empty: among the system's temporary ones.
    explicit TemporaryFolder(const std::filesystem::path& below = {}) {
        const auto place = below.empty() ? std::filesystem::temp_directory_path() : below;
        std::string name = (place / "heddle-test-XXXXXX").native();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::filesystem::filesystem_error(
                "no temporary folder", place, std::error_code(errno, std::generic_category()));
        path_ = name;
        FolderSweeper::note(path_);
    }
    /// Where files take no disk, if the system has such a place: thousands of runs would wear one.
    [[nodiscard]] static TemporaryFolder in_memory() {
        const bool has_memory = ::access("/dev/shm", W_OK) == 0;
        return TemporaryFolder(has_memory ? "/dev/shm" : "");
    }
    ~TemporaryFolder() {
        if (path_.empty()) return;
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TemporaryFolder(TemporaryFolder&& other) noexcept
        : path_(std::exchange(other.path_, std::filesystem::path{})) {}
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const {
        return (path_ / name).native();
    }
    /// Writes a file and gives its path.
    [[nodiscard]] std::string write(const std::string& name, const std::string& content) const {
        const std::string file = *this / name;
        std::ofstream(file, std::ios::binary) << content;
        return file;
    }

private:
    std::filesystem::path path_;
};

}  // namespace heddle::test
