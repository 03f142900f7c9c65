// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Building blocks of adversarial contracts, and contracts put together of them at random. All jumps
// are relative, so that pieces may stand anywhere.
#pragma once

#include <vector>

#include <types/revision.hpp>
#include <workload/random.hpp>

#include "adversarial_contracts.hpp"
#include "bytecode.hpp"

namespace heddle::test {

/// The i-th word of call data.
[[nodiscard]] vm::test::Bytecode arg(unsigned i);
/// `body`, where `condition` leaves something else than zero. The body keeps the stack's height, or
/// ends the execution.
[[nodiscard]] vm::test::Bytecode when(const vm::test::Bytecode& condition,
                                      const vm::test::Bytecode& body);
/// Each operand leaves one word on the stack; `slot` is evaluated twice.
[[nodiscard]] vm::test::Bytecode add_to_slot(const vm::test::Bytecode& slot,
                                             const vm::test::Bytecode& amount);
/// CALL with those words as call data and half of the gas; leaves its success on the stack. Writes
/// memory from 0 on.
[[nodiscard]] vm::test::Bytecode call_with(const vm::test::Bytecode& to,
                                           const vm::test::Bytecode& value,
                                           const std::vector<vm::test::Bytecode>& words);

/// A few statements on hot slots, balances and contracts, some of them under conditions that depend
/// on what was written before.
[[nodiscard]] vm::test::Bytecode make_adversarial_program(const AdversarialCast& cast,
                                                          Revision revision,
                                                          workload::Random& random);

}  // namespace heddle::test
