// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a folder holds a ledger, and how a new one comes to be: it does not count until it is
// complete. What is written into it is not its business.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "durable/folder_lock.hpp"
#include "storage/database.hpp"
#include "storage/folders.hpp"

namespace heddle::ledger {

/// Opens a finished database of this format.
/// Errors: not_found, unfinished, locked where it is being made, not_a_ledger, newer_format,
/// denied, and those of Database::open().
[[nodiscard]] std::expected<std::unique_ptr<Database>, LedgerError> open_database(
    const std::string& directory, std::size_t memory_bytes);
[[nodiscard]] bool has_finished_database(const std::string& directory);

/// An empty database that does not count as a ledger until finish() has made it one. Until then a
/// mark lies in the folder, so that what a crash leaves is recognised and made anew. As long as
/// this lives, nobody else makes one there.
class NewDatabase {
public:
    /// Who fills it. What a restorer has left may be hours of work: only restorers make it anew.
    enum class Maker : std::uint8_t { genesis, restorer };

    /// Makes the folder, and those above it, where they are missing. After an error all is as it
    /// was, or, where something unfinished was in the folder, that is empty.
    /// Errors: already_exists, not_a_ledger, corrupt where a ledger was and is gone, locked,
    /// unfinished where a restorer was interrupted, and those of Database::open().
    [[nodiscard]] static std::expected<NewDatabase, LedgerError> create(
        const std::string& directory, std::size_t memory_bytes, Maker maker = Maker::genesis);

    /// One that create() made and nobody has finished, as it was left; nullopt where there is none,
    /// or one that is damaged. Errors: locked, denied, no_space, io_error.
    [[nodiscard]] static std::expected<std::optional<NewDatabase>, LedgerError> resume(
        const std::string& directory, std::size_t memory_bytes);

    [[nodiscard]] Database& database() noexcept { return *database_; }
    /// Writes the format and forces everything to the disk. After an error only discard() may
    /// follow.
    [[nodiscard]] std::expected<std::unique_ptr<Database>, LedgerError> finish();
    /// The same with what comes last, in one step with the format: what has one is whole, also
    /// where the mark is still there.
    [[nodiscard]] std::expected<std::unique_ptr<Database>, LedgerError> finish(WriteBatch last);
    /// Leaves the folder as create() found it, as far as the disk lets it: what stays behind counts
    /// as unfinished.
    void discard() && noexcept;
    /// Where the database's files are.
    [[nodiscard]] std::string folder() const;

private:
    NewDatabase(FolderLock lock, std::string mark, std::unique_ptr<Database> database) noexcept
        : lock_(std::move(lock)), mark_(std::move(mark)), database_(std::move(database)) {}
    /// Marks the folder and makes an empty database in it, in the place of one not finished.
    [[nodiscard]] std::expected<void, LedgerError> make(std::size_t memory_bytes, Maker maker);

    FolderLock lock_;
    std::string mark_;    // path
    NewFolders folders_;  // that go with it where it is discarded
    std::unique_ptr<Database> database_;
};

}  // namespace heddle::ledger
