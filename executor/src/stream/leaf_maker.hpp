// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one thread makes the leaves of a block's tries with: buffers, and hashes that come up again.
#pragma once

#include <cstdint>

#include <types/ordered_root.hpp>
#include <types/receipt_blooms.hpp>

namespace heddle::executor {

/// Leaves that follow one another in a trie.
struct LeafRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    /// Of all that the trie is going to have, as far as it is known, see ListPlace.
    std::uint32_t count = 0;
};

/// Thread safety: none.
struct LeafMaker {
    OrderedLeaves leaves;
    BloomMaker blooms;
};

}  // namespace heddle::executor
