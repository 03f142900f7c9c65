// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a transaction of a block that is executed from its access list goes on.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <vm/evm.hpp>
#include <vm/supervisor.hpp>

#include "stream/attempt_supervisor.hpp"
#include "stream/block_finisher.hpp"
#include "values/listed_run.hpp"
#include "workers/atomics.hpp"

namespace heddle::executor {

/// Ends executions of a block whose list has been refuted, and where more is executed than the
/// block can have paid for. Of those that keep much code one goes on at a time: each may keep
/// hundreds of megabytes. It waits for nobody, so those that wait for it wait as long as one
/// transaction takes.
/// Thread safety: none, its worker's.
class RefutationSupervisor final : public vm::Supervisor {
public:
    /// @param code_turn  Whether one has the turn.
    RefutationSupervisor(ListedRun& run, const BlockFinisher& finisher, const vm::Evm& evm,
                         StreamAtomics::Atomic<bool>& code_turn)
        : run_(run), finisher_(finisher), evm_(evm), code_turn_(code_turn) {}
    RefutationSupervisor(const RefutationSupervisor&) = delete;
    RefutationSupervisor& operator=(const RefutationSupervisor&) = delete;
    ~RefutationSupervisor() override {
        if (has_code_turn_) code_turn_.store(false, std::memory_order_release);
    }
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        if (is_over()) return kStop;
        if (evm_.keeps_much_code() && !wait_for_code_turn()) return kStop;
        if (gas_used - drawn_ >= kDrawnAtOnce && !draw(gas_used)) return kStop;
        return gas_used + kUsualStep;
    }
    /// Draws what the execution has used so far. @return false: the block has not so much.
    [[nodiscard]] bool draw(std::int64_t gas_used) noexcept {
        const std::int64_t gas = gas_used - std::exchange(drawn_, gas_used);
        return gas <= 0 || run_.gas_left.fetch_sub(gas, std::memory_order_relaxed) >= gas;
    }

private:
    /// All workers draw from one number, so not at every look.
    static constexpr std::int64_t kDrawnAtOnce = 50'000;

    [[nodiscard]] bool is_over() const noexcept {
        return run_.is_refuted.load(std::memory_order_relaxed) || finisher_.is_halted();
    }
    /// @return false: it is over before that. Nothing but memory is handed over with the turn,
    /// which the one before has given back.
    [[nodiscard]] bool wait_for_code_turn() noexcept {
        for (LookPause pause; !has_code_turn_; pause.take()) {
            if (is_over()) return false;
            has_code_turn_ = !code_turn_.exchange(true, std::memory_order_acquire);
        }
        return true;
    }

    ListedRun& run_;
    const BlockFinisher& finisher_;
    const vm::Evm& evm_;
    StreamAtomics::Atomic<bool>& code_turn_;
    bool has_code_turn_ = false;
    std::int64_t drawn_ = 0;
};

}  // namespace heddle::executor
