// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The system as RocksDB sees it, where its own way would break a promise of the ledger. Not for
// RocksDB's settings: those are in rocks_options.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace rocksdb {
class Env;
class FileSystem;
class IOStatus;
class Logger;
}  // namespace rocksdb

namespace heddle::ledger {

/// `base` as RocksDB is to see it: with promises that a file system alone does not keep.
///
/// A new write-ahead log begins only when the one before is durable. RocksDB begins a new log when
/// a buffer is full, without forcing the old one to the disk. After a loss of power the old one may
/// then be cut short where the new one is whole, and if it ends between two records nothing tells
/// recovery that some are missing: it goes on with the new log, and writes from the middle are
/// gone. One more fsync per log keeps what is lost a tail.
///
/// What a MANIFEST has beyond its durable length is not read. When the power fails amid the sync of
/// a MANIFEST, a file system may keep the length of what was appended without its content. RocksDB
/// takes that for a damaged file and does not open. So the length is noted in a file beside it
/// after each sync, before RocksDB hears of it: RocksDB did nothing yet that rests on the bytes
/// behind that length, and they can be left out without loss. Damage below it stays an error.
/// Twice the syncs, of a file that is written once per flush or compaction.
///
/// A log is not forced again before something is added to it. RocksDB forces those that are closed
/// before each table that it writes, from several threads; that they were forced when the next one
/// began is enough. Where it fails RocksDB, built with assertions, ends the process as soon as
/// another thread asks the same log.
///
/// A log whose sync has failed stays failed. Nobody knows what of it is on the disk, and the system
/// may say of the next sync that all is well: a thread of RocksDB that was told so would keep files
/// with what the log has lost.
///
/// Beside these promises: what RocksDB begins and never uses, a log that stays empty or a MANIFEST
/// that was never durable, does not stay behind; and the status of a lock that somebody else has is
/// Busy, where RocksDB has an I/O error with a text.
///
/// Thread safety: any.
[[nodiscard]] std::shared_ptr<rocksdb::FileSystem> make_durable_file_system(
    const std::shared_ptr<rocksdb::FileSystem>& base);

/// The environment of the process, over the system's files. Thread safety: any.
[[nodiscard]] rocksdb::Env& durable_env();

/// The length of a MANIFEST of durable_env() that has been durable; none where nothing is noted of
/// it. Thread safety: any.
/// @return an error where what is noted of it cannot be read, or is damaged.
[[nodiscard]] rocksdb::IOStatus read_durable_length(const std::string& manifest,
                                                    std::optional<std::uint64_t>& length);

/// For a database of durable_env() that is not going to be closed, nor written to any more: gives
/// back its lock, and forces its logs no more to the disk before the next one there begins one.
/// Thread safety: any.
void leave_folder(const std::string& directory);

/// A logger that drops everything. RocksDB's own writes a file, and where RocksDB is built with
/// assertions, as on Debian, its second line on a full disk ends the process.
[[nodiscard]] std::shared_ptr<rocksdb::Logger> make_silent_logger();

}  // namespace heddle::ledger
