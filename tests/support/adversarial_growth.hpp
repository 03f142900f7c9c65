// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Kinds of adversarial transactions that make the state grow, take that back, or fail for its
// price (EIP-8037), and those that ask something of the consensus layer (EIP-7685).
#pragma once

namespace heddle::test {

class AdversarialStage;

/// Slots set, changed and set back to zero, in one call, then kept, reverted or burnt.
void adversarial_scribble(AdversarialStage& stage);
/// The same one or two calls further in, payments to accounts that are not there, and creations:
/// which frame pays for the growth, and who gets it back?
void adversarial_relay(AdversarialStage& stage);
/// Creations whose code is large, reverts, halts, writes, or destroys itself for anybody.
void adversarial_make(AdversarialStage& stage);
/// Creation transactions whose code is as large as may be, or one byte larger.
void adversarial_deploy(AdversarialStage& stage);
/// Requests of EIP-7002, EIP-7251 and EIP-8282: the system calls at the block's end read what
/// transactions have queued.
void adversarial_request(AdversarialStage& stage);
/// Deposits (EIP-6110).
void adversarial_deposit(AdversarialStage& stage);

}  // namespace heddle::test
