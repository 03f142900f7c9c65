// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A state for tests of what is read ahead.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "comes_true.hpp"
#include "forwarding_state.hpp"

namespace heddle::executor::test {

/// In memory. Whoever executes waits, after some slots, until others have read so many.
class AwaitingSlots final : public ForwardingState {
public:
    explicit AwaitingSlots(const StateView& state)
        : ForwardingState(state), executing_(std::this_thread::get_id()) {}

    /// @param after  Reads of who executes.
    void await(std::size_t after, std::size_t reads_of_others) {
        left_ = after;
        awaited_ = reads_of_others;
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        if (std::this_thread::get_id() != executing_)
            reads_of_others_.fetch_add(1);
        else if (left_-- == 0)
            has_waited_ =
                heddle::test::comes_true([this] { return reads_of_others_.load() >= awaited_; });
        return ForwardingState::storage(address, slot);
    }
    [[nodiscard]] bool is_in_memory() const noexcept override { return true; }

    [[nodiscard]] std::size_t reads_of_others() const noexcept { return reads_of_others_; }
    [[nodiscard]] bool has_waited() const noexcept { return has_waited_; }

private:
    const std::thread::id executing_;
    std::size_t awaited_ = 0;
    mutable std::size_t left_ = SIZE_MAX;
    mutable std::atomic<std::size_t> reads_of_others_ = 0;
    mutable bool has_waited_ = false;
};

}  // namespace heddle::executor::test
