// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/block.hpp>
#include <vm/system_call.hpp>

#include "dao_fork.hpp"
#include "system_contracts.hpp"

namespace heddle::vm {

std::span<const Address> begin_block_contracts(Revision revision) noexcept {
    static constexpr Address kContracts[] = {kBeaconRootsAddress, kHistoryStorageAddress};
    const std::size_t count = revision >= Revision::prague ? 2 : revision >= Revision::cancun;
    return std::span{kContracts}.first(count);
}

std::expected<void, BlockError> begin_block(const BlockHeader& header, const BlockEnv& env,
                                            const ChainConfig& config,
                                            const BlockHashes& block_hashes, Evm& evm,
                                            MutableState& state) {
    if (config.dao_fork_support && config.dao_fork_block == header.number) apply_dao_fork(state);

    SystemCallOutcome outcome;
    // What becomes of these two calls is nobody's concern: a contract that is missing or fails
    // changes nothing, and the block stays valid.
    if (env.revision >= Revision::cancun && header.parent_beacon_block_root.has_value()) {
        system_call(state, block_hashes, env, kBeaconRootsAddress,
                    header.parent_beacon_block_root->view(), evm, outcome);
        state.apply(outcome.diff);
    }
    if (env.revision >= Revision::prague) {
        system_call(state, block_hashes, env, kHistoryStorageAddress, header.parent_hash.view(),
                    evm, outcome);
        state.apply(outcome.diff);
    }
    return {};
}

}  // namespace heddle::vm
