// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/rocks_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <rocksdb/db.h>
#include <rocksdb/io_status.h>

#include <types/expected.hpp>
#include <types/text_bytes.hpp>

#include "storage/rocks_environment.hpp"
#include "storage/rocks_manifest.hpp"
#include "storage/rocks_options.hpp"
#include "storage/whole_file.hpp"

namespace heddle::ledger {

namespace {

namespace fs = std::filesystem;

/// Whether the system has said this of a file. RocksDB keeps no more of it than the words, but for
/// a full disk.
bool has_failed_with(const rocksdb::Status& status, int error) {
    return status.IsIOError() &&
           status.ToString().ends_with(std::generic_category().message(error));
}

/// A quota that is used up is a full disk to whoever it is for.
bool is_out_of_room(const rocksdb::Status& status) {
    return status.IsNoSpace() || has_failed_with(status, EDQUOT);
}

LedgerErrorCode code_of(const rocksdb::Status& status) {
    if (is_out_of_room(status)) return LedgerErrorCode::no_space;
    // A file that the database says is there and is not.
    if (status.IsCorruption() || status.IsPathNotFound()) return LedgerErrorCode::corrupt;
    return LedgerErrorCode::io_error;
}

std::unexpected<LedgerError> denial(const fs::path& path, int error) {
    const bool is_denied = error == EACCES || error == EPERM;
    return std::unexpected(
        LedgerError{is_denied ? LedgerErrorCode::denied : LedgerErrorCode::io_error,
                    path.string() + ": " + std::generic_category().message(error)});
}

/// Whether RocksDB opens it because of its name.
bool is_of_database(const std::string& name) {
    return name == "CURRENT" || name == "LOCK" || name == "IDENTITY" ||
           name.starts_with("MANIFEST-") || name.starts_with("OPTIONS-") ||
           (name.front() >= '0' && name.front() <= '9');
}

/// Whether this process may do with the folder and its files what a database does. RocksDB would
/// say of a file that cannot be read what it says of one that is damaged, and wait for ever for
/// what a pipe has to say.
std::expected<void, LedgerError> check_access(const fs::path& folder) {
    const auto may = [](const fs::path& path, int mode) -> std::expected<void, LedgerError> {
        // One that is gone meanwhile is nobody's to deny.
        if (::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0 || errno == ENOENT)
            return {};
        return denial(path, errno);
    };
    HEDDLE_CHECK(may(folder, R_OK | W_OK | X_OK));
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unknown;
        const std::string name = entry->path().filename().string();
        if (!entry->is_regular_file(unknown)) {
            if (is_of_database(name) && entry->exists(unknown))
                return std::unexpected(LedgerError{
                    LedgerErrorCode::corrupt, entry->path().string() + " is not a regular file"});
            continue;  // e.g. lost+found, which is root's
        }
        HEDDLE_CHECK(may(entry->path(), name == "LOCK" ? R_OK | W_OK : R_OK));
    }
    if (error) return denial(folder, error.value());
    return {};
}

/// Of CURRENT, which names the MANIFEST in use on a line.
constexpr std::size_t kMaxNameBytes = 256;

/// Whether the MANIFEST in use is whole, as far as RocksDB would not find out: without a byte it
/// would be that of a database without tables.
std::expected<void, LedgerError> check_manifest(const fs::path& folder) {
    const std::string current = (folder / "CURRENT").string();
    HEDDLE_TRY(const auto named, read_file(current, kMaxNameBytes, LedgerErrorCode::corrupt));
    if (!named.has_value() || named->empty()) return {};
    if (named->size() > kMaxNameBytes)
        return std::unexpected(
            LedgerError{LedgerErrorCode::corrupt, current + " is longer than the name of a file"});
    const std::string_view line = text_of(*named);
    const std::string path = (folder / line.substr(0, line.find('\n'))).string();
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error) return {};
    if (size == 0)
        return std::unexpected(LedgerError{LedgerErrorCode::corrupt, path + " is empty"});
    std::optional<std::uint64_t> durable_length;
    const rocksdb::Status status = read_durable_length(path, durable_length);
    if (!status.ok()) return failure("reading the list of files", status);
    return durable_length.has_value() ? check_records(path, *durable_length)
                                      : std::expected<void, LedgerError>{};
}

}  // namespace

