// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <optional>

#include "code_cache.hpp"
#include "machine.hpp"
#include "state_access.hpp"

namespace heddle::vm::instructions {
namespace {

struct CallOperands {
    Uint256 gas;
    Uint256 to;
    Uint256 value;
    Uint256 input_offset;
    Uint256 input_size;
    Uint256 result_offset;
    Uint256 result_size;
};

constexpr bool takes_value(CallKind kind) {
    return kind == CallKind::call || kind == CallKind::call_code;
}

CallOperands pop_operands(CallKind kind, Uint256*& sp) noexcept {
    CallOperands operands;
    operands.gas = *--sp;
    operands.to = *--sp;
    if (takes_value(kind)) operands.value = *--sp;
    operands.input_offset = *--sp;
    operands.input_size = *--sp;
    operands.result_offset = *--sp;
    operands.result_size = *--sp;
    return operands;
}

/// EIP-7702: the account whose code stands in for the target's. Charges for reaching it.
/// @return false when the gas does not suffice.
bool resolve_delegation(Frame& frame, std::int64_t& gas, Message& message) noexcept {
    message.delegate = nullptr;
    const Revision revision = frame.schedule->revision;
    AccountEntry& account = *message.code_account;
    if (revision < Revision::prague || !account.account.has_code()) return true;
    // Mostly it runs next, so it is fetched as what runs is, once.
    const BytesView code = frame.machine->code_of(account).code->bytes();
    const std::optional<Address> target = delegation_target(code, revision);
    if (!target) return true;
    if (!charge(frame, gas, frame.schedule->warm_access)) return false;
    message.delegate = access_account(frame, gas, *target);
    return message.delegate != nullptr;
}

/// A call that brings an account into being pays for it, before EIP-8037 in gas for execution.
bool charge_new_account(Frame& frame, std::int64_t& gas, CallKind kind, const AccountEntry& target,
                        bool has_value) noexcept {
    const GasSchedule& schedule = *frame.schedule;
    // EIP-161 spares calls without value.
    const bool may_create =
        kind == CallKind::call && (has_value || schedule.revision < Revision::spurious_dragon);
    return !may_create || !frame.state->is_dead(target) || charge(frame, gas, schedule.new_account);
}

/// The same in state gas, which the caller gets back if the account does not come to be.
bool charge_new_account_state(Frame& frame, std::int64_t& gas,
                              const AccountEntry& account) noexcept {
    std::int64_t& paid = frame.pending.new_account_gas;
    paid = frame.state->is_dead(account) ? frame.schedule->state.new_account : 0;
    return paid == 0 || charge_state(frame, gas, paid);
}

/// Gas to pass on, from what is left after everything else (EIP-150); nullopt: more was asked for
/// than there is, before EIP-150.
std::optional<std::int64_t> passed_gas(const GasSchedule& schedule, std::int64_t gas,
                                       const Uint256& requested) noexcept {
    const std::int64_t limit = schedule.all_but_one_64th ? gas - gas / 64 : gas;
    if (requested.fits_uint64() && requested.low64() <= static_cast<std::uint64_t>(limit))
        return static_cast<std::int64_t>(requested.low64());
    if (schedule.all_but_one_64th) return limit;
    return std::nullopt;
}

/// A call that is not even started: pushes 0, the gas stays with the caller.
bool refuse(Frame& frame, Uint256*& sp, std::int64_t& gas, Status reason) noexcept {
    gas += frame.pending.gas;
    if (frame.schedule->state.are_charged() && frame.pending.new_account_gas != 0)
        refill_state(frame, gas, frame.pending.new_account_gas);
    frame.refusal = reason;
    frame.return_data = {};
    *sp++ = {};
    return true;
}

template <CallKind Kind>
bool generic_call(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    const CallOperands operands = pop_operands(Kind, sp);
    const bool has_value = !operands.value.is_zero();
    if (Kind == CallKind::call && frame.is_static && has_value)
        return halt(frame, Status::static_mode_violation);
    if (!ensure_memory(frame, gas, operands.input_offset, operands.input_size) ||
        !ensure_memory(frame, gas, operands.result_offset, operands.result_size))
        return false;

    Message& message = frame.pending;
    const GasSchedule& schedule = *frame.schedule;
    AccountEntry* target = access_account(frame, gas, address_from_word(operands.to),
                                          has_value ? schedule.call_value : 0);
    if (target == nullptr) return false;
    message.code_account = target;
    if (!charge_new_account(frame, gas, Kind, *target, has_value) ||
        !resolve_delegation(frame, gas, message))
        return false;
    if (schedule.state.are_charged()) {
        message.new_account_gas = 0;
        if (Kind == CallKind::call && has_value && !charge_new_account_state(frame, gas, *target))
            return false;
    }

    const std::optional<std::int64_t> passed = passed_gas(schedule, gas, operands.gas);
    if (!passed) return halt(frame, Status::out_of_gas);
    gas -= *passed;
    message.gas = *passed + (has_value ? schedule.call_stipend : 0);
    message.kind = Kind;
    message.is_static = frame.is_static || Kind == CallKind::static_call;
    message.depth = frame.depth + 1;
    const bool keeps_context = Kind == CallKind::call_code || Kind == CallKind::delegate_call;
    message.recipient = keeps_context ? frame.self : target;
    message.caller = Kind == CallKind::delegate_call ? frame.caller : frame.self->address;
    message.value = Kind == CallKind::delegate_call ? frame.value : operands.value;
    message.input = memory_view(frame, operands.input_offset, operands.input_size);
    if (frame.depth >= kMaxCallDepth) return refuse(frame, sp, gas, Status::call_depth_exceeded);
    if (has_value && !frame.state->covers(*frame.self, operands.value))
        return refuse(frame, sp, gas, Status::insufficient_balance);
    frame.result_offset = operands.result_offset.low64();
    frame.result_size = operands.result_size.low64();
    frame.exit = Exit::call;
    return false;
}

/// EIP-8037: the account of a contract is paid for before gas is passed on, once nothing stands in
/// the way of creating it but the account itself.
/// @param nonce  The creator's.
/// @return false: halted, as the gas does not suffice.
bool pay_for_contract(Frame& frame, std::int64_t& gas, std::uint64_t nonce) noexcept {
    Message& message = frame.pending;
    TransactionState& state = *frame.state;
    gas += message.gas;
    AccountEntry& account = state.account_entry(created_address(message, nonce));
    if (!account.is_warm && frame.tx->forbids(account))
        return halt(frame, Status::undeclared_access);
    state.ensure_loaded(account);
    message.recipient = &account;
    if (!charge_new_account_state(frame, gas, account)) return false;
    message.gas = gas - gas / 64;
    gas -= message.gas;
    return true;
}

template <CallKind Kind>
bool generic_create(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    const GasSchedule& schedule = *frame.schedule;
    if (frame.is_static) return halt(frame, Status::static_mode_violation);
    const Uint256 value = *--sp;
    const Uint256 offset = *--sp;
    const Uint256 size = *--sp;
    const Uint256 salt = Kind == CallKind::create2 ? *--sp : Uint256{};
    if (!ensure_memory(frame, gas, offset, size)) return false;
    if (size.low64() > schedule.limits.max_init_code_bytes && !frame.tx->block->any_code_size)
        return halt(frame, Status::init_code_size_exceeded);
    const std::int64_t word_gas =
        schedule.init_code_word + (Kind == CallKind::create2 ? kKeccakWordGas : 0);
    if (!charge_words(frame, gas, size, word_gas)) return false;
    Message& message = frame.pending;
    message.gas = schedule.all_but_one_64th ? gas - gas / 64 : gas;
    gas -= message.gas;
    message.new_account_gas = 0;
    message.kind = Kind;
    message.is_static = false;
    message.depth = frame.depth + 1;
    message.recipient = nullptr;
    message.code_account = nullptr;
    message.delegate = nullptr;
    message.caller = frame.self->address;
    message.value = value;
    message.input = memory_view(frame, offset, size);
    message.salt = salt;
    if (frame.depth >= kMaxCallDepth) return refuse(frame, sp, gas, Status::call_depth_exceeded);
    if (!frame.state->covers(*frame.self, value))
        return refuse(frame, sp, gas, Status::insufficient_balance);
    const std::uint64_t nonce = frame.state->observe_nonce(*frame.self);
    if (nonce == ~std::uint64_t{0})  // EIP-2681
        return refuse(frame, sp, gas, Status::nonce_overflow);
    if (schedule.state.are_charged() && !pay_for_contract(frame, gas, nonce)) return false;
    frame.exit = Exit::create;
    return false;
}

}  // namespace

bool call(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    return generic_call<CallKind::call>(frame, sp, gas);
}
bool callcode(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    return generic_call<CallKind::call_code>(frame, sp, gas);
}
bool delegatecall(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    return generic_call<CallKind::delegate_call>(frame, sp, gas);
}
bool staticcall(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    return generic_call<CallKind::static_call>(frame, sp, gas);
}
bool create(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    return generic_create<CallKind::create>(frame, sp, gas);
}
bool create2(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    return generic_create<CallKind::create2>(frame, sp, gas);
}

}  // namespace heddle::vm::instructions
