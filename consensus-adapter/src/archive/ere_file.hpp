// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// ere files: up to 8,192 blocks before and after the merge. All headers come first, then all
// bodies, then what there is of receipts, proofs and total difficulties, the accumulator over the
// blocks before the merge, and an index in which every part of every block is found. Everything in
// them is verified, but for proofs, which show that headers are in the beacon chain.
#pragma once

#include <memory>

#include <consensus_adapter/archive.hpp>

#include "file_reader.hpp"
#include "history_file.hpp"

namespace heddle::consensus_adapter {

/// Errors: read_failed; malformed_entry where no index ends the file.
[[nodiscard]] std::expected<std::unique_ptr<HistoryFile>, SourceError> open_ere_file(
    const FileReader& file, const ArchiveOptions& options);

}  // namespace heddle::consensus_adapter
