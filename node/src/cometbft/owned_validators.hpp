// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A validator contract to begin with: one owner, an account or another contract, says who the
// validators are. Written by hand; what it does is in docs/validators.md, and any other contract
// that answers validators() may take its place.
#pragma once

#include <span>

#include <consensus_adapter/cometbft/abci_host.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/genesis.hpp>

namespace heddle::node {

/// The code as it lies in the state: for a genesis, or behind a constructor that puts the owner
/// into slot 0. Needs Shanghai (PUSH0).
[[nodiscard]] Bytes owned_validators_code();

/// The contract with its storage, for a genesis.
/// @param validators  At most kMaxValidators, each at most kMaxVotingPower.
[[nodiscard]] GenesisAccount owned_validators_account(
    const Address& address, const Address& owner,
    std::span<const consensus_adapter::cometbft::Validator> validators);

}  // namespace heddle::node
