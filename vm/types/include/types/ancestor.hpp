// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a block needs to know of the blocks before it to judge its ommers.
#pragma once

#include <vector>

#include <types/block.hpp>
#include <types/hash.hpp>

namespace heddle {

/// A block of the chain that a new block extends.
struct Ancestor {
    BlockHeader header;
    Hash hash;                 // of `header`
    std::vector<Hash> ommers;  // hashes of the ommers it includes
};

/// Generations back to which ommers reach (YP 11.1): the parent, and six before it.
inline constexpr std::size_t kAncestorsForOmmers = 7;

}  // namespace heddle
