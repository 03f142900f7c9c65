// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "trace_calls.hpp"

#include <utility>

namespace heddle::vm {
namespace {

Address new_address(const Message& message, TransactionState& state) noexcept {
    if (message.recipient != nullptr) return message.recipient->address;
    const std::uint64_t nonce = state.account(message.caller).account.nonce;
    // The transaction has counted the sender's nonce.
    return created_address(message, message.depth == 0 ? nonce - 1 : nonce);
}

}  // namespace

void trace_enter(Tracer& tracer, const Message& message, Revision revision,
                 TransactionState& state) noexcept {
    using Kind = TraceCall::Kind;
    constexpr Kind kKinds[] = {Kind::call,        Kind::call_code, Kind::delegate_call,
                               Kind::static_call, Kind::create,    Kind::create2};
    TraceCall call;
    call.kind = kKinds[static_cast<std::size_t>(message.kind)];
    call.revision = revision;
    call.from = message.caller;
    if (message.kind == CallKind::delegate_call) call.from = message.recipient->address;
    call.to = message.code_account != nullptr ? message.code_account->address
                                              : new_address(message, state);
    call.value = message.value;
    call.gas = message.gas;
    call.input = message.input;
    call.depth = message.depth;
    if (message.delegate != nullptr) call.delegate = message.delegate->address;
    tracer.on_enter(call);
}

void trace_refusal(Tracer& tracer, Frame& frame) noexcept {
    const Status reason = std::exchange(frame.refusal, Status::success);
    const bool is_creation = frame.pending.code_account == nullptr;
    // From Amsterdam on a creation is refused before its frame is made, as its account would be
    // paid for in between (EIP-8037).
    if (is_creation && frame.schedule->at_least(Revision::amsterdam)) return;
    trace_enter(tracer, frame.pending, frame.schedule->revision, *frame.state);
    tracer.on_exit(reason, 0, {});
}

void trace_self_destruction(Tracer& tracer, const Frame& frame, const Address& beneficiary,
                            const Uint256& balance) noexcept {
    TraceCall call;
    call.kind = TraceCall::Kind::self_destruct;
    call.revision = frame.schedule->revision;
    call.from = frame.self->address;
    call.to = beneficiary;
    call.value = balance;
    call.depth = frame.depth + 1;
    tracer.on_enter(call);
    tracer.on_exit(Status::success, 0, {});
}

}  // namespace heddle::vm
