// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel itself, below the C library whose functions the shim replaces. Not for anything that
// the shim should see: these calls are never counted, failed or undone.
#pragma once

#include <cstddef>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace heddle::fault::kernel {

inline int open_at(int folder, const char* path, int flags, mode_t mode = 0) noexcept {
    return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}
inline int open(const char* path, int flags, mode_t mode = 0) noexcept {
    return open_at(AT_FDCWD, path, flags, mode);
}
inline int close(int fd) noexcept {
    return static_cast<int>(::syscall(SYS_close, fd));
}
inline ssize_t write(int fd, const void* data, std::size_t size) noexcept {
    return ::syscall(SYS_write, fd, data, size);
}
inline ssize_t write_at(int fd, const void* data, std::size_t size, off_t offset) noexcept {
    return ::syscall(SYS_pwrite64, fd, data, size, offset);
}
inline ssize_t read_at(int fd, void* data, std::size_t size, off_t offset) noexcept {
    return ::syscall(SYS_pread64, fd, data, size, offset);
}
inline off_t position(int fd) noexcept {
    return ::syscall(SYS_lseek, fd, 0, SEEK_CUR);
}
inline int sync(int fd) noexcept {
    return static_cast<int>(::syscall(SYS_fsync, fd));
}
inline int truncate(int fd, off_t size) noexcept {
    return static_cast<int>(::syscall(SYS_ftruncate, fd, size));
}
inline int allocate(int fd, int mode, off_t offset, off_t size) noexcept {
    return static_cast<int>(::syscall(SYS_fallocate, fd, mode, offset, size));
}
inline int rename(const char* from, const char* to, unsigned flags = 0) noexcept {
    return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags));
}
inline int unlink(const char* path) noexcept {
    return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
inline int remove_folder(const char* path) noexcept {
    return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}
inline int link(const char* from, const char* to) noexcept {
    return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
inline int make_folder(const char* path, mode_t mode) noexcept {
    return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
/// The size of the file, or -1.
inline off_t size(int fd) noexcept {
    struct stat status{};
    return ::fstat(fd, &status) == 0 ? status.st_size : -1;
}
inline bool exists(const char* path) noexcept {
    struct stat status{};
    return ::fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace heddle::fault::kernel
