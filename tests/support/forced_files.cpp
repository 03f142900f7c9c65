// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forced_files.hpp"

#include <cerrno>
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

namespace heddle::test {

void forget_forced_files() {
    const std::lock_guard lock{forced().mutex};
    forced().files.clear();
    forced().refused.reset();
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
