// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The data path's first step: from a source of order into an executor.
#pragma once

#include <expected>
#include <string>
#include <variant>

#include <types/block_error.hpp>

#include <consensus_adapter/block_source.hpp>
#include <executor/executor.hpp>

namespace heddle::consensus_adapter {

/// Either no more blocks could be read, or one was rejected.
using PumpError = std::variant<SourceError, BlockError>;
[[nodiscard]] std::string to_string(const PumpError& error);

/// Moves every block of `source` through `executor`, which has been started, and drains it.
/// Errors: the first rejected block, else the source's failure; blocks before it are accepted.
/// Thread safety: both are used by this thread only.
[[nodiscard]] std::expected<executor::Summary, PumpError> pump(BlockSource& source,
                                                               executor::Executor& executor);

}  // namespace heddle::consensus_adapter
