// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The calls that change a disk, with the faults that the environment asks for. interposed.cpp maps
// the C library's functions to these. Not for reading: failing_reads.cpp.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <sys/types.h>

#include "disk_model.hpp"
#include "fault_plan.hpp"

namespace heddle::fault {

/// One per process, never destroyed, because files are closed after destructors ran.
///
/// Thread safety: every function may be called from any thread. One lock is held during each
/// operation, so that operations have one order and nothing happens during a power loss. Like the
/// calls they stand for, functions return -1 and set errno when they fail.
class Shim {
public:
    [[nodiscard]] static Shim& instance();

    [[nodiscard]] bool is_active() const noexcept { return !options_.folder.empty(); }
    /// Whether operations on the file behind `fd` are counted.
    [[nodiscard]] bool sees(int fd);

    int open(int folder, const char* path, int flags, mode_t mode);
    /// For a file that the C library opens by itself: counts, and fails before it is made.
    [[nodiscard]] bool may_open_stream(const char* path, bool makes, bool truncates);
    void adopt_stream(const char* path, int fd);
    void will_close(int fd);
    void copied(int from, int to);

    ssize_t write(int fd, const void* data, std::size_t size, std::optional<off_t> offset);
    int sync(int fd);
    int range_sync(int fd, off_t offset, off_t size, unsigned flags);
    int truncate(int fd, off_t size);
    int allocate(int fd, int mode, off_t offset, off_t size);
    int rename(int from_folder, const char* from, int to_folder, const char* to, unsigned flags);
    int remove(int folder, const char* path, bool is_folder);
    int link(int from_folder, const char* from, int to_folder, const char* to, int flags);
    int make_folder(int folder, const char* path, mode_t mode);

    /// The process ends by itself: loses power if asked to, and writes the report.
    void finish();

private:
    struct OpenFile {
        std::string path;
        FileClass file_class;
        bool is_folder;
    };

    Shim();

    /// Absolute, without dots; relative to the folder behind the descriptor.
    [[nodiscard]] static std::string absolute(int folder, const char* path);
    [[nodiscard]] bool is_inside(std::string_view path) const noexcept;
    [[nodiscard]] const OpenFile* find(int fd) const;
    void track(int fd, const std::string& path, bool is_new);
    int open_inside(const std::string& path, int flags, mode_t mode);
    int truncate_tracked(int fd, const OpenFile& file, off_t size);

    /// Counts an operation and runs it, or what the plan puts in its place. `half` does half of it
    /// where that means something, and returns how much that was.
    template <class Whole, class Half>
    auto run(FileClass file_class, OperationKind kind, std::string_view path, const Whole& whole,
             const Half& half) -> decltype(whole());
    template <class Whole>
    auto run(FileClass file_class, OperationKind kind, std::string_view path, const Whole& whole)
        -> decltype(whole());

    [[noreturn]] void strike();
    void note(std::string_view what, FileClass file_class, OperationKind kind,
              std::string_view path);
    void write_report();

    // Constant after construction.
    const Options options_;

    // Protected by mutex_.
    std::mutex mutex_;
    FaultPlan plan_{options_};
    DiskModel model_;
    std::unordered_map<int, OpenFile> open_files_;
    std::string notes_;
    bool is_dark_ = false;  // the power is gone: nothing reaches the disk any more
};

}  // namespace heddle::fault
