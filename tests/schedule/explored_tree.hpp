// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tree of a write buffer is built on when its schedules are explored (see
// storage/tree_atomics.hpp). Whoever would look again and again sleeps until there is something
// else to see.
#pragma once

#include <cstdint>

#include "explored_atomics.hpp"

namespace heddle::test {

struct ExploredTree {
    template <typename T>
    using Atomic = ExploredAtomic<T>;
    static void wait(const Atomic<std::uint32_t>& version, std::uint32_t found,
                     unsigned /*looks*/) noexcept {
        version.wait(found);
    }
    static void changed(Atomic<std::uint32_t>& version) noexcept { version.notify_all(); }
};

}  // namespace heddle::test
