// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/folders.hpp"

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <types/expected.hpp>

namespace heddle::ledger {

namespace fs = std::filesystem;

std::unexpected<LedgerError> system_failure(const std::string& doing, int error) {
    auto code = LedgerErrorCode::io_error;
    if (error == ENOSPC || error == EDQUOT) code = LedgerErrorCode::no_space;
    if (error == EACCES || error == EPERM) code = LedgerErrorCode::denied;
    if (error == ENAMETOOLONG || error == ENOTDIR || error == ELOOP)
        code = LedgerErrorCode::bad_path;
    return std::unexpected(
        LedgerError{code, doing + ": " + std::generic_category().message(error)});
}

namespace {

/// What the system answered where the path is at fault.
std::unexpected<LedgerError> no_place(const std::string& doing, int error) {
    return std::unexpected(LedgerError{LedgerErrorCode::bad_path,
                                       doing + ": " + std::generic_category().message(error)});
}

}  // namespace

LedgerError with_removal(LedgerError error, const std::filesystem::path& folder) {
    std::error_code unknown;
    const auto status = std::filesystem::status(folder, unknown);
    if (!folder.empty() && status.type() == std::filesystem::file_type::not_found)
        error.code = LedgerErrorCode::removed;
    return error;
}

fs::path folder_of(const fs::path& path) {
    std::error_code error;
    fs::path whole = fs::absolute(path, error);
    if (error) whole = fs::path(".") / path;  // the working folder was removed
    if (!whole.has_filename()) whole = whole.parent_path();
    return whole.parent_path();
}

std::expected<void, LedgerError> sync_folder(const fs::path& folder) {
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return system_failure("opening " + folder.string(), errno);
    const int result = ::fsync(file);
    const int error = errno;
    ::close(file);
    if (result != 0) return system_failure("syncing " + folder.string(), error);
    return {};
}

namespace {

fs::path without_slash(const fs::path& folder) {
    return folder.has_filename() ? folder : folder.parent_path();
}

/// Those above it first.
std::expected<void, LedgerError> make_folders(const fs::path& folder, mode_t mode) {
    std::error_code error;
    (void)fs::absolute(folder, error);
    if (error)  // the folder that this process runs in is gone
        return no_place("looking for " + folder.string(), error.value());
    const fs::path above = folder_of(folder);
    if (!fs::is_directory(above, error)) HEDDLE_CHECK(make_folders(above, kForEverybody));
    const fs::path path = without_slash(folder);
    if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
        const int refused = errno;
        const std::string making = "making " + folder.string();
        // The one above is there, and takes none, as /proc.
        return refused == ENOENT ? no_place(making, refused) : system_failure(making, refused);
    }
    // A file, or a link to nothing.
    if (!fs::is_directory(path, error))
        return std::unexpected(
            LedgerError{LedgerErrorCode::not_a_ledger, folder.string() + " is not a folder"});
    auto synced = sync_folder(above);
    if (synced.has_value() || synced.error().code != LedgerErrorCode::denied) return synced;
    // Who may make something in it need not be allowed to list it, and then cannot force it alone.
    ::sync();
    return {};
}

}  // namespace

std::expected<NewFolders, LedgerError> make_folder(const fs::path& folder, mode_t mode) {
    NewFolders missing;
    std::error_code error;
    for (fs::path path = without_slash(folder);
         !path.empty() && fs::symlink_status(path, error).type() == fs::file_type::not_found;
         path = folder_of(path))
        missing.push_back(path);
    if (auto made = make_folders(folder, mode); !made.has_value()) {
        remove_made(missing);
        return std::unexpected(std::move(made).error());
    }
    return missing;
}

void remove_made(const NewFolders& folders) noexcept {
    for (const fs::path& path : folders)
        if (::rmdir(path.c_str()) != 0 && errno != ENOENT) break;
}

}  // namespace heddle::ledger
