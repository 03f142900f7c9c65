// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How the database keeps each table and itself: everything that is tuned in RocksDB.
#pragma once

#include <memory>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/write_buffer_manager.h>

#include "storage/database.hpp"

namespace heddle::ledger {

/// With the durable environment (rocks_environment.hpp), and statistics.
/// @param cache  Of blocks; what is being written counts into it.
[[nodiscard]] rocksdb::DBOptions make_database_options(
    const DatabaseOptions& options, const std::shared_ptr<rocksdb::Cache>& cache);

/// The column family of a table, by its name in RocksDB.
[[nodiscard]] const char* column_family(Table table) noexcept;

/// Whether its keys come in ascending order, but for few.
[[nodiscard]] bool is_appended(Table table) noexcept;

/// Every table, in the order of Table.
/// @param buffers  Of the database's options; not null.
[[nodiscard]] std::vector<rocksdb::ColumnFamilyDescriptor> make_tables(
    const DatabaseOptions& options, const std::shared_ptr<rocksdb::Cache>& cache,
    const std::shared_ptr<rocksdb::WriteBufferManager>& buffers);

}  // namespace heddle::ledger
