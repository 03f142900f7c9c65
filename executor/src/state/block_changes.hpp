// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one block has changed so far, as the committed state notes it.
#pragma once

#include <cstdint>
#include <vector>

#include <types/hash.hpp>

#include "state/versioned_state.hpp"

namespace heddle::executor {

/// Set by whoever begins the block; the lists are the committer's.
struct BlockChanges {
    /// Counts the blocks of an executor from 1 on: marks the cells that the block has changed.
    std::uint64_t serial = 0;
    Stamp first_stamp = 0;               // of the task that begins the block
    std::vector<AccountCell*> accounts;  // in order of their first change
    std::vector<Hash> codes;
};

}  // namespace heddle::executor
