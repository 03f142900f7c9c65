// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/folder_lock.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace heddle::ledger {

std::expected<FolderLock, LedgerError> FolderLock::take(const std::string& directory) {
    const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) {
        const int error = errno;
        if (error == ENOTDIR)
            return std::unexpected(
                LedgerError{LedgerErrorCode::not_a_ledger, directory + " is not a folder"});
        const bool is_denied = error == EACCES || error == EPERM;
        return std::unexpected(
            LedgerError{is_denied ? LedgerErrorCode::denied : LedgerErrorCode::io_error,
                        "opening " + directory + ": " + std::generic_category().message(error)});
    }
    FolderLock lock(file);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return std::unexpected(LedgerError{LedgerErrorCode::locked, directory});
    return lock;
}

FolderLock::~FolderLock() {
    if (file_ >= 0) ::close(file_);
}

}  // namespace heddle::ledger
