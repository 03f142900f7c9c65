// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "proposal.hpp"

#include <vm/block.hpp>

namespace heddle::executor {

void prepare_proposal(Block& block, const Ancestor& parent, const ChainConfig& config,
                      bool is_merged) {
    BlockHeader& header = block.header;
    const Revision revision = config.revision(header.number, header.timestamp, is_merged);
    header.parent_hash = parent.hash;
    header.ommers_hash = block.ommers.empty() ? kEmptyListHash : ommers_hash(block.ommers);
    header.transactions_root = vm::transactions_root(block.transactions);
    header.difficulty =
        is_merged ? Uint256{}
                  : vm::next_difficulty(parent.header, header.number, header.timestamp, config);
    header.base_fee_per_gas.reset();
    if (revision >= Revision::london)
        header.base_fee_per_gas = vm::next_base_fee(parent.header, config);

    header.withdrawals_root.reset();
    if (revision >= Revision::shanghai) {
        if (!block.withdrawals.has_value()) block.withdrawals.emplace();
        header.withdrawals_root = vm::withdrawals_root(*block.withdrawals);
    }
    header.blob_gas_used.reset();
    header.excess_blob_gas.reset();
    if (revision >= Revision::cancun) {
        header.blob_gas_used = vm::blob_gas_used(block.transactions);
        header.excess_blob_gas = vm::next_excess_blob_gas(parent.header, header.timestamp, config);
        if (!header.parent_beacon_block_root.has_value()) header.parent_beacon_block_root.emplace();
    }
    header.requests_hash.reset();
    if (revision >= Revision::prague) header.requests_hash = kEmptyRequestsHash;
}

}  // namespace heddle::executor
