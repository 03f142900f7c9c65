// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of a new header that follows from its parent and its body, before anything runs.
#pragma once

#include <types/ancestor.hpp>
#include <types/block.hpp>
#include <types/chain_config.hpp>

namespace heddle::executor {

/// Fills in the block's header but for what execution decides. `is_merged` as in vm.
void prepare_proposal(Block& block, const Ancestor& parent, const ChainConfig& config,
                      bool is_merged);

}  // namespace heddle::executor
