// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing a snapshot from the tables of a database, whose flat tables are those after its head.
#pragma once

#include <memory>

#include <ledger/snapshot.hpp>

#include "storage/database.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

/// Fixes the state as the tables have it now.
/// @param head          The block whose state that is, and the last in the tables.
/// @param memory_bytes  For hashes of code; where they are more, the accounts are read again.
[[nodiscard]] std::unique_ptr<SnapshotWriter> make_snapshot_writer(const Database& database,
                                                                   const schema::HeaderRecord& head,
                                                                   Bytes chain,
                                                                   std::size_t memory_bytes);

/// Names of the files of a snapshot.
inline constexpr const char* kManifestFile = "manifest";
inline constexpr const char* kIdFile = "id";
[[nodiscard]] std::string chunk_file(std::size_t index);

/// What the file of the id holds.
[[nodiscard]] Bytes id_text(const Hash& id);

}  // namespace heddle::ledger
