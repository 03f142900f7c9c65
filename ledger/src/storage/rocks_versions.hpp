// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where versions of RocksDB differ, from Debian 12's 7.8 to 11.8 (ADR 39).
#pragma once

#include <memory>

// Up to 7.9 what a cache can do is said by cache.h.
#if __has_include(<rocksdb/advanced_cache.h>)
#include <rocksdb/advanced_cache.h>
#endif
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>

namespace heddle::ledger {

/// rocksdb::DB::Open(arguments…, …), whose last argument was a pointer up to 9.10 and is an owner
/// from 11 on. @param db  The database; unchanged where it could not be opened.
template <typename... Arguments>
[[nodiscard]] rocksdb::Status open_rocks(std::unique_ptr<rocksdb::DB>& db,
                                         const Arguments&... arguments) {
    if constexpr (requires { rocksdb::DB::Open(arguments..., &db); }) {
        return rocksdb::DB::Open(arguments..., &db);
    } else {
        rocksdb::DB* opened = nullptr;
        rocksdb::Status status = rocksdb::DB::Open(arguments..., &opened);
        if (status.ok()) db.reset(opened);
        return status;
    }
}

/// The same for rocksdb::DB::OpenForReadOnly(arguments…, …).
template <typename... Arguments>
[[nodiscard]] rocksdb::Status open_rocks_to_read(std::unique_ptr<rocksdb::DB>& db,
                                                 const Arguments&... arguments) {
    if constexpr (requires { rocksdb::DB::OpenForReadOnly(arguments..., &db); }) {
        return rocksdb::DB::OpenForReadOnly(arguments..., &db);
    } else {
        rocksdb::DB* opened = nullptr;
        rocksdb::Status status = rocksdb::DB::OpenForReadOnly(arguments..., &opened);
        if (status.ok()) db.reset(opened);
        return status;
    }
}

/// A factory of tables that later versions may ask for another like itself; 7.8 does not know that.
class ClonableTableFactory : public rocksdb::TableFactory {
public:
    // NOLINTNEXTLINE(readability-identifier-naming): RocksDB's name for it
    [[nodiscard]] virtual std::unique_ptr<rocksdb::TableFactory> Clone() const = 0;
};

}  // namespace heddle::ledger
