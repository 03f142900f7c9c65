// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A batch of writes as RocksDB has it, for the two files that see into one.
#pragma once

#include <array>
#include <cstddef>

#include <rocksdb/db.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include "storage/database.hpp"

namespace heddle::ledger {

using ColumnFamilies = std::array<rocksdb::ColumnFamilyHandle*, kTableCount>;

[[nodiscard]] inline rocksdb::Slice slice(BytesView bytes) noexcept {
    if (bytes.empty()) return {};  // it may point nowhere, where a slice never does
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct WriteBatch::Impl {
    Impl(const ColumnFamilies& all, std::size_t reserved_bytes)
        : families(all), writes(reserved_bytes, /*max_bytes=*/0) {}

    const ColumnFamilies& families;
    rocksdb::WriteBatch writes;
    rocksdb::Status status;  // the first that failed; told by write()

    [[nodiscard]] rocksdb::ColumnFamilyHandle* family(Table table) const noexcept {
        return families[static_cast<std::size_t>(table)];
    }
    void note(const rocksdb::Status& result) {
        if (status.ok()) status = result;
    }
};

}  // namespace heddle::ledger
