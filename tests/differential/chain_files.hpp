// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A generated chain as the files that `heddle replay` and `geth import` read.
#pragma once

#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/genesis.hpp>

namespace heddle::test {

/// A genesis file in geth's format. The header's state root is not part of it.
///
/// geth wants to hear of the merge on every chain, and takes Petersburg to come with Constantinople
/// where it is not told: a chain without them says that they come where it never gets to.
[[nodiscard]] std::string genesis_json(const Genesis& genesis);

/// Its accounts alone, as `t8n` reads them, too.
[[nodiscard]] std::string alloc_json(const std::vector<GenesisAccount>& alloc);

/// The blocks, RLP, one after another.
[[nodiscard]] Bytes chain_rlp(const std::vector<Block>& blocks);

}  // namespace heddle::test
