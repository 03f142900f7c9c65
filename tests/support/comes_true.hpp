// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Waiting for something that tells nobody when it happens.
#pragma once

#include <chrono>
#include <cstddef>
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

}  // namespace heddle::test
