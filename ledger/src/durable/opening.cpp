// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/opening.hpp"

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <types/expected.hpp>

#include "storage/folders.hpp"
#include "storage/schema.hpp"
#include "storage/whole_file.hpp"

namespace heddle::ledger {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabaseFolder = "ledger";
/// Lies beside the database until it is finished.
constexpr const char* kUnfinishedMark = "ledger.unfinished";

fs::path database_folder(const std::string& directory) {
    return fs::path(directory) / kDatabaseFolder;
}

fs::path unfinished_mark(const std::string& directory) {
    return fs::path(directory) / kUnfinishedMark;
}

bool is_link_to_nothing(const fs::path& path) {
    std::error_code error;
    return fs::is_symlink(fs::symlink_status(path, error)) && !fs::exists(path, error);
}

/// A database that is kept on a disk of its own which is not there: it is not to be made anew.
std::unexpected<LedgerError> not_mounted(const std::string& what) {
    return std::unexpected(LedgerError{LedgerErrorCode::corrupt,
                                       what + "; if a disk of its own belongs there, mount it"});
}

/// Whether the folder can be looked into, where there is one. Otherwise nothing in it seems to be
/// there.
std::expected<void, LedgerError> check_visible(const std::string& directory) {
    std::error_code error;
    const fs::file_type type = fs::status(directory, error).type();
    if (type == fs::file_type::none)
        return system_failure("looking for " + directory, error.value());
    if (type != fs::file_type::directory) return {};
    if (::faccessat(AT_FDCWD, directory.c_str(), R_OK | X_OK, AT_EACCESS) == 0) return {};
    return system_failure("looking into " + directory, errno);
}

/// A data directory is its owner's, and their group may read it; one that is there keeps what it
/// has. The state is public, but waiting transactions and keys put beside it are not.
constexpr mode_t kOwnerAndGroup = 0750;

/// In the mark of a restorer; that of others is empty.
constexpr std::string_view kRestored = "snapshot";

/// Whether the mark is there, and may be opened: a pipe would never answer.
std::expected<bool, LedgerError> has_mark(const fs::path& mark) {
    std::error_code error;
    const fs::file_status found = fs::status(mark, error);
    if (!fs::exists(found)) return false;
    if (fs::is_regular_file(found)) return true;
    return std::unexpected(
        LedgerError{LedgerErrorCode::not_a_ledger, mark.string() + " is not a regular file"});
}

std::expected<void, LedgerError> make_mark(const fs::path& mark, NewDatabase::Maker maker) {
    const int file = ::open(mark.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) return system_failure("making " + mark.string(), errno);
    const std::string_view text = maker == NewDatabase::Maker::restorer ? kRestored : "";
    const bool is_written =
        ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(file) == 0;
    const int error = errno;
    ::close(file);
    if (!is_written) return system_failure("writing " + mark.string(), error);
    return sync_folder(mark.parent_path());
}

/// Whether something lies in the place of the database that has lost what it held. One that is
/// there is never filled by others, e.g. where a disk of its own is not mounted.
std::expected<void, LedgerError> check_not_lost(const std::string& directory) {
    const fs::path folder = database_folder(directory);
    std::error_code error;
    if (is_link_to_nothing(folder)) return not_mounted(folder.string() + " is a link to nothing");
    if (fs::is_directory(folder, error) && fs::is_empty(folder, error))
        return not_mounted(folder.string() + " is empty");
    return {};
}

/// @param format  What stands in `meta`.
std::expected<void, LedgerError> check_format(const std::string& directory,
                                              const std::optional<Bytes>& format) {
    if (!format.has_value())
        return std::unexpected(LedgerError{LedgerErrorCode::not_a_ledger,
                                           "the database in " + directory + " names no format"});
    const schema::Format found = schema::decode_format(*format);
    if (!found.is_ours)
        return std::unexpected(LedgerError{LedgerErrorCode::not_a_ledger,
                                           "the database in " + directory + " has another format"});
    if (found.version != schema::kFormatVersion)
        return std::unexpected(LedgerError{LedgerErrorCode::newer_format,
                                           "format " + std::to_string(found.version) + " in " +
                                               directory + ", this is for format " +
                                               std::to_string(schema::kFormatVersion)});
    return {};
}

/// Whether the mark, if there is one, is a restorer's.
std::expected<bool, LedgerError> is_of_restorer(const fs::path& mark) {
    HEDDLE_TRY(const auto text, read_file(mark.string(), 1, LedgerErrorCode::not_a_ledger));
    return text.has_value() && !text->empty();
}

}  // namespace

