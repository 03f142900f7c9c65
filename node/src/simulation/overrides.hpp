// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Changes of state and block that a call asks for: eth_call's and eth_simulateV1's stateOverrides
// and blockOverrides.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <types/block.hpp>
#include <types/chain_config.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <vm/simulate.hpp>

#include "formats/json.hpp"

namespace heddle::node::simulation {

/// What of an account is another.
struct AccountOverride {
    std::optional<std::uint64_t> nonce;
    std::optional<Uint256> balance;  // wei
    std::optional<Bytes> code;
    std::optional<std::vector<StorageChange>> state;       // all of its storage
    std::optional<std::vector<StorageChange>> state_diff;  // these slots of it
    std::optional<Address> move_precompile_to;
};
/// By address, so that the order in which they are applied is fixed.
using StateOverrides = std::map<Address, AccountOverride>;

/// `{address: {balance, nonce, code, state, stateDiff, movePrecompileToAddress}}`.
/// Errors: InputError.
[[nodiscard]] StateOverrides parse_state_overrides(const JsonView& json);

/// What the overrides change of `state`. A precompiled contract whose address is overridden is
/// moved or goes out of `precompiles`.
/// Errors: Failure refused where they contradict each other.
[[nodiscard]] StateDiff apply(const StateOverrides& overrides, const StateView& state,
                              vm::PrecompileTable& precompiles);

struct BlockOverrides {
    std::optional<Uint256> number;
    std::optional<Uint256> difficulty;  // without effect after the merge
    std::optional<std::uint64_t> time;  // seconds
    std::optional<std::uint64_t> gas_limit;
    std::optional<Address> fee_recipient;
    std::optional<Hash> prev_randao;
    std::optional<Uint256> base_fee_per_gas;  // wei
    std::optional<Uint256> blob_base_fee;     // wei
    std::optional<Hash> beacon_root;
    std::optional<std::vector<Withdrawal>> withdrawals;
};

/// Members of other names are ignored. Errors: InputError.
[[nodiscard]] BlockOverrides parse_block_overrides(const JsonView& json);

/// The rules of a call's block, where by its difficulty and time they are `env.revision`. As for
/// geth: below London's block, and on a chain without one, no fork after the merge is in force,
/// whatever the time; a first block without difficulty has the rules of its number.
[[nodiscard]] Revision held_to_number(const ChainConfig& config, const BlockEnv& env);

/// Changes what a call sees of its block, and the fork that is in force where they move it.
/// Errors: Failure refused for a beacon root, withdrawals, and a number beyond 64 bits.
void apply(const BlockOverrides& overrides, const ChainConfig& config, BlockEnv& env);

}  // namespace heddle::node::simulation
