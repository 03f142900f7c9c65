// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a MANIFEST, the list of a database's files, is as long as it was. RocksDB takes a record
// that leads beyond the end of the list for one that was being written, and what is before it for
// all that there is. It would open an earlier database, in the end an empty one, and remove the
// files that are not in its list. A list that was cut is enough for that, and so is one bit of the
// length of a record. Every other bit is under RocksDB's checksums.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include <ledger/ledger_error.hpp>

namespace heddle::ledger {

/// Whether so many bytes are there, and records end where they do.
/// @param durable_length  What has been durable (rocks_environment.hpp): whole records.
/// Errors: corrupt, io_error. A file that is not there is not an error of this.
[[nodiscard]] std::expected<void, LedgerError> check_records(const std::string& manifest,
                                                             std::uint64_t durable_length);

}  // namespace heddle::ledger
