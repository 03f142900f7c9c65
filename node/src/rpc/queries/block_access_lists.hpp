// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The access list of a block that somebody asks for (EIP-7928), and why there is none.
#pragma once

#include <optional>

#include <types/bytes.hpp>

#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {

/// RLP of the list; nullopt: there is no such block, or it is the pending one.
/// Errors: RpcError not_found for a block of a fork without lists, kPrunedHistory where the list is
/// not kept any more.
[[nodiscard]] std::optional<Bytes> find_access_list(const Chain& chain,
                                                    const BlockSelector& selector);

/// EIP-4444's error code.
inline constexpr int kPrunedHistory = 4444;

}  // namespace heddle::node::rpc
