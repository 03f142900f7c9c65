// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The validators as a contract says them. Any contract will do that answers
// `validators() returns (bytes32[] keys, uint64[] powers)`: Ed25519 keys and, at the same places,
// voting powers; who is to be a validator no more stays on the list with power 0, for CometBFT has
// to be told by key whom to remove. Who may change the list is the contract's business.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <consensus_adapter/cometbft/abci_host.hpp>
#include <ledger/durable_ledger.hpp>
#include <types/bytes.hpp>
#include <vm/evm.hpp>

#include "chain/chain.hpp"
#include "formats/chain_config_json.hpp"

namespace heddle::node {

/// What a list may have at most: the powers of a full one, and those of a genesis beside them, stay
/// far below what CometBFT can add up (2^60).
inline constexpr std::size_t kMaxValidators = 1'000;
inline constexpr std::uint64_t kMaxVotingPower = (std::uint64_t{1} << 40) - 1;
/// Part of what all nodes must agree on, as all of the above.
inline constexpr std::uint64_t kValidatorsCallGas = 30'000'000;

/// What a data directory says (chain_config_json.hpp). nullopt: the validators of CometBFT's
/// genesis stay. Errors: InputError where the rules kept there cannot be read.
[[nodiscard]] std::optional<ValidatorContractConfig> validator_contract_of(
    const ledger::DurableLedger& ledger);

/// Decodes what validators() returned. Whether anybody would be left is not its business: that
/// depends on who is a validator now.
/// Errors: one sentence: the encoding is not that of two arrays of equal length, or the list could
/// not be CometBFT's (too long, a key twice or zero, powers too large).
[[nodiscard]] std::expected<std::vector<consensus_adapter::cometbft::Validator>, std::string>
decode_validators(BytesView returned);

/// Thread safety: as ValidatorSource.
class ValidatorContract final : public consensus_adapter::cometbft::ValidatorSource {
public:
    /// The chain outlives it.
    ValidatorContract(const Chain& chain, const ValidatorContractConfig& config);

    [[nodiscard]] std::uint64_t epoch_blocks() const override { return config_.epoch_blocks; }
    /// Calls the contract on the state after the head, as a block on it would with the head's time:
    /// nothing that this node alone knows or sets has a part in it.
    /// Errors: also where there is no contract, or it fails.
    [[nodiscard]] std::expected<std::vector<consensus_adapter::cometbft::Validator>,
                                consensus_adapter::cometbft::NoValidators>
    read() override;

private:
    const Chain& chain_;
    const ValidatorContractConfig config_;
};

}  // namespace heddle::node
