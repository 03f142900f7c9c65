// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The least gas limit with which a call succeeds, as geth searches for it.
#pragma once

#include <cstdint>

#include "simulation/call_request.hpp"
#include "simulation/call_site.hpp"
#include "simulation/deadline.hpp"

namespace heddle::node::simulation {

/// Searches up to the block's gas limit, `gas_cap`, what a transaction may have (EIP-7825) and what
/// the sender can pay, until the answer is at most 1.5 % too high.
/// @param request  As parsed: without defaults.
/// Errors: Failure reverted with the revert's data; refused where no gas limit suffices or
///         the call cannot be executed; timed_out.
[[nodiscard]] std::uint64_t estimate_gas(const CallSite& site, CallRequest request,
                                         std::uint64_t gas_cap, EvmPool& pool,
                                         const Deadline& deadline);

}  // namespace heddle::node::simulation
