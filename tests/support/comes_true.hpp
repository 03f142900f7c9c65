// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Waiting for something, without a clock by which a busy machine would be too late.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace heddle::test {

/// Whether it becomes so within as many looks as fit into a minute. They are counted, not time, of
/// which a busy machine, or one that stood still, gives nobody anything.
template <typename Condition>
bool comes_true(Condition condition, std::size_t looks = 12'000) {
    for (; looks > 0; --looks) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return false;
}

/// The same of what `changed` tells of. With the lock, which is let go of meanwhile.
template <typename Condition>
bool comes_true(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                Condition condition, std::size_t looks = 12'000) {
    for (; looks > 0; --looks)
        if (changed.wait_for(lock, std::chrono::milliseconds{5}, condition)) return true;
    return false;
}

}  // namespace heddle::test
