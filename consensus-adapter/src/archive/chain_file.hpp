// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// RLP chain files: blocks one after another, nothing before, between or after them.
#pragma once

#include <cstddef>
#include <memory>

#include "file_reader.hpp"
#include "history_file.hpp"

namespace heddle::consensus_adapter {

/// Whether a file that starts with `bytes` may be one.
[[nodiscard]] bool is_chain_file(BytesView bytes) noexcept;

[[nodiscard]] std::unique_ptr<HistoryFile> open_chain_file(FileReader reader,
                                                           std::size_t max_block_bytes);

}  // namespace heddle::consensus_adapter
