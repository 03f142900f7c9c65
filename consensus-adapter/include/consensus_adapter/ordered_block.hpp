// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What consensus delivers: one final block with its transactions in order.
#pragma once

#include <executor/ordered_block.hpp>

namespace heddle::consensus_adapter {

using executor::OrderedBlock;

}  // namespace heddle::consensus_adapter
