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

#include "stream/block_finisher.hpp"
#include "stream/code_turn.hpp"
#include "values/listed_run.hpp"
#include "workers/atomics.hpp"

namespace heddle::executor {

/// Ends executions of a block whose list has been refuted, and where more is executed than the
/// block can have paid for. Of those that keep much code one goes on at a time.
/// Thread safety: none, its worker's.
class RefutationSupervisor final : public vm::Supervisor {
public:
    /// @param code_turn  Whether one has the turn.
    RefutationSupervisor(ListedRun& run, const BlockFinisher& finisher, const vm::Evm& evm,
                         StreamAtomics::Atomic<bool>& code_turn)
        : run_(run), finisher_(finisher), code_turn_(evm, code_turn) {}
    RefutationSupervisor(const RefutationSupervisor&) = delete;
    RefutationSupervisor& operator=(const RefutationSupervisor&) = delete;
    ~RefutationSupervisor() override = default;
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        if (is_over() || !code_turn_.have([this] { return is_over(); })) return kStop;
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

    ListedRun& run_;
    const BlockFinisher& finisher_;
    CodeTurn code_turn_;
    std::int64_t drawn_ = 0;
};

}  // namespace heddle::executor
