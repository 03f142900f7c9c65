// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// era1 files: up to 8,192 blocks before the merge, one after the other, with receipts and total
// difficulties, then an accumulator over all of them and an index. Everything in them is verified.
#pragma once

#include <memory>

#include <consensus_adapter/archive.hpp>

#include "file_reader.hpp"
#include "history_file.hpp"

namespace heddle::consensus_adapter {

[[nodiscard]] std::unique_ptr<HistoryFile> open_era1_file(FileReader file,
                                                          const ArchiveOptions& options);

}  // namespace heddle::consensus_adapter