bool has_finished_database(const std::string& directory) {
    std::error_code error;
    const fs::file_status folder = fs::status(database_folder(directory), error);
    // What cannot be looked at is there, and so is a link to nothing: whoever opens it is told why.
    if (folder.type() == fs::file_type::none) return true;
    const bool is_there = fs::exists(folder) || is_link_to_nothing(database_folder(directory));
    return is_there && !fs::exists(unfinished_mark(directory), error);
}

namespace {

/// Whether a ledger may be made in the folder, which is locked and there.
std::expected<void, LedgerError> check_free(const std::string& directory,
                                            NewDatabase::Maker maker) {
    const fs::path folder = database_folder(directory);
    if (has_finished_database(directory)) {
        // What is in its place may be something else, which is not to be used as it is.
        HEDDLE_CHECK(check_not_lost(directory));
        HEDDLE_CHECK(Database::check(folder.string()));
        return std::unexpected(LedgerError{LedgerErrorCode::already_exists, directory});
    }
    const fs::path mark = unfinished_mark(directory);
    std::error_code error;
    HEDDLE_TRY(const bool is_interrupted, has_mark(mark));
    HEDDLE_TRY(const bool is_restored, is_of_restorer(mark));
    if (maker != NewDatabase::Maker::restorer && is_restored && fs::exists(folder, error))
        return std::unexpected(LedgerError{
            LedgerErrorCode::unfinished,
            directory + " holds a snapshot that was being restored; go on with it, or remove it"});
    if (!is_interrupted && !fs::is_empty(directory, error))
        return std::unexpected(
            LedgerError{LedgerErrorCode::not_a_ledger, directory + " holds files of another kind"});
    return {};
}

}  // namespace

std::expected<std::unique_ptr<Database>, LedgerError> open_database(const std::string& directory,
                                                                    std::size_t memory_bytes) {
    HEDDLE_CHECK(check_visible(directory));
    std::error_code error;
    HEDDLE_TRY(const bool is_unfinished, has_mark(unfinished_mark(directory)));
    if (is_unfinished) {
        HEDDLE_CHECK(FolderLock::take(directory));
        return std::unexpected(LedgerError{LedgerErrorCode::unfinished, directory});
    }
    if (fs::exists(directory, error) && !fs::is_directory(directory, error))
        return std::unexpected(
            LedgerError{LedgerErrorCode::not_a_ledger, directory + " is not a folder"});
    HEDDLE_CHECK(check_not_lost(directory));
    if (!fs::exists(database_folder(directory), error)) {
        if (fs::exists(directory, error) && !fs::is_empty(directory, error))
            return std::unexpected(LedgerError{LedgerErrorCode::not_a_ledger,
                                               directory + " holds files of another kind"});
        return std::unexpected(LedgerError{LedgerErrorCode::not_found, directory});
    }
    const std::string folder = database_folder(directory).string();
    // Opening writes, and removes files that the database does not know. What cannot be read
    // without that is opened: whatever is wrong is told by that.
    const Bytes key = schema::meta_key(schema::Meta::format);
    if (const auto format = Database::peek(folder, key); format.has_value())
        HEDDLE_CHECK(check_format(directory, *format));
    HEDDLE_TRY(
        auto database,
        Database::open({.directory = folder, .create = false, .memory_bytes = memory_bytes}));
    HEDDLE_TRY(const auto format, database->get(Table::meta, key));
    HEDDLE_CHECK(check_format(directory, format));
    return database;
}

