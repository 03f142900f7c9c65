// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The access list (EIP-2930) that covers what a call touches.
#pragma once

#include <cstdint>
#include <string>

#include <types/transaction.hpp>

#include "simulation/call_request.hpp"
#include "simulation/call_site.hpp"
#include "simulation/deadline.hpp"

namespace heddle::node::simulation {

struct CreatedAccessList {
    AccessList list;  // ascending
    std::uint64_t gas_used = 0;
    std::string error;  // how the call failed; empty: it did not
};

/// Executes the call with the list so far until the list does not change any more: what is warm
/// changes what things cost, and that may change what a call does. Sender, recipient, precompiled
/// contracts and authorities are warm without being listed; the first two are on the list only for
/// their slots.
/// @param request       As parsed: without defaults.
/// @param priority_fee  In wei; for a request that names only the most it pays.
/// Errors: Failure refused where the call cannot be executed; timed_out.
[[nodiscard]] CreatedAccessList create_access_list(const CallSite& site, CallRequest request,
                                                   std::uint64_t gas_cap,
                                                   const Uint256& priority_fee,
                                                   const Deadline& deadline);

}  // namespace heddle::node::simulation
