// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block that is announced, made ready for its transactions.
#pragma once

#include <memory>

#include <types/chain_config.hpp>

#include <executor/executor.hpp>

#include "stream/block_run.hpp"
#include "stream/chain_tip.hpp"
#include "stream/in_flight_hashes.hpp"

namespace heddle::executor {

/// With room for the transactions that are announced.
[[nodiscard]] std::shared_ptr<BlockRun> make_block_run(BlockStart start);

/// Checks the header, or makes it, and fills in what follows from it: environment, hash. What is
/// wrong with it goes into the block.
/// @param tip     Where the block goes.
/// @param hashes  Gets the block's, unless the header is being made.
void open_block(BlockRun& block, const ChainTip& tip, const ChainConfig& config,
                InFlightHashes& hashes);

/// Of which blocks the access lists are made.
[[nodiscard]] vm::AccessListMaking access_list_making(const Options& options) noexcept;

}  // namespace heddle::executor
