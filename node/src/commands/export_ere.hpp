// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle export --format ere: blocks of a data directory as ere files, which other clients import
// and `replay` reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <ledger/durable_ledger.hpp>

namespace heddle::node {

struct EreExport {
    std::string folder;                 // made where it is missing
    std::optional<std::uint64_t> from;  // nullopt: where the first file can begin
    std::uint64_t to = 0;               // included
};

/// Writes a file for every 8,192 blocks, named as other clients name them, and `checksums.txt` with
/// their SHA-256. The last file ends with the last block. Says what it has written.
/// Errors: InputError, also where there are such files already; StorageError.
void export_ere(const ledger::DurableLedger& ledger, const EreExport& wanted);

}  // namespace heddle::node
