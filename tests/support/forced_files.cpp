// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forced_files.hpp"

#include <cerrno>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using Identity = std::pair<dev_t, ino_t>;

struct Forced {
    std::mutex mutex;
    std::set<Identity> files;
    std::optional<Identity> refused;
    std::function<void()> on_data;  // of the next fdatasync()
};

Forced& forced() {
    static Forced all;
    return all;
}

}  // namespace

extern "C" int fsync(int file) {
    struct stat found{};
    if (::fstat(file, &found) == 0) {
        const std::lock_guard lock{forced().mutex};
        if (forced().refused == Identity{found.st_dev, found.st_ino}) {
            errno = EIO;
            return -1;
        }
        forced().files.emplace(found.st_dev, found.st_ino);
    }
    return static_cast<int>(::syscall(SYS_fsync, file));
}

extern "C" int fdatasync(int file) {
    std::function<void()> on_data;
    {
        const std::lock_guard lock{forced().mutex};
        on_data = std::exchange(forced().on_data, nullptr);
    }
    const auto result = static_cast<int>(::syscall(SYS_fdatasync, file));
    if (on_data) on_data();
    return result;
}

namespace heddle::test {

void forget_forced_files() {
    const std::lock_guard lock{forced().mutex};
    forced().files.clear();
    forced().refused.reset();
    forced().on_data = nullptr;
}

void once_data_is_forced(std::function<void()> act) {
    const std::lock_guard lock{forced().mutex};
    forced().on_data = std::move(act);
}

void refuse_to_force(const std::filesystem::path& path) {
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0) return;
    const std::lock_guard lock{forced().mutex};
    forced().refused.emplace(found.st_dev, found.st_ino);
}

bool is_forced(const std::filesystem::path& path) {
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0) return false;
    const std::lock_guard lock{forced().mutex};
    return forced().files.contains({found.st_dev, found.st_ino});
}

}  // namespace heddle::test
