// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of several executions may make its machine keep much code.
#pragma once

#include <atomic>

#include <vm/evm.hpp>

#include "workers/atomics.hpp"
#include "workers/look_pause.hpp"

namespace heddle::executor {

/// Of executions that keep much code (vm::Evm::keeps_much_code()) one goes on at a time: each may
/// keep hundreds of megabytes. It waits for nobody, so those that wait for it wait as long as one
/// transaction takes; and what they find is the same as without waiting.
///
/// States of `is_taken`: false, true. Who exchanges it for true (acquire) has the turn, and gives
/// it back (release) when its execution has ended. Nothing but memory is handed over with it.
/// Thread safety: none, its worker's. The flag is shared.
class CodeTurn {
public:
    /// @param is_taken  Whether one has the turn.
    CodeTurn(const vm::Evm& evm, StreamAtomics::Atomic<bool>& is_taken)
        : evm_(evm), is_taken_(is_taken) {}
    CodeTurn(const CodeTurn&) = delete;
    CodeTurn& operator=(const CodeTurn&) = delete;
    ~CodeTurn() {
        if (is_mine_) is_taken_.store(false, std::memory_order_release);
    }
    /// From vm::Supervisor::on_gas(): has the turn where one is needed.
    /// @param is_over  Whether waiting is in vain.
    /// @return false: it was.
    template <typename IsOver>
    [[nodiscard]] bool have(IsOver&& is_over) noexcept {
        if (is_mine_ || !evm_.keeps_much_code()) [[likely]]
            return true;
        for (LookPause pause; !is_mine_; pause.take()) {
            if (is_over()) return false;
            is_mine_ = !is_taken_.exchange(true, std::memory_order_acquire);
        }
        return true;
    }

private:
    const vm::Evm& evm_;
    StreamAtomics::Atomic<bool>& is_taken_;
    bool is_mine_ = false;
};

}  // namespace heddle::executor
