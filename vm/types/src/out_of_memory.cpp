// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/out_of_memory.hpp>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace heddle {

void fail_allocation() {
    // operator new knows what to do where there is no memory; nobody has so much.
    const volatile std::size_t size = std::numeric_limits<std::ptrdiff_t>::max();
    static_cast<void>(::operator new(size));
    std::abort();
}

}  // namespace heddle
