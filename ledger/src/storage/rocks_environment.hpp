// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The system as RocksDB sees it, where its own way would break a promise of the ledger. Not for
// RocksDB's settings: those are in database.cpp.
#pragma once

#include <memory>

namespace rocksdb {
class Env;
class Logger;
}  // namespace rocksdb

namespace heddle::ledger {

/// An environment in which a new write-ahead log begins only when the one before is durable.
///
/// RocksDB begins a new log when a buffer is full, without forcing the old one to the disk. After a
/// loss of power the old one may then be cut short where the new one is whole, and if it ends
/// between two records nothing tells recovery that some are missing: it goes on with the new log,
/// and writes from the middle are gone. One more fsync per log keeps what is lost a tail.
[[nodiscard]] std::unique_ptr<rocksdb::Env> make_log_ordering_env();

/// A logger that drops everything. RocksDB's own writes a file, and where RocksDB is built with
/// assertions, as on Debian, its second line on a full disk ends the process.
[[nodiscard]] std::shared_ptr<rocksdb::Logger> make_silent_logger();

}  // namespace heddle::ledger
