// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Contracts that blocks of a fork call at their end, and that a chain does not have: no block is
// valid without them. What a block calls at its begin is not looked at, for nobody minds that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/chain_config.hpp>
#include <types/genesis.hpp>
#include <types/state_view.hpp>

namespace heddle::node {

/// Whether an account has code.
using HasCode = std::function<bool(const Address&)>;

struct MissingContract {
    Address address;
    std::string_view field;  // of the genesis file, for the fork that brings it
    std::uint64_t time = 0;  // from which on blocks need it
    friend bool operator==(const MissingContract&, const MissingContract&) = default;
};

/// Of the forks that the configuration has a time for, past or to come, in the order of the calls.
[[nodiscard]] std::vector<MissingContract> missing_contracts(const HasCode& has_code,
                                                             const ChainConfig& config);

/// Which blocks cannot be made for want of which contracts, and what to do; nullopt: none is
/// missing.
/// @param earliest  The least timestamp that the next block may have.
[[nodiscard]] std::optional<std::string> describe_missing_contracts(const HasCode& has_code,
                                                                    const ChainConfig& config,
                                                                    std::uint64_t earliest);

/// Of a state, which outlives what is returned, and of a genesis that is in memory.
[[nodiscard]] HasCode code_in(const StateView& state);
[[nodiscard]] HasCode code_in(const Genesis& genesis);

}  // namespace heddle::node
