// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Telling a tracer of calls, of those that never start, and of what looks like one.
#pragma once

#include <vm/tracer.hpp>

#include "frame.hpp"

namespace heddle::vm {

/// Before the message is carried out: the nonce of a creator within the transaction has not been
/// counted yet.
void trace_enter(Tracer& tracer, const Message& message, Revision revision,
                 TransactionState& state) noexcept;

/// The call that `frame` has just asked for was refused.
void trace_refusal(Tracer& tracer, Frame& frame) noexcept;

/// `frame` has ended with SELFDESTRUCT. `balance`: of its account before.
void trace_self_destruction(Tracer& tracer, const Frame& frame, const Address& beneficiary,
                            const Uint256& balance) noexcept;

}  // namespace heddle::vm