std::expected<NewDatabase, LedgerError> NewDatabase::create(const std::string& directory,
                                                            std::size_t memory_bytes, Maker maker) {
    HEDDLE_CHECK(check_visible(directory));
    HEDDLE_TRY(NewFolders folders, make_folder(directory, kOwnerAndGroup));
    // Before it is looked at: another process may be about to make a ledger there, or finish one.
    auto lock = FolderLock::take(directory);
    if (!lock.has_value()) {
        if (lock.error().code != LedgerErrorCode::locked) remove_made(folders);
        return std::unexpected(std::move(lock).error());
    }
    if (auto free = check_free(directory, maker); !free.has_value()) {
        remove_made(folders);
        return std::unexpected(std::move(free).error());
    }
    NewDatabase made(*std::move(lock), unfinished_mark(directory).string(), nullptr);
    made.folders_ = std::move(folders);
    auto filled = made.make(memory_bytes, maker);
    if (filled.has_value()) return made;
    // A program from before this lock may be at work there.
    if (filled.error().code != LedgerErrorCode::locked) std::move(made).discard();
    return std::unexpected(std::move(filled).error());
}

std::expected<void, LedgerError> NewDatabase::make(std::size_t memory_bytes, Maker maker) {
    HEDDLE_CHECK(make_mark(mark_, maker));
    std::error_code error;
    if (fs::exists(folder(), error)) {
        HEDDLE_CHECK(Database::destroy(folder()));
        // What the database does not know of, e.g. half a file of its own, goes too: the mark says
        // that the folder is ours.
        fs::remove_all(folder(), error);
    }
    HEDDLE_TRY(
        database_,
        Database::open({.directory = folder(), .create = true, .memory_bytes = memory_bytes}));
    return sync_folder(fs::path(mark_).parent_path());
}

std::expected<std::optional<NewDatabase>, LedgerError> NewDatabase::resume(
    const std::string& directory, std::size_t memory_bytes) {
    const fs::path mark = unfinished_mark(directory);
    const fs::path folder = database_folder(directory);
    std::error_code error;
    if (!fs::exists(mark, error)) return std::nullopt;
    HEDDLE_TRY(FolderLock lock, FolderLock::take(directory));
    if (!fs::exists(mark, error) || !fs::exists(folder, error)) return std::nullopt;
    auto database = Database::open(
        {.directory = folder.string(), .create = false, .memory_bytes = memory_bytes});
    if (database.has_value())
        return NewDatabase(std::move(lock), mark.string(), *std::move(database));
    switch (database.error().code) {
        case LedgerErrorCode::not_found:
        case LedgerErrorCode::not_a_ledger:
        case LedgerErrorCode::corrupt:
            return std::nullopt;
        default:
            // What is there may be whole, and hours of work.
            return std::unexpected(std::move(database).error());
    }
}

std::expected<std::unique_ptr<Database>, LedgerError> NewDatabase::finish() {
    return finish(database_->batch());
}

std::expected<std::unique_ptr<Database>, LedgerError> NewDatabase::finish(WriteBatch last) {
    Bytes format;
    schema::encode_format(format);
    last.put(Table::meta, schema::meta_key(schema::Meta::format), format);
    HEDDLE_CHECK(database_->write(last, true));
    HEDDLE_CHECK(database_->flush());
    std::error_code error;
    fs::remove(mark_, error);
    if (error) return system_failure("removing " + mark_, error.value());
    HEDDLE_CHECK(sync_folder(fs::path(mark_).parent_path()));
    return std::move(database_);
}

std::string NewDatabase::folder() const {
    return (fs::path(mark_).parent_path() / kDatabaseFolder).string();
}

void NewDatabase::discard() && noexcept {
    database_.reset();
    std::error_code error;
    fs::remove_all(folder(), error);
    // While something of the database is left, the mark has to say what it is.
    if (error) return;
    fs::remove(mark_, error);
    remove_made(folders_);
}

}  // namespace heddle::ledger
