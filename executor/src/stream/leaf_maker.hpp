// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one thread makes the leaves of a block's tries with: buffers, and hashes that come up again.
#pragma once

#include <types/ordered_root.hpp>
#include <types/receipt_blooms.hpp>

namespace heddle::executor {

/// Thread safety: none.
struct LeafMaker {
    OrderedLeaves leaves;
    BloomMaker blooms;
};

}  // namespace heddle::executor
