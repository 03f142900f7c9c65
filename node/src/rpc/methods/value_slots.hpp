// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a contract keeps what one of its functions returns: for setting balances and allowances of
// tokens on development chains.
#pragma once

#include <cstddef>
#include <optional>

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

/// Calls `contract` with `input` on the newest state, and again with `value` in each slot that the
/// call has read, until the call returns just that. At most kMostTried are tried.
/// @return nullopt: it is in none of them.
/// Errors: RpcError where the call fails; Failure timed_out.
[[nodiscard]] std::optional<ValueSlot> find_value_slot(const Services& services, const Call& call,
                                                       const Address& contract, const Bytes& input,
                                                       const Uint256& value);

}  // namespace heddle::node::rpc
