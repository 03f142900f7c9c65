// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The functions of the C library that change a disk, under both of their names where 64-bit file
// offsets have their own. Each goes to the shim, which calls the kernel itself; only stdio's
// functions are found behind this library. Their names and signatures are the C library's.

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.hpp"
#include "system_calls.hpp"

// glibc's headers say that these pointers are never null; callers in C may still do so.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
namespace {

using heddle::fault::Shim;

Shim& shim() {
    return Shim::instance();
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

ssize_t write_parts(int fd, const iovec* parts, int count, std::optional<off_t> offset) {
    std::string whole;
    for (int i = 0; i < count; ++i)
        whole.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
    return shim().write(fd, whole.data(), whole.size(), offset);
}

int truncate_path(const char* path, off_t size) {
    const int fd = shim().open(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    const int result = shim().truncate(fd, size);
    const int error = errno;
    shim().will_close(fd);
    heddle::fault::kernel::close(fd);
    errno = error;
    return result;
}

std::FILE* open_stream(const char* name, const char* path, const char* mode) {
    using Open = std::FILE* (*)(const char*, const char*);
    const auto open = next<Open>(name);
    if (!shim().is_active()) return open(path, mode);
    const std::string_view text{mode};
    const bool makes = text.starts_with('w') || text.starts_with('a');
    if (!shim().may_open_stream(path, makes, text.starts_with('w'))) return nullptr;
    std::FILE* const stream = open(path, mode);
    if (stream != nullptr) shim().adopt_stream(path, ::fileno(stream));
    return stream;
}

mode_t mode_of(int flags, std::va_list arguments) {
    const bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return has_mode ? va_arg(arguments, mode_t) : mode_t{0};
}

[[gnu::destructor]] void finish() {
    shim().finish();
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return shim().open(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return shim().open(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return shim().open(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return shim().open(folder, path, flags, mode);
}

int creat(const char* path, mode_t mode) {
    return shim().open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int creat64(const char* path, mode_t mode) {
    return shim().open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

// What open() becomes in callers compiled with _FORTIFY_SOURCE.
int __open_2(const char* path, int flags);
int __open_2(const char* path, int flags) {
    return shim().open(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char* path, int flags);
int __open64_2(const char* path, int flags) {
    return shim().open(AT_FDCWD, path, flags, 0);
}

int __openat_2(int folder, const char* path, int flags);
int __openat_2(int folder, const char* path, int flags) {
    return shim().open(folder, path, flags, 0);
}

int __openat64_2(int folder, const char* path, int flags);
int __openat64_2(int folder, const char* path, int flags) {
    return shim().open(folder, path, flags, 0);
}

std::FILE* fopen(const char* path, const char* mode) {
    return open_stream("fopen", path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
    return open_stream("fopen64", path, mode);
}

int fclose(std::FILE* stream) {
    shim().will_close(::fileno(stream));
    static const auto close_stream = next<int (*)(std::FILE*)>("fclose");
    return close_stream(stream);
}

int close(int fd) {
    shim().will_close(fd);
    return heddle::fault::kernel::close(fd);
}

int dup(int fd) noexcept {
    const int copy = static_cast<int>(::syscall(SYS_dup, fd));
    shim().copied(fd, copy);
    return copy;
}

int dup2(int fd, int to) noexcept {
    if (fd != to) shim().will_close(to);
    const int copy = fd == to ? fd : static_cast<int>(::syscall(SYS_dup3, fd, to, 0));
    if (fd != to) shim().copied(fd, copy);
    return copy;
}

ssize_t write(int fd, const void* data, std::size_t size) {
    return shim().write(fd, data, size, std::nullopt);
}

ssize_t pwrite(int fd, const void* data, std::size_t size, off_t offset) {
    return shim().write(fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void* data, std::size_t size, off64_t offset) {
    return shim().write(fd, data, size, offset);
}

ssize_t writev(int fd, const iovec* parts, int count) {
    return write_parts(fd, parts, count, std::nullopt);
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
    return write_parts(fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const iovec* parts, int count, off64_t offset) {
    return write_parts(fd, parts, count, offset);
}

// Callers of these two fall back to plain writes, which the shim counts.
// NOLINTNEXTLINE(readability-function-size): the C library's
ssize_t copy_file_range(int in, off64_t* in_offset, int out, off64_t* out_offset, std::size_t size,
                        unsigned flags) {
    if (!shim().sees(out))
        return ::syscall(SYS_copy_file_range, in, in_offset, out, out_offset, size, flags);
    errno = EXDEV;
    return -1;
}

ssize_t sendfile(int out, int in, off_t* offset, std::size_t size) noexcept {
    if (!shim().sees(out)) return ::syscall(SYS_sendfile, out, in, offset, size);
    errno = EINVAL;
    return -1;
}

ssize_t sendfile64(int out, int in, off64_t* offset, std::size_t size) noexcept {
    if (!shim().sees(out)) return ::syscall(SYS_sendfile, out, in, offset, size);
    errno = EINVAL;
    return -1;
}

int fsync(int fd) {
    return shim().sync(fd);
}

int fdatasync(int fd) {
    return shim().sync(fd);
}

int sync_file_range(int fd, off64_t offset, off64_t size, unsigned flags) {
    return shim().range_sync(fd, offset, size, flags);
}

int ftruncate(int fd, off_t size) noexcept {
    return shim().truncate(fd, size);
}

int ftruncate64(int fd, off64_t size) noexcept {
    return shim().truncate(fd, size);
}

int truncate(const char* path, off_t size) noexcept {
    return truncate_path(path, size);
}

int truncate64(const char* path, off64_t size) noexcept {
    return truncate_path(path, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
    return shim().allocate(fd, mode, offset, size);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t size) {
    return shim().allocate(fd, mode, offset, size);
}

int posix_fallocate(int fd, off_t offset, off_t size) {
    return shim().allocate(fd, 0, offset, size) == 0 ? 0 : errno;
}

int posix_fallocate64(int fd, off64_t offset, off64_t size) {
    return shim().allocate(fd, 0, offset, size) == 0 ? 0 : errno;
}

int rename(const char* from, const char* to) noexcept {
    return shim().rename(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
    return shim().rename(from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
    return shim().rename(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) noexcept {
    return shim().remove(AT_FDCWD, path, false);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
    return shim().remove(folder, path, (flags & AT_REMOVEDIR) != 0);
}

int rmdir(const char* path) noexcept {
    return shim().remove(AT_FDCWD, path, true);
}

int remove(const char* path) noexcept {
    struct stat status{};
    if (::lstat(path, &status) != 0) return -1;
    return shim().remove(AT_FDCWD, path, S_ISDIR(status.st_mode));
}

int link(const char* from, const char* to) noexcept {
    return shim().link(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
    return shim().link(from_folder, from, to_folder, to, flags);
}

int mkdir(const char* path, mode_t mode) noexcept {
    return shim().make_folder(AT_FDCWD, path, mode);
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
    return shim().make_folder(folder, path, mode);
}

// Ends without destructors.
void _exit(int code) {
    shim().finish();
    for (;;)
        ::syscall(SYS_exit_group, code);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
