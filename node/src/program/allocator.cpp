// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/allocator.hpp"

#include <mimalloc.h>

// Absent where another allocator is linked.
#pragma weak mi_option_set

namespace heddle::node {

void hold_freed_memory(std::chrono::milliseconds time) noexcept {
    if (&mi_option_set != nullptr) mi_option_set(mi_option_decommit_delay, time.count());
}

}  // namespace heddle::node
