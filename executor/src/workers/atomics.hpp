// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the templates of this folder and of the stream take from outside: real atomics and threads.
// tests/schedule puts others in their place, of which it decides who goes on when.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

namespace heddle::executor {

struct StandardAtomics {
    template <typename T>
    using Atomic = std::atomic<T>;
    using Mutex = std::mutex;
    using Thread = std::thread;
    /// How long one looks before one sleeps or gives up, in times of the usual.
    static constexpr unsigned kPatience = 1;
    /// A counter that gets on with time at a steady rate, whichever: of the processor where it has
    /// one that costs a few nanoseconds to read.
    [[nodiscard]] static std::int64_t ticks() noexcept {
#if defined(__x86_64__)
        return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
        return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
    }
};

/// What the stream as a whole is built on, where its parts meet: roles, window, queues, states of
/// tasks, ends of blocks, sleeping. tests/schedule compiles the executor a second time to drive it
/// through chosen schedules.
#if defined(HEDDLE_EXPLORED_STREAM)
using StreamAtomics = ::heddle::test::ExploredStream;
#else
using StreamAtomics = StandardAtomics;
#endif

}  // namespace heddle::executor
