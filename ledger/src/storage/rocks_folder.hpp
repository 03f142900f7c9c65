// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is found out of a database's folder before RocksDB opens it, and what its answers mean. Not
// whether the folder is a ledger: that is opening.hpp's business.
#pragma once

#include <expected>
#include <string>

#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include "storage/database.hpp"

namespace heddle::ledger {

/// @param doing  What RocksDB was asked for.
[[nodiscard]] std::unexpected<LedgerError> failure(const char* doing,
                                                   const rocksdb::Status& status);
/// Of opening or removing a whole database: it may be locked.
[[nodiscard]] std::unexpected<LedgerError> open_failure(const std::string& directory,
                                                        const rocksdb::Status& status);

/// Whether what is in the folder may be opened, or made there.
/// Errors: not_found, not_a_ledger, corrupt, denied, io_error.
[[nodiscard]] std::expected<void, LedgerError> check_folder(const DatabaseOptions& options);

/// Whether the column families of a database, if there is one, are those of a ledger.
/// Errors: not_a_ledger, newer_format, corrupt.
[[nodiscard]] std::expected<void, LedgerError> check_tables(const rocksdb::DBOptions& db_options,
                                                            const std::string& directory);

}  // namespace heddle::ledger
