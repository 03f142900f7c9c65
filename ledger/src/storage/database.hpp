// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The database below the ledger: tables of ordered byte strings, atomic batches, cursors. The only
// place that knows RocksDB. What the bytes mean is schema.hpp's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <types/bytes.hpp>

#include <ledger/ledger_error.hpp>

#include "storage/table_file.hpp"

namespace heddle::ledger {

/// A column family each; their names and contents are in docs/storage.md.
enum class Table : std::uint8_t {
    meta,
    headers,
    block_numbers,
    bodies,
    receipts,
    senders,
    object_sets,
    transactions,
    accounts,
    slots,
    codes,
    trie_nodes,
    changes,
    history,
    access_lists,
};
inline constexpr std::size_t kTableCount = 15;
/// Tables from this one on came later: a database without them gets them, empty, when it is opened.
inline constexpr Table kFirstLaterTable = Table::access_lists;
[[nodiscard]] const char* table_name(Table table) noexcept;

/// Writes that become visible, and durable, all together. Made by Database::batch(), which it must
/// not outlive.
class WriteBatch {
public:
    WriteBatch(WriteBatch&&) noexcept;
    WriteBatch& operator=(WriteBatch&&) noexcept;
    ~WriteBatch();

    void put(Table table, BytesView key, BytesView value);
    void erase(Table table, BytesView key);
    /// [begin, end).
    void erase_range(Table table, BytesView begin, BytesView end);
    /// What others hold, as if it were written now, one after the other. Made for batches that
    /// several threads have filled: costs a copy of all.
    void append(std::span<const WriteBatch> others);
    void clear();
    [[nodiscard]] bool empty() const noexcept;
    /// What it takes in memory and, about, in the log.
    [[nodiscard]] std::size_t size_bytes() const noexcept;

private:
    friend class Database;
    struct Impl;
    explicit WriteBatch(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

/// The database as it stood when the snapshot was taken. Must not outlive the database.
class DatabaseSnapshot {
public:
    virtual ~DatabaseSnapshot() = default;
};

/// Walks one table in ascending order of keys, on the state at its making (or a snapshot's).
/// Protocol: seek(), then key() and value() while valid(), next(). An error makes it invalid:
/// look at error() after the walk. Must not outlive the database.
class Cursor {
public:
    Cursor(Cursor&&) noexcept;
    Cursor& operator=(Cursor&&) noexcept;
    ~Cursor();

    /// To the first key at or above `key`.
    void seek(BytesView key);
    void next();
    [[nodiscard]] bool valid() const noexcept;
    /// Good until the cursor moves.
    [[nodiscard]] BytesView key() const noexcept;
    [[nodiscard]] BytesView value() const noexcept;
    [[nodiscard]] bool has_prefix(BytesView prefix) const noexcept;
    [[nodiscard]] std::expected<void, LedgerError> error() const;

private:
    friend class Database;
    struct Impl;
    explicit Cursor(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

struct DatabaseOptions {
    std::string directory;
    bool create = false;  // else a database that is missing is an error
    /// For its caches and write buffers together.
    std::size_t memory_bytes = std::size_t{256} << 20;
    unsigned background_threads = 2;
};

struct TableStats {
    Table table = Table::meta;
    std::uint64_t keys = 0;        // about
    std::uint64_t disk_bytes = 0;  // of its files
    std::uint64_t memory_bytes = 0;
    std::uint64_t files = 0;
};

/// What it takes at the moment, in bytes.
struct DatabaseMemory {
    std::size_t block_cache = 0;    // blocks of files, and the parts of their indices and filters
    std::size_t write_buffers = 0;  // of all tables: filling, full, and being written
    std::size_t table_readers = 0;  // of open files, what is not in the cache; about
};

/// Thread safety: everything from any number of threads.
class Database {
public:
    /// Errors: not_found, not_a_ledger, newer_format, locked, denied, corrupt, io_error, no_space.
    [[nodiscard]] static std::expected<std::unique_ptr<Database>, LedgerError> open(
        const DatabaseOptions& options);
    /// Whether there is one in the folder, without opening it: somebody else may have.
    /// Errors: not_found, not_a_ledger, corrupt, denied, io_error.
    [[nodiscard]] static std::expected<void, LedgerError> check(const std::string& directory);
    /// A value of the table `meta`, read without changing anything in the folder: opening writes.
    /// nullopt: no such key. Errors: as open(), but for locked: somebody may have it open.
    [[nodiscard]] static std::expected<std::optional<Bytes>, LedgerError> peek(
        const std::string& directory, BytesView key);
    /// Removes a database that nobody has open, and nothing else in its folder.
    [[nodiscard]] static std::expected<void, LedgerError> destroy(const std::string& directory);

    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    /// nullopt: no such key.
    [[nodiscard]] std::expected<std::optional<Bytes>, LedgerError> get(
        Table table, BytesView key, const DatabaseSnapshot* snapshot = nullptr) const;
    /// As get() for each key, with fewer reads from disk.
    [[nodiscard]] std::expected<std::vector<std::optional<Bytes>>, LedgerError> get_all(
        Table table, std::span<const Bytes> keys) const;

    /// @param reserved_bytes  About what will be put, so that it need not move while it grows.
    [[nodiscard]] WriteBatch batch(std::size_t reserved_bytes = 0) const;
    /// After an error nothing of the batch is there, and every later write fails too.
    /// @param sync  Returns once the batch, and all before it, would survive a loss of power.
    [[nodiscard]] std::expected<void, LedgerError> write(WriteBatch& batch, bool sync);
    /// Makes everything written so far survive a loss of power.
    [[nodiscard]] std::expected<void, LedgerError> sync();
    /// Moves everything from the log into tables, where damage to any byte is found when it is
    /// read. The end of a log that is damaged cannot be told from one that was never written.
    [[nodiscard]] std::expected<void, LedgerError> flush();

    /// A part of a table that is written beside it. Errors: no_space, io_error.
    [[nodiscard]] std::expected<TableFile, LedgerError> new_file(Table table);
    /// Takes finished files over, all or none, durably. No two of them overlap, nor with what the
    /// table has.
    [[nodiscard]] std::expected<void, LedgerError> adopt(Table table,
                                                         std::span<const TableFile> files);

    [[nodiscard]] Cursor cursor(Table table, const DatabaseSnapshot* snapshot = nullptr) const;
    [[nodiscard]] std::unique_ptr<DatabaseSnapshot> snapshot() const;

    /// Reads every block of every file and compares checksums. Names the first file that is wrong.
    [[nodiscard]] std::expected<void, LedgerError> verify_files() const;
    [[nodiscard]] std::expected<void, LedgerError> compact(Table table);
    /// Small files of tables that are appended to are merged in the background (file_merger.hpp).
    /// Returns when all that was due has been, or nothing will be any more after an error. For
    /// tests.
    void wait_merged() const;
    [[nodiscard]] TableStats stats(Table table) const;
    [[nodiscard]] DatabaseMemory memory() const;
    /// Written to files and logs since the database was opened.
    [[nodiscard]] std::uint64_t bytes_written() const noexcept;
    /// Values looked up, found or not, and cursors placed or moved, since it was opened.
    [[nodiscard]] std::uint64_t reads() const noexcept;

private:
    struct Impl;
    explicit Database(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::ledger
