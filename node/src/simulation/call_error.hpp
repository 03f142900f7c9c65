// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a call failed, in geth's words and codes: reverts with their decoded reasons, calls that
// cannot be executed, and code that halted.
#pragma once

#include <cstdint>
#include <string>

#include <types/block.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>
#include <vm/simulate.hpp>
#include <vm/status.hpp>
#include <vm/tracer.hpp>

#include "simulation/deadline.hpp"
#include "simulation/failure.hpp"

namespace heddle::node::simulation {

/// "execution reverted", with the reason where the data is Solidity's Error(string) or
/// Panic(uint256).
[[nodiscard]] std::string revert_text(BytesView data);
/// With the data as it is.
[[nodiscard]] Failure revert_error(BytesView data);

/// Why vm::validate_call() refused `tx`, with the figures that contradict each other.
/// @param lists  That it has beside those of vm::lists_of().
[[nodiscard]] std::string rejection_text(TransactionError error, const Transaction& tx,
                                         const StateView& state, const BlockEnv& env,
                                         const vm::CallLists& lists = {});

/// Remembers the instruction that ended the outermost call, so that the halt can be named. Ends
/// what runs beyond the deadline.
class HaltTracer : public vm::Tracer {
public:
    explicit HaltTracer(const Deadline& deadline) : deadline_(deadline) {}

    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override {
        return sized_steps();
    }
    [[nodiscard]] bool wants_abort() const noexcept override { return deadline_.has_passed(); }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;

    /// Before each further outermost call: some end without an instruction of their own.
    void forget_halt() noexcept {
        halt_.clear();
        code_size_ = {};
    }
    /// Those that text() needs beside the ones that fail.
    [[nodiscard]] static const vm::OpcodeSet& sized_steps() noexcept;
    /// Names how the outermost call ended.
    /// @param precompile  The precompiled contract that `tx` calls, or 0.
    [[nodiscard]] std::string text(vm::Status status, std::uint32_t precompile,
                                   const Transaction& tx) const;

private:
    const Deadline deadline_;
    std::string halt_;  // why the last step failed; empty: it did not
    Revision revision_ = kLatestRevision;
    Uint256 code_size_;  // that the last RETURN would make
};

}  // namespace heddle::node::simulation
