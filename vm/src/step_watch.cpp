// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "step_watch.hpp"

#include <utility>

namespace heddle::vm {
namespace {

constexpr bool is_message_call(std::uint8_t opcode) noexcept {
    return opcode == OP_CALL || opcode == OP_CALLCODE || opcode == OP_DELEGATECALL ||
           opcode == OP_STATICCALL;
}

}  // namespace

void StepWatch::keep(const Uint256* sp) {
    stack_.assign(static_cast<const Uint256*>(frame_.stack_base), sp);
    memory_.clear();
    if (with_memory_[step_.opcode] && frame_.memory.size() != 0)
        memory_.assign(frame_.memory.data(), frame_.memory.data() + frame_.memory.size());
    return_data_.assign(frame_.return_data.begin(), frame_.return_data.end());
    step_.gas_refund = frame_.state->refund();
    step_.memory_size = frame_.memory.size();
    step_.stack = stack_;
    step_.memory = memory_;
    step_.return_data = return_data_;
}

void StepWatch::report(bool goes_on, bool has_failed, const Uint256* sp, std::int64_t gas) {
    const OpcodeTraits& traits = frame_.schedule->opcodes[step_.opcode];
    if (!is_wanted_) {
        step_.gas_refund = frame_.state->refund();
        step_.memory_size = frame_.memory.size();
        // What was popped is still there unless it was written over.
        step_.stack = {static_cast<const Uint256*>(frame_.stack_base), sp_before_};
        step_.memory = {};
        step_.return_data = {};
    }
    // Without what pays for growing the state, or comes back for it (EIP-8037).
    const std::int64_t spilled = frame_.state->state_gas().spilled() - spilled_before_;
    step_.gas_cost = step_.gas_left - gas - spilled + gas_lent(goes_on);
    const bool is_unpaid_call =
        has_failed && frame_.status == Status::out_of_gas && is_message_call(step_.opcode);
    call_end_ = CallEnd::at_all_of_it;
    if (is_unpaid_call) look_at_unpaid_call();
    step_.ends_at_parts = call_end_ == CallEnd::at_its_parts;
    if (has_failed && shows_first_cost())
        step_.gas_cost = first_cost(step_.opcode, *frame_.schedule);
    if (has_failed) step_.gas_cost += uncharged_gas();
    if (has_failed && frame_.status == Status::out_of_gas) tell_whole_cost();
    step_.depth = frame_.depth + 1;
    step_.address = frame_.self->address;
    step_.stack_required = traits.stack_required;
    if (is_deep(step_.opcode)) {
        step_.immediate = frame_.code->padded()[step_.pc + 1];
        step_.stack_required = deep_operands(step_.opcode, step_.immediate).stack_required();
    }
    step_.stack_change = traits.stack_change;
    // Refunds belong to the cost of an instruction, so they show with it.
    if (step_.opcode == OP_SSTORE || step_.opcode == OP_SELFDESTRUCT)
        step_.gas_refund = frame_.state->refund();
    if (step_.opcode == OP_SELFDESTRUCT && has_failed && frame_.status == Status::out_of_gas)
        tell_unpaid_destruction();
    if (step_.opcode == OP_SLOAD && !step_.stack.empty())
        step_.loaded = has_failed ? slot_value(step_.stack.back()) : sp[-1];
    step_.created = address_of_creation(has_failed);
    const Status failure = has_failed ? failure_of_step() : Status::success;
    tracer_.on_step(step_, failure);
}

std::optional<Address> StepWatch::address_of_creation(bool has_failed) const noexcept {
    if (step_.opcode != OP_CREATE && step_.opcode != OP_CREATE2) return std::nullopt;
    if (has_failed) {
        if (frame_.status != Status::out_of_gas) return std::nullopt;
        const auto price = unpaid_cost(step_, memory_before_, *frame_.schedule);
        if (!price.has_value() || *price > step_.gas_left) return std::nullopt;
    }
    return created_address(frame_.pending, frame_.self->account.nonce);
}

std::int64_t StepWatch::gas_lent(bool goes_on) const noexcept {
    const Message& message = frame_.pending;
    if (!goes_on && frame_.exit == Exit::create) return -message.gas;
    if (frame_.refusal == Status::success || message.code_account == nullptr) return 0;
    return message.gas;
}

bool StepWatch::shows_first_cost() const noexcept {
    const std::int64_t cold = frame_.schedule->selfdestruct_cold_account;
    // From Amsterdam on geth adds that it would have to be looked at.
    const bool is_unseen = !frame_.schedule->at_least(Revision::amsterdam) &&
                           step_.opcode == OP_SELFDESTRUCT && frame_.status == Status::out_of_gas &&
                           cold != 0 &&
                           step_.gas_cost == frame_.schedule->opcodes[step_.opcode].gas + cold;
    return is_unseen || frame_.status == Status::stack_underflow ||
           frame_.status == Status::stack_overflow || call_end_ != CallEnd::at_all_of_it;
}

void StepWatch::look_at_unpaid_call() noexcept {
    const auto needed = frame_.schedule->opcodes[step_.opcode].stack_required;
    if (std::cmp_less(step_.stack.size(), needed)) return;
    const Address address = address_from_word(step_.stack[step_.stack.size() - 2]);
    callee_is_cold_ = !frame_.state->account_entry(address).is_warm;
    call_end_ = end_of_unpaid_call(step_, memory_before_, callee_is_cold_, *frame_.schedule);
}

std::int64_t StepWatch::uncharged_gas() const noexcept {
    if (step_.opcode != OP_SLOAD || frame_.status != Status::out_of_gas ||
        step_.gas_cost != frame_.schedule->warm_access || step_.stack.empty())
        return 0;
    const SlotEntry& slot = frame_.state->slot_entry(*frame_.self, step_.stack.back());
    return slot.is_warm ? 0 : frame_.schedule->cold_slot;
}

Status StepWatch::failure_of_step() noexcept {
    const GasSchedule& schedule = *frame_.schedule;
    const std::uint64_t most_init_code =
        frame_.tx->block->any_code_size ? kNoLimit : schedule.limits.max_init_code_bytes;
    return failure_as_told(step_, frame_.status, memory_before_, most_init_code, schedule);
}

void StepWatch::tell_whole_cost() noexcept {
    if (is_message_call(step_.opcode)) {
        if (call_end_ == CallEnd::at_all_of_it)
            step_.gas_cost =
                cost_of_unpaid_call(step_, memory_before_, callee_is_cold_, *frame_.schedule);
        return;
    }
    const auto cost = unpaid_cost(step_, memory_before_, *frame_.schedule);
    const bool reads_code = step_.opcode == OP_EXTCODESIZE || step_.opcode == OP_EXTCODECOPY;
    if (!cost && reads_code) step_.gas_cost = first_cost(step_.opcode, *frame_.schedule);
    if (!cost) return;
    step_.gas_cost = *cost;
    if (!reads_code) return;
    const Address address = address_from_word(step_.stack.back());
    if (!frame_.state->account_entry(address).is_warm)
        step_.gas_cost += frame_.schedule->cold_account;
}

void StepWatch::tell_unpaid_destruction() noexcept {
    const GasSchedule& schedule = *frame_.schedule;
    const std::int64_t least = schedule.opcodes[OP_SELFDESTRUCT].gas;
    if (step_.stack.empty()) return;
    if (!schedule.at_least(Revision::berlin)) {
        TransactionState& state = *frame_.state;
        AccountEntry& beneficiary = state.account_entry(address_from_word(step_.stack.back()));
        state.ensure_loaded(beneficiary);
        const bool is_funded = !frame_.self->account.balance.is_zero() ||
                               !schedule.at_least(Revision::spurious_dragon);
        const bool is_new = is_funded && state.is_dead(beneficiary);
        step_.gas_cost = least + (is_new ? schedule.selfdestruct_new_account : 0);
    } else if (step_.gas_cost <= least) {
        return;
    }
    if (!frame_.self->is_destructed) step_.gas_refund += schedule.selfdestruct_refund;
}

Uint256 StepWatch::slot_value(const Uint256& slot) const noexcept {
    return frame_.state->peek(*frame_.self, slot);
}

void StepWatch::tell_transfer() {
    const std::vector<Log>& logs = frame_.state->logs();
    if (logs.size() != logs_before_) tracer_.on_log(logs.back(), logs.size() - 1);
}

}  // namespace heddle::vm
