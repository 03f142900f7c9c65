// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a tracer is told of each instruction that the plain interpreter executes: the machine as it
// was, what the instruction cost, and how it failed, as geth's traces have it. Calls are told by
// trace_calls.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/uint256.hpp>

#include <vm/opcode.hpp>
#include <vm/status.hpp>
#include <vm/tracer.hpp>

#include "frame.hpp"
#include "trace_calls.hpp"
#include "unpaid_cost.hpp"

namespace heddle::vm {

/// One run of the traced interpreter: reports every instruction once it has been executed, with the
/// machine as it was before it, because only then the cost is known.
class StepWatch {
public:
    StepWatch(Frame& frame, Tracer& tracer)
        : frame_(frame),
          tracer_(tracer),
          wanted_(tracer.wanted_steps()),
          with_memory_(tracer.steps_with_memory()) {
        step_.revision = frame.schedule->revision;
    }

    /// Before the instruction at `pc` is executed. The next one on the stack goes to `sp`.
    void before(std::uint32_t pc, const Uint256* sp, std::int64_t gas) {
        const std::uint8_t opcode = frame_.code->padded()[pc];
        step_.pc = pc;
        step_.opcode = opcode;
        step_.gas_left = gas;
        memory_before_ = frame_.memory.size();
        spilled_before_ = frame_.state->state_gas().spilled();
        sp_before_ = sp;
        // Empty code ends at once; nobody speaks of an instruction there.
        is_wanted_ = wanted_[opcode] && !frame_.code->bytes().empty();
        if (is_wanted_) keep(sp);
        if (opcode == OP_SELFDESTRUCT && sp != frame_.stack_base) {
            logs_before_ = frame_.state->logs().size();
            beneficiary_ = address_from_word(sp[-1]);
            balance_ = frame_.self->account.balance;
        }
    }

    /// It has been executed, or has failed.
    /// @param goes_on  Whether the frame does.
    /// @return false: the transaction is to end.
    bool after(bool goes_on, const Uint256* sp, std::int64_t gas) {
        const bool has_ended = !goes_on && frame_.exit == Exit::done;
        const bool has_failed =
            has_ended && frame_.status != Status::success && frame_.status != Status::revert;
        if (is_wanted_ || has_failed) report(goes_on, has_failed, sp, gas);
        if (!has_failed) tell_events(has_ended);
        const bool asks = is_wanted_ || ++unasked_ == kStepsUnasked;
        if (!asks) return true;
        unasked_ = 0;
        return !tracer_.wants_abort();
    }

private:
    static constexpr std::uint32_t kStepsUnasked = 1024;  // between two looks whether to go on

    /// The machine as it is, for the tracer to look at afterwards.
    void keep(const Uint256* sp);
    /// Tells the tracer, and before that finds out what it is told.
    void report(bool goes_on, bool has_failed, const Uint256* sp, std::int64_t gas);
    /// Of a creation that was refused, too, or whose account could not be paid (EIP-8037): that is
    /// found out when its own price has been charged.
    [[nodiscard]] std::optional<Address> address_of_creation(bool has_failed) const noexcept;
    /// Gas that a call has taken along or brought back, as far as it is not part of its cost or is
    /// part of it in spite of that: the cost of a call includes what it passes on, that of a
    /// creation does not.
    [[nodiscard]] std::int64_t gas_lent(bool goes_on) const noexcept;
    /// Whether the instruction failed before its cost was charged, or, from EIP-7702 on, in the
    /// midst of what a call costs; or before anybody looked at whom it leaves its balance to.
    [[nodiscard]] bool shows_first_cost() const noexcept;
    void look_at_unpaid_call() noexcept;
    /// What belongs to the cost of an instruction that failed before it was charged: that of a cold
    /// slot.
    [[nodiscard]] std::int64_t uncharged_gas() const noexcept;
    [[nodiscard]] Status failure_of_step() noexcept;
    /// However much of it was charged until it showed that it could not be paid.
    void tell_whole_cost() noexcept;
    /// A self-destruction that could not pay shows all of its price, and what it would have given
    /// back: until EIP-2929 at once, since then if it could pay for looking at its beneficiary.
    void tell_unpaid_destruction() noexcept;
    /// Of a slot whose loading could not be paid.
    [[nodiscard]] Uint256 slot_value(const Uint256& slot) const noexcept;
    /// What the instruction did that is told apart.
    void tell_events(bool has_ended) {
        if (frame_.refusal != Status::success) trace_refusal(tracer_, frame_);
        if (step_.opcode == OP_SELFDESTRUCT && has_ended) tell_transfer();
        if (step_.opcode == OP_SELFDESTRUCT && has_ended)
            trace_self_destruction(tracer_, frame_, beneficiary_, balance_);
        if (step_.opcode >= OP_LOG0 && step_.opcode <= OP_LOG4) {
            const std::vector<Log>& logs = frame_.state->logs();
            tracer_.on_log(logs.back(), logs.size() - 1);
        }
    }
    /// A self-destruction has logged the transfer that it made (EIP-7708).
    void tell_transfer();

    Frame& frame_;
    Tracer& tracer_;
    const OpcodeSet& wanted_;
    const OpcodeSet& with_memory_;
    std::uint32_t unasked_ = 0;

    // The instruction that is being executed.
    bool is_wanted_ = false;
    TraceStep step_;
    CallEnd call_end_ = CallEnd::at_all_of_it;
    bool callee_is_cold_ = false;
    const Uint256* sp_before_ = nullptr;
    std::uint64_t memory_before_ = 0;  // bytes
    std::int64_t spilled_before_ = 0;  // StateGas::spilled()
    std::size_t logs_before_ = 0;      // of the transaction
    Address beneficiary_;
    Uint256 balance_;

    // The machine before it, where it is wanted.
    std::vector<Uint256> stack_;
    Bytes memory_;
    Bytes return_data_;
};

}  // namespace heddle::vm
