// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <filesystem>

#include "system_calls.hpp"

namespace heddle::fault {
namespace {

std::string read_file(const std::string& path) {
    const int fd = kernel::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    std::string text(static_cast<std::size_t>(kernel::size(fd)), '\0');
    const ssize_t got = kernel::read_at(fd, text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    kernel::close(fd);
    return text;
}

void write_file(const std::string& path, std::string_view text) {
    const int fd = kernel::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) return;
    kernel::write(fd, text.data(), text.size());
    kernel::close(fd);
}

bool is_folder_at(int fd) noexcept {
    struct stat status{};
    return ::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

int no_half() noexcept {
    return 0;
}

}  // namespace

Shim& Shim::instance() {
    static Shim* const shim = new Shim;
    return *shim;
}

Shim::Shim() : options_(options_from_environment()), model_(options_.folder + ".undo") {
    if (is_active() && !options_.carry.empty()) {
        model_.take_over(read_file(options_.carry));
        kernel::unlink(options_.carry.c_str());
    }
}

std::string Shim::absolute(int folder, const char* path) {
    std::filesystem::path full{path};
    if (full.is_relative()) {
        std::array<char, PATH_MAX> base{};
        const std::string link =
            folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder);
        const ssize_t size = ::readlink(link.c_str(), base.data(), base.size() - 1);
        if (size > 0) full = std::filesystem::path{base.data()} / full;
    }
    std::string text = full.lexically_normal().native();
    while (text.size() > 1 && text.ends_with('/'))
        text.pop_back();
    return text;
}

bool Shim::is_inside(std::string_view path) const noexcept {
    if (!path.starts_with(options_.folder)) return false;
    return path.size() == options_.folder.size() || path[options_.folder.size()] == '/';
}

const Shim::OpenFile* Shim::find(int fd) const {
    const auto found = open_files_.find(fd);
    return found == open_files_.end() ? nullptr : &found->second;
}

bool Shim::sees(int fd) {
    if (!is_active()) return false;
    const std::scoped_lock lock{mutex_};
    return find(fd) != nullptr;
}

void Shim::note(std::string_view what, FileClass file_class, OperationKind kind,
                std::string_view path) {
    notes_.append("fault ").append(what).append(": ").append(to_string(file_class)).append(" ");
    notes_.append(to_string(kind)).append(" ").append(path).append("\n");
}

void Shim::write_report() {
    if (!options_.report.empty()) write_file(options_.report, plan_.counts() + notes_);
}

void Shim::strike() {
    if (options_.action == Action::power) {
        notes_ += model_.lose_power(options_.seed);
    } else if (!options_.carry.empty()) {
        write_file(options_.carry, model_.unsynced());
    }
    write_report();
    // The lock stays held: no other thread reaches the disk before the signal does.
    ::kill(::getpid(), SIGKILL);
    for (;;)
        ::pause();
}

void Shim::finish() {
    if (!is_active()) return;
    const std::scoped_lock lock{mutex_};
    if (is_dark_) return;
    if (options_.loses_power_at_exit) {
        is_dark_ = true;
        notes_ += model_.lose_power(options_.seed);
    }
    write_report();
}

template <class Whole, class Half>
auto Shim::run(FileClass file_class, OperationKind kind, std::string_view path, const Whole& whole,
               const Half& half) -> decltype(whole()) {
    if (is_dark_) {
        errno = EIO;
        return -1;
    }
    const bool was_struck = plan_.has_struck();
    const Verdict verdict = plan_.next(file_class, kind);
    switch (verdict.kind) {
        case Verdict::Kind::pass:
            return whole();
        case Verdict::Kind::fail:
            if (!was_struck) note("error", file_class, kind, path);
            errno = verdict.error;
            return -1;
        case Verdict::Kind::half:
            note("short write", file_class, kind, path);
            if (const auto done = half(); done > 0) return done;
            errno = verdict.error;
            return -1;
        case Verdict::Kind::strike:
            note(options_.action == Action::kill ? "kill" : "power", file_class, kind, path);
            if (options_.moment == Moment::middle) static_cast<void>(half());
            if (options_.moment == Moment::after) static_cast<void>(whole());
            strike();
    }
    return -1;
}

template <class Whole>
auto Shim::run(FileClass file_class, OperationKind kind, std::string_view path, const Whole& whole)
    -> decltype(whole()) {
    return run(file_class, kind, path, whole, no_half);
}

void Shim::track(int fd, const std::string& path, bool is_new) {
    const bool is_folder = is_folder_at(fd);
    open_files_.insert_or_assign(
        fd,
        OpenFile{.path = path, .file_class = classify(path, is_folder), .is_folder = is_folder});
    if (options_.tracks_disk() && !is_folder) model_.opened(fd, path, is_new);
}

int Shim::open(int folder, const char* path, int flags, mode_t mode) {
    if (!is_active()) return kernel::open_at(folder, path, flags, mode);
    const std::string full = absolute(folder, path);
    const std::scoped_lock lock{mutex_};
    if (is_inside(full)) return open_inside(full, flags, mode);
    const int fd = kernel::open_at(folder, path, flags, mode);
    // A number that was in use for a file of ours was closed where the shim could not see it.
    if (fd >= 0) open_files_.erase(fd);
    return fd;
}

int Shim::open_inside(const std::string& path, int flags, mode_t mode) {
    const FileClass file_class = classify(path, false);
    const bool is_there = kernel::exists(path.c_str());
    const bool is_read_only = (flags & O_ACCMODE) == O_RDONLY;
    if ((flags & O_CREAT) != 0 && !is_there) {
        return run(file_class, OperationKind::create, path, [&] {
            const int fd = kernel::open(path.c_str(), flags, mode);
            if (fd < 0) return fd;
            if (options_.tracks_disk()) model_.made(path, false);
            track(fd, path, true);
            return fd;
        });
    }
    const int fd = kernel::open(path.c_str(), flags & ~(O_TRUNC | O_CREAT), mode);
    if (fd < 0) return fd;
    if ((flags & O_EXCL) != 0 && (flags & O_CREAT) != 0) {
        kernel::close(fd);
        errno = EEXIST;
        return -1;
    }
    track(fd, path, false);
    if ((flags & O_TRUNC) == 0 || is_read_only || kernel::size(fd) == 0) return fd;
    if (truncate_tracked(fd, open_files_.at(fd), 0) == 0) return fd;
    const int error = errno;
    if (options_.tracks_disk()) model_.closed(fd);
    open_files_.erase(fd);
    kernel::close(fd);
    errno = error;
    return -1;
}

bool Shim::may_open_stream(const char* path, bool makes, bool truncates) {
    const std::string full = absolute(AT_FDCWD, path);
    const std::scoped_lock lock{mutex_};
    if (!is_inside(full) || !makes) return true;
    const FileClass file_class = classify(full, false);
    const int fd = kernel::open(full.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return run(file_class, OperationKind::create, full, [&] {
                   if (options_.tracks_disk()) model_.made(full, false);
                   return 0;
               }) == 0;
    }
    int result = 0;
    if (truncates && kernel::size(fd) > 0) {
        track(fd, full, false);
        result = truncate_tracked(fd, open_files_.at(fd), 0);
        if (options_.tracks_disk()) model_.closed(fd);
        open_files_.erase(fd);
    }
    const int error = errno;
    kernel::close(fd);
    errno = error;
    return result == 0;
}

void Shim::adopt_stream(const char* path, int fd) {
    const std::string full = absolute(AT_FDCWD, path);
    const std::scoped_lock lock{mutex_};
    open_files_.erase(fd);
    if (is_inside(full)) track(fd, full, kernel::size(fd) == 0);
}

void Shim::will_close(int fd) {
    if (!is_active()) return;
    const std::scoped_lock lock{mutex_};
    const OpenFile* const file = find(fd);
    if (file == nullptr) return;
    if (options_.tracks_disk() && !file->is_folder) model_.closed(fd);
    open_files_.erase(fd);
}

void Shim::copied(int from, int to) {
    if (!is_active() || to < 0) return;
    const std::scoped_lock lock{mutex_};
    const OpenFile* const file = find(from);
    if (file != nullptr) track(to, std::string{file->path}, false);
}

ssize_t Shim::write(int fd, const void* data, std::size_t size, std::optional<off_t> offset) {
    const std::scoped_lock lock{mutex_};
    const OpenFile* const file = find(fd);
    const auto put = [&](std::size_t count) -> ssize_t {
        if (file != nullptr && options_.tracks_disk()) {
            const bool appends = (::fcntl(fd, F_GETFL) & O_APPEND) != 0;
            const off_t place = appends  ? kernel::size(fd)
                                : offset ? *offset
                                         : kernel::position(fd);
            model_.will_write(fd, place, count);
        }
        return offset ? kernel::write_at(fd, data, count, *offset) : kernel::write(fd, data, count);
    };
    if (file == nullptr) return put(size);
    return run(
        file->file_class, OperationKind::append, file->path, [&] { return put(size); },
        [&]() -> ssize_t { return size < 2 ? 0 : put(size / 2); });
}

int Shim::sync(int fd) {
    const std::scoped_lock lock{mutex_};
    const OpenFile* const file = find(fd);
    if (file == nullptr) return kernel::sync(fd);
    const auto kind = file->is_folder ? OperationKind::folder_sync : OperationKind::sync;
    return run(file->file_class, kind, file->path, [&] {
        // The model alone says what is durable; waiting for the real disk would prove nothing.
        if (!options_.tracks_disk()) return 0;
        if (file->is_folder) {
            model_.names_synced();
        } else {
            model_.synced(fd);
        }
        return 0;
    });
}

int Shim::range_sync(int fd, off_t offset, off_t size, unsigned flags) {
    const std::scoped_lock lock{mutex_};
    const OpenFile* const file = find(fd);
    const auto start = [&] {
        return static_cast<int>(::syscall(SYS_sync_file_range, fd, offset, size, flags));
    };
    if (file == nullptr) return start();
    return run(file->file_class, OperationKind::range_sync, file->path, start);
}

int Shim::truncate(int fd, off_t size) {
    const std::scoped_lock lock{mutex_};
    const OpenFile* const file = find(fd);
    return file == nullptr ? kernel::truncate(fd, size) : truncate_tracked(fd, *file, size);
}

int Shim::truncate_tracked(int fd, const OpenFile& file, off_t size) {
    return run(file.file_class, OperationKind::truncate, file.path, [&] {
        if (options_.tracks_disk()) model_.will_truncate(fd, size);
        return kernel::truncate(fd, size);
    });
}

int Shim::allocate(int fd, int mode, off_t offset, off_t size) {
    const std::scoped_lock lock{mutex_};
    const OpenFile* const file = find(fd);
    const auto whole = [&] { return kernel::allocate(fd, mode, offset, size); };
    if (file == nullptr) return whole();
    return run(file->file_class, OperationKind::allocate, file->path, whole);
}

int Shim::rename(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    const std::string source = absolute(from_folder, from);
    const std::string target = absolute(to_folder, to);
    const std::scoped_lock lock{mutex_};
    if (!is_inside(source) || !is_inside(target))
        return kernel::rename(source.c_str(), target.c_str(), flags);
    return run(classify(target, false), OperationKind::rename, target, [&] {
        const std::string kept = options_.tracks_disk() ? model_.keep(target) : std::string{};
        const int result = kernel::rename(source.c_str(), target.c_str(), flags);
        if (!options_.tracks_disk()) return result;
        if (result == 0) {
            model_.renamed(source, target, kept);
        } else {
            DiskModel::discard(kept);
        }
        return result;
    });
}

int Shim::remove(int folder, const char* path, bool is_folder) {
    const std::string full = absolute(folder, path);
    const std::scoped_lock lock{mutex_};
    const auto erase = [&] {
        return is_folder ? kernel::remove_folder(full.c_str()) : kernel::unlink(full.c_str());
    };
    if (!is_inside(full)) return erase();
    return run(classify(full, is_folder), OperationKind::unlink, full, [&] {
        if (!options_.tracks_disk()) return erase();
        const std::string kept = is_folder ? std::string{} : model_.keep(full);
        const int result = erase();
        if (result != 0) {
            DiskModel::discard(kept);
        } else if (is_folder) {
            model_.folder_removed(full);
        } else {
            model_.removed(full, kept);
        }
        return result;
    });
}

int Shim::link(int from_folder, const char* from, int to_folder, const char* to, int flags) {
    const std::string target = absolute(to_folder, to);
    const std::scoped_lock lock{mutex_};
    const auto whole = [&] {
        const auto result =
            static_cast<int>(::syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
        if (result == 0 && options_.tracks_disk() && is_inside(target)) model_.made(target, false);
        return result;
    };
    if (!is_inside(target)) return whole();
    return run(classify(target, false), OperationKind::create, target, whole);
}

int Shim::make_folder(int folder, const char* path, mode_t mode) {
    const std::string full = absolute(folder, path);
    const std::scoped_lock lock{mutex_};
    const auto whole = [&] {
        const int result = kernel::make_folder(full.c_str(), mode);
        if (result == 0 && options_.tracks_disk() && is_inside(full)) model_.made(full, true);
        return result;
    };
    // Making what is there changes nothing; callers do it to be sure.
    if (!is_inside(full) || kernel::exists(full.c_str())) return whole();
    return run(FileClass::folder, OperationKind::create, full, whole);
}

}  // namespace heddle::fault
