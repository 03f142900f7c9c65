// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that a block makes itself, outside any transaction (EIP-4788, 2935, 7002, 7251, 8282).
#pragma once

#include <types/address.hpp>
#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>

#include <vm/access.hpp>
#include <vm/evm.hpp>
#include <vm/status.hpp>

namespace heddle::vm {

struct SystemCallOutcome {
    Status status = Status::success;
    Bytes output;
    StateDiff diff;
    /// Filled where EvmOptions::record_accesses is set.
    AccessRecord accesses;
};

/// Calls `contract` from the system address 0xff…fe with 30,000,000 gas that nobody pays (from
/// Amsterdam on state gas for 16 new slots beside it, EIP-8037), no value and no nonce change.
/// Calling an address without code succeeds and changes nothing.
/// Where a supervisor ended it, the status is Status::stopped and the rest of the outcome empty.
/// Thread safety and purity as transition().
void system_call(const StateView& view, const BlockHashes& block_hashes, const BlockEnv& env,
                 const Address& contract, BytesView input, Evm& evm,
                 SystemCallOutcome& outcome) noexcept;

}  // namespace heddle::vm
