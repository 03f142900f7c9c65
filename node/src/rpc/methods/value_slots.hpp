// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a contract keeps what one of its functions returns: for setting balances and allowances of
// tokens on development chains.
#pragma once

#include <cstddef>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/uint256.hpp>

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

struct ValueSlot {
    Address contract;  // another one than was called, behind a proxy
    Uint256 slot;
};

inline constexpr std::size_t kMostTried = 32;

/// Calls `token` with `input` on the newest state, and again with `value` in each slot that the
/// call has read, until the call returns just that. At most kMostTried are tried.
/// Errors: RpcError where the call fails, and where it is in none of them; Failure timed_out.
[[nodiscard]] ValueSlot find_value_slot(const Services& services, const Call& call,
                                        const Address& token, const Bytes& input,
                                        const Uint256& value);

}  // namespace heddle::node::rpc
