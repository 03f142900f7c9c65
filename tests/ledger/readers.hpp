// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that read while a test changes what they read.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace heddle::test {

/// Threads that read again and again until they are told to stop; each reads at least once.
class Readers {
public:
    Readers() = default;
    Readers(std::size_t count, const std::function<bool()>& is_right) {
        for (std::size_t i = 0; i < count; ++i)
            add(is_right);
    }
    /// One more thread. @param is_right  Reads, and says whether that is as it should be.
    void add(const std::function<bool()>& is_right) {
        threads_.emplace_back([this, is_right] {
            do {
                if (!is_right()) ++wrong_;
            } while (!is_done_);
        });
    }
    /// @return how many reads were wrong.
    [[nodiscard]] std::size_t stop() {
        is_done_ = true;
        threads_.clear();
        return wrong_;
    }

private:
    std::atomic<bool> is_done_ = false;
    std::atomic<std::size_t> wrong_ = 0;
    std::vector<std::jthread> threads_;
};

}  // namespace heddle::test
