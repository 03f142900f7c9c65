// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of a chain as a data directory keeps them, so that it can be used without the genesis
// file. The names are those of geth's `config`; what geth cannot express has names of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/chain_config.hpp>

namespace heddle::node {

class JsonView;

/// The contract that says who the validators of a chain under CometBFT are, and after how many
/// blocks it is asked: `"heddle": {"validatorContract": "0x...", "epochBlocks": 100}` in the object
/// `config` of a genesis file.
///
/// All nodes must agree on it. It is kept with the rules of the chain rather than in each node's
/// configuration, where it could differ, or in CometBFT's genesis, which a node that starts from a
/// snapshot never sees (there is no InitChain then): a data directory keeps those rules from its
/// genesis file on, and a snapshot carries them.
struct ValidatorContractConfig {
    Address address;
    std::uint64_t epoch_blocks = 0;
    friend bool operator==(const ValidatorContractConfig&,
                           const ValidatorContractConfig&) = default;
};
/// A change of validators takes effect two blocks later; fewer blocks would make epochs overlap.
inline constexpr std::uint64_t kMinEpochBlocks = 4;

[[nodiscard]] std::string format_chain_config(
    const ChainConfig& config,
    const std::optional<ValidatorContractConfig>& validators = std::nullopt);

/// The same for who knows geth's `config`: what it has is as geth 1.17 writes it, with the blob
/// schedule by fork. What a data directory needs beside is there as well, for another node of this
/// program that asks; parse_stored_chain_config() reads it.
[[nodiscard]] std::string format_geth_chain_config(const ChainConfig& config);

/// Inverse of format_chain_config(). Errors: InputError.
/// @param name  Of where the text comes from, for errors.
[[nodiscard]] ChainConfig parse_stored_chain_config(BytesView text, const std::string& name);
[[nodiscard]] ChainConfig parse_stored_chain_config(const JsonView& json);
/// Whether it is what format_chain_config() or format_geth_chain_config() writes, and not the
/// `config` of a genesis file: nodes of both kinds are asked for theirs.
[[nodiscard]] bool is_stored_chain_config(const JsonView& json);
/// The other half. nullopt: the validators are those of CometBFT's genesis, for ever.
[[nodiscard]] std::optional<ValidatorContractConfig> parse_stored_validator_contract(
    BytesView text, const std::string& name);

/// Out of the object `config` of a genesis file. Errors: InputError.
[[nodiscard]] std::optional<ValidatorContractConfig> parse_validator_contract(
    const JsonView& config);
/// Out of a genesis file. Errors: InputError.
[[nodiscard]] std::optional<ValidatorContractConfig> load_validator_contract(
    const std::string& genesis_path);

}  // namespace heddle::node
