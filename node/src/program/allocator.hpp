// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The allocator that the program is linked with, as far as it is told anything.
#pragma once

namespace heddle::node {

/// Memory that is freed goes back to the system at once, not after a delay: a node's memory is then
/// bounded by what it holds, also while many large answers come and go. Without effect where the
/// program is linked without mimalloc (sanitizers, tests).
void return_freed_memory_at_once() noexcept;

}  // namespace heddle::node
