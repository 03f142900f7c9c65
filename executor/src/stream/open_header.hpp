// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The header of the next block, before anything of it runs: checked, or made.
#pragma once

#include <expected>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/chain_config.hpp>

#include <executor/executor.hpp>

#include "stream/chain_tip.hpp"

namespace heddle::executor {

/// Whether the header is no claim but comes about here.
[[nodiscard]] constexpr bool makes_header(BlockMode mode) noexcept {
    return mode == BlockMode::propose || mode == BlockMode::decided;
}

/// Where the header is being made, what follows from parent and body is filled in; where the parent
/// is known, the header is checked against it.
/// @param tip  Where the block goes; its parent is known but in witness mode.
/// Errors: as vm::validate_header(), or unknown_parent.
[[nodiscard]] std::expected<void, BlockError> open_header(Block& block, BlockMode mode,
                                                          const ChainTip& tip,
                                                          const ChainConfig& config);

}  // namespace heddle::executor
