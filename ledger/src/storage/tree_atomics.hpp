// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tree of a write buffer takes from outside: real atomics, and how one waits for the end
// of a change. tests/schedule compiles the tree a second time with others in their place, of which
// it decides who goes on when.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace heddle::ledger {

struct StandardTreeAtomics {
    template <typename T>
    using Atomic = std::atomic<T>;

    /// By whoever has looked so often and has always found the same.
    static void wait(const Atomic<std::uint32_t>& /*version*/, std::uint32_t /*found*/,
                     unsigned looks) noexcept {
        // A writer that was interrupted amid a change lasts longer than this.
        constexpr unsigned kSpins = 64;
        if (looks > kSpins) std::this_thread::yield();
    }
    /// For those who wait.
    static void changed(Atomic<std::uint32_t>& /*version*/) noexcept {}
};

#if defined(HEDDLE_EXPLORED_TREE)
using TreeAtomics = ::heddle::test::ExploredTree;
#else
using TreeAtomics = StandardTreeAtomics;
#endif

}  // namespace heddle::ledger