std::unexpected<LedgerError> failure(const char* doing, const rocksdb::Status& status) {
    std::string text = std::string{doing} + ": " + status.ToString();
    std::erase(text, '\n');  // with which some of RocksDB's end: an error is one line
    return std::unexpected(LedgerError{code_of(status), std::move(text)});
}

std::unexpected<LedgerError> open_failure(const std::string& directory,
                                          const rocksdb::Status& status) {
    if (status.IsBusy())  // rocks_environment.hpp says so of its lock, and nothing else does
        return std::unexpected(LedgerError{LedgerErrorCode::locked, directory});
    return failure("opening the database", status);
}

std::expected<void, LedgerError> check_folder(const DatabaseOptions& options) {
    const fs::path folder = options.directory;
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (status.type() == fs::file_type::none) return denial(folder, error.value());
    const bool is_there = fs::exists(status);
    if (is_there && !fs::is_directory(status))
        return std::unexpected(
            LedgerError{LedgerErrorCode::not_a_ledger, options.directory + " is not a folder"});
    if (is_there) HEDDLE_CHECK(check_access(folder));
    if (fs::exists(folder / "CURRENT", error)) return check_manifest(folder);
    if (!is_there || fs::is_empty(folder, error)) {
        if (options.create) return {};
        return std::unexpected(LedgerError{LedgerErrorCode::not_found, options.directory});
    }
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (entry->path().filename().string().starts_with("MANIFEST-"))
            return std::unexpected(LedgerError{LedgerErrorCode::corrupt,
                                               "file CURRENT is missing in " + options.directory});
    return std::unexpected(LedgerError{LedgerErrorCode::not_a_ledger,
                                       options.directory + " holds files of another kind"});
}

std::expected<void, LedgerError> check_tables(const rocksdb::DBOptions& db_options,
                                              const std::string& directory) {
    std::error_code error;
    if (!fs::exists(fs::path(directory) / "CURRENT", error)) return {};
    std::vector<std::string> names;
    const rocksdb::Status status = rocksdb::DB::ListColumnFamilies(db_options, directory, &names);
    if (!status.ok()) {
        // Nothing is in use at this moment: a file that cannot be read is not what was written,
        // unless it is the disk that says so.
        auto result = failure("reading the list of tables", status);
        if (!is_out_of_room(status) && !has_failed_with(status, EIO))
            result.error().code = LedgerErrorCode::corrupt;
        return result;
    }
    const auto is_ours = [](const std::string& name) {
        for (std::size_t i = 0; i < kTableCount; ++i)
            if (name == column_family(static_cast<Table>(i))) return true;
        return false;
    };
    const auto ours = static_cast<std::size_t>(std::ranges::count_if(names, is_ours));
    // Every database has a table of the first one's name.
    const auto is_missing = [&](std::size_t i) {
        return std::ranges::find(names, column_family(static_cast<Table>(i))) == names.end();
    };
    const auto earlier =
        std::views::iota(std::size_t{0}, static_cast<std::size_t>(kFirstLaterTable));
    const bool has_earlier = std::ranges::none_of(earlier, is_missing);
    if (ours > 1 && !has_earlier)
        return std::unexpected(LedgerError{LedgerErrorCode::corrupt,
                                           "the database in " + directory + " has lost tables"});
    if (!has_earlier)
        return std::unexpected(LedgerError{LedgerErrorCode::not_a_ledger,
                                           "the database in " + directory + " has other tables"});
    if (names.size() > ours)
        return std::unexpected(LedgerError{
            LedgerErrorCode::newer_format,
            "the database in " + directory + " has tables that this version does not know"});
    return {};
}

}  // namespace heddle::ledger
