// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The logs of a simulated transaction in the order in which they came about, and, where it is
// wanted, moves of ether among them as if they were logs (ERC-7528).
#pragma once

#include <cstdint>
#include <vector>

#include <types/receipt.hpp>

#include "simulation/call_error.hpp"
#include "simulation/deadline.hpp"

namespace heddle::node::simulation {

struct SimulatedLog {
    Log log;
    /// In the block; logs that were undone have counted, as in ethereum/execution-apis.
    std::uint32_t index = 0;
};

/// Names halts as well. Thread safety: none.
class LogTracer final : public HaltTracer {
public:
    LogTracer(bool with_transfers, const Deadline& deadline)
        : HaltTracer(deadline), with_transfers_(with_transfers) {}

    void on_enter(const vm::TraceCall& call) noexcept override;
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override;
    void on_log(const Log& log, std::size_t index) noexcept override;

    /// What follows is another block's.
    void start_block() noexcept { count_ = 0; }
    /// What follows is another transaction's.
    void start_transaction() noexcept {
        forget_halt();
        calls_.assign(1, {});
    }
    /// Those of the transaction that remain.
    [[nodiscard]] std::vector<SimulatedLog> take_logs() noexcept;

private:
    void add(Log log);

    const bool with_transfers_;
    std::uint32_t count_ = 0;
    /// Of the calls that are open, innermost last; the first is the transaction's.
    std::vector<std::vector<SimulatedLog>> calls_{1};
};

}  // namespace heddle::node::simulation
