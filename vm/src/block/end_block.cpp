// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/expected.hpp>

#include <vm/block.hpp>

namespace heddle::vm {

// The end of a block consumes nearly everything that is known about it.
std::expected<std::vector<Bytes>, BlockError> end_block(  // NOLINT(readability-function-size)
    const BlockHeader& header, const std::vector<BlockHeader>& ommers,
    const std::optional<std::vector<Withdrawal>>& withdrawals, std::span<const Receipt> receipts,
    const BlockEnv& env, const ChainConfig& config, const BlockHashes& block_hashes, Evm& evm,
    MutableState& state) {
    if (env.revision < Revision::paris) {
        std::vector<OmmerReward> shares;
        shares.reserve(ommers.size());
        for (const BlockHeader& ommer : ommers)
            shares.push_back({ommer.beneficiary, header.number - ommer.number});
        apply_rewards(header.beneficiary, shares, block_reward(env.revision), env.revision, state);
    }
    if (env.revision >= Revision::shanghai && withdrawals.has_value())
        apply_withdrawals(*withdrawals, state);
    if (env.revision < Revision::prague) return std::vector<Bytes>{};
    return collect_requests(receipts, env, config, block_hashes, evm, state);
}

}  // namespace heddle::vm
