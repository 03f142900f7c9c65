// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The irregular state change of the DAO fork (EIP-779).
#pragma once

#include <vm/block.hpp>

namespace heddle::vm {

/// Moves the whole balance of the 116 accounts to the refund contract.
void apply_dao_fork(MutableState& state);

}  // namespace heddle::vm
