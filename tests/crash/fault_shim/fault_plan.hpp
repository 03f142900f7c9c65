// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the environment asks the shim to do, what kinds of files and operations it tells apart, and
// the counters that find the chosen operation. Not for doing it: see shim.hpp and disk_model.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::fault {

/// Files by what RocksDB uses them for, told from their names.
enum class FileClass : std::uint8_t {
    wal,        // *.log
    manifest,   // MANIFEST-*
    table,      // *.sst, *.blob
    current,    // CURRENT
    options,    // OPTIONS-*
    lock,       // LOCK
    temporary,  // *.dbtmp, *.tmp: renamed when whole
    folder,     // a directory
    other,      // LOG, IDENTITY, and every file that is not RocksDB's
};
inline constexpr std::size_t kFileClassCount = 9;

enum class OperationKind : std::uint8_t {
    append,       // any write, wherever it goes
    sync,         // fsync, fdatasync of a file
    range_sync,   // sync_file_range: starts writing, promises nothing
    allocate,     // fallocate
    truncate,     // ftruncate, truncate, O_TRUNC of a file that is not empty
    create,       // a name that was not there: open, mkdir, link
    rename,       //
    unlink,       // unlink, rmdir
    folder_sync,  // fsync of a directory
};
inline constexpr std::size_t kOperationKindCount = 9;

[[nodiscard]] std::string_view to_string(FileClass file_class) noexcept;
[[nodiscard]] std::string_view to_string(OperationKind kind) noexcept;
[[nodiscard]] FileClass classify(std::string_view path, bool is_folder) noexcept;

/// What happens at the chosen operation.
enum class Action : std::uint8_t {
    none,   // count only
    kill,   // SIGKILL: what was written stays, as in the page cache
    power,  // what is not durable may be lost, then SIGKILL
    error,  // the operation fails
};

enum class Moment : std::uint8_t { before, middle, after };

enum class Span : std::uint8_t {
    once,  // only the chosen operation fails
    on,    // the chosen operation and all that need the lost resource from then on
    half,  // half of the chosen write is written; those after it fail
};

/// The environment, read once.
struct Options {
    std::string folder;              // HEDDLE_FAULT_DIR: nothing outside is touched; empty: inert
    Action action = Action::none;    // HEDDLE_FAULT_ACTION: none, kill, power, error
    Moment moment = Moment::before;  // HEDDLE_FAULT_WHEN: before, middle, after
    Span span = Span::on;            // HEDDLE_FAULT_SPAN: once, on, short
    int error = 0;                   // HEDDLE_FAULT_ERROR: ENOSPC, EIO, EDQUOT
    std::uint64_t position = 0;      // HEDDLE_FAULT_AT: the n-th operation, from 1; 0: never
    std::uint64_t seed = 0;          // HEDDLE_FAULT_SEED: what a power loss takes
    std::optional<FileClass> file_class;  // HEDDLE_FAULT_CLASS: count only these ...
    std::optional<OperationKind> kind;    // HEDDLE_FAULT_OPERATION: ... and only these
    bool loses_power_at_exit = false;     // HEDDLE_FAULT_AT_EXIT=power
    std::string report;  // HEDDLE_FAULT_REPORT: file for the counts and what was done
    std::string carry;   // HEDDLE_FAULT_CARRY: file that says what a killed process left unsynced

    /// Whether what is not durable must be known.
    [[nodiscard]] bool tracks_disk() const noexcept {
        return action == Action::power || loses_power_at_exit || !carry.empty();
    }
};

/// Reads HEDDLE_FAULT_*; a value that means nothing ends the process with code 125, because a test
/// whose fault never comes proves nothing.
[[nodiscard]] Options options_from_environment();

/// What the shim does with one operation.
struct Verdict {
    enum class Kind : std::uint8_t { pass, fail, half, strike };
    Kind kind = Kind::pass;
    int error = 0;
};

/// Counts operations and finds the chosen one. Not safe for concurrent use; the shim locks.
class FaultPlan {
public:
    explicit FaultPlan(const Options& options) : options_(options) {}

    /// Counts one operation and says what to do with it.
    [[nodiscard]] Verdict next(FileClass file_class, OperationKind kind);

    [[nodiscard]] bool has_struck() const noexcept { return has_struck_; }
    /// Lines `count CLASS OPERATION N` for what occurred, then `total N`.
    [[nodiscard]] std::string counts() const;

private:
    [[nodiscard]] bool fails_from_now_on(OperationKind kind) const noexcept;

    const Options& options_;
    std::array<std::array<std::uint64_t, kOperationKindCount>, kFileClassCount> counts_{};
    std::uint64_t matching_ = 0;
    bool has_struck_ = false;
};

}  // namespace heddle::fault
