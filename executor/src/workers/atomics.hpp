// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the lock-free protocols take their atomics from: they are templates, so that the tests can
// put a scheduler of their own in place of the machine's (tests/schedule).
#pragma once

#include <atomic>

namespace heddle::executor {

struct StandardAtomics {
    template <typename T>
    using Atomic = std::atomic<T>;
};

}  // namespace heddle::executor
