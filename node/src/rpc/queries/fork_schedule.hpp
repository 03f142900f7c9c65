// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules in force and those to come, as eth_config gives them (EIP-7910), and the fork id that
// names them (EIP-2124).
#pragma once

#include <cstdint>

#include <types/chain_config.hpp>
#include <types/hash.hpp>

#include "chain/chain.hpp"
#include "formats/json_writer.hpp"

namespace heddle::node::rpc {

/// FORK_HASH of a chain at this time, all forks by number being past (EIP-2124, EIP-6122).
/// @param genesis_time  In seconds: forks by time up to it count as part of the genesis.
[[nodiscard]] std::uint32_t fork_id(const ChainConfig& config, const Hash& genesis_hash,
                                    std::uint64_t genesis_time, std::uint64_t timestamp);

/// `{current, next, last}`.
void write_fork_schedule(const Chain& chain, JsonWriter& out);

}  // namespace heddle::node::rpc
