// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// By which rules the chain goes on that somebody forks.
#pragma once

#include <expected>
#include <string>

#include <types/chain_config.hpp>

#include "forking/fork_source.hpp"
#include "formats/json.hpp"

namespace heddle::node::forking {

/// Those of a genesis file where one is named; of a chain that is known here; else what the source
/// says of them: debug_chainConfig, or eth_config (EIP-7910), in which the past before the rules
/// of today is unknown. As of a merged chain.
/// Errors: one sentence with what to do.
[[nodiscard]] std::expected<ChainConfig, std::string> find_rules(const ForkSource& source,
                                                                 const std::string& genesis_file);

/// Out of the answer of eth_config. Errors: InputError.
[[nodiscard]] ChainConfig parse_eth_config(const JsonView& json);

}  // namespace heddle::node::forking
