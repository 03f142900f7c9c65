// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What was changed, as callers ask for it.
#pragma once

#include <heddle.h>

#include <types/state_diff.hpp>

/// Ascending by address, slot and hash.
struct heddle_changes {
    heddle::StateDiff diff;
};

namespace heddle::library {

/// In the order in which callers see it: executors have others, each its own.
[[nodiscard]] StateDiff sorted(StateDiff diff);

}  // namespace heddle::library
