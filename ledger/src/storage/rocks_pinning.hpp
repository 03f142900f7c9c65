// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of the database whose index and filter are at hand without being looked up in the cache, as
// long as there is memory for them. Of three lookups for each value read, of which each waits for
// memory, two are for these.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <rocksdb/table.h>

namespace heddle::ledger {

/// Each file that is opened has its index and filter blocks pinned in the cache until it is closed,
/// unless what is pinned has reached a limit: then they come and go as other blocks do. So it is
/// never more than the limit and those of one file, however large the database becomes. They are
/// read when the file is opened.
///
/// @param options  With `block_cache`, and with index and filter blocks in it.
/// @param pinned   Bytes that are pinned at the moment; called from any thread.
/// @param most     The limit, in bytes.
[[nodiscard]] std::shared_ptr<rocksdb::TableFactory> make_pinned_tables(
    const rocksdb::BlockBasedTableOptions& options, std::function<std::size_t()> pinned,
    std::size_t most);

}  // namespace heddle::ledger
