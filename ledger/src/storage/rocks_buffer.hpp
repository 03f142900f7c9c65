// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The write buffers of the database as RocksDB asks for them, kept by buffer_tree.hpp.
#pragma once

#include <memory>

#include <rocksdb/memtablerep.h>

namespace heddle::ledger {

/// For tables in the order of bytes, which is RocksDB's unless another is asked for, in a database
/// where one thread at a time inserts (allow_concurrent_memtable_write off).
[[nodiscard]] std::shared_ptr<rocksdb::MemTableRepFactory> make_buffer_factory();

}  // namespace heddle::ledger
