// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/next_header.hpp>

#include <vm/block.hpp>

namespace heddle::vm {
namespace {

std::uint64_t next_slot_number(const BlockHeader& parent) noexcept {
    const std::uint64_t slot = parent.slot_number.value_or(0);
    return slot + (parent.slot_number.has_value() && slot != ~std::uint64_t{0} ? 1 : 0);
}

}  // namespace

BlockAttributes attributes_of(const BlockHeader& given) {
    return {.timestamp = given.timestamp,
            .gas_limit = given.gas_limit,
            .beneficiary = given.beneficiary,
            .extra_data = given.extra_data,
            .prev_randao = given.prev_randao,
            .nonce = given.nonce,
            .parent_beacon_block_root = given.parent_beacon_block_root.value_or(Hash{}),
            .slot_number = given.slot_number};
}

BlockHeader next_header(const Parent& parent, const BlockAttributes& attributes,
                        const ChainConfig& config) {
    BlockHeader header;
    header.parent_hash = parent.hash;
    header.number = parent.header.number + 1;
    header.timestamp = attributes.timestamp;
    header.gas_limit = attributes.gas_limit;
    header.beneficiary = attributes.beneficiary;
    header.extra_data = attributes.extra_data;
    header.prev_randao = attributes.prev_randao;
    header.nonce = attributes.nonce;
    const bool is_proof_of_stake = is_merged(header, parent.total_difficulty, config);
    if (!is_proof_of_stake)
        header.difficulty = next_difficulty(parent.header, header.number, header.timestamp, config);

    const Revision revision = config.revision(header.number, header.timestamp, is_proof_of_stake);
    if (revision >= Revision::london)
        header.base_fee_per_gas = next_base_fee(parent.header, config);
    if (revision >= Revision::shanghai) header.withdrawals_root = kEmptyTrieRoot;
    if (revision >= Revision::cancun) {
        header.blob_gas_used = 0;
        header.excess_blob_gas = next_excess_blob_gas(parent.header, header.timestamp, config);
        header.parent_beacon_block_root = attributes.parent_beacon_block_root;
    }
    if (revision >= Revision::prague) header.requests_hash = kEmptyRequestsHash;
    if (revision >= Revision::amsterdam) {
        header.block_access_list_hash = kEmptyListHash;
        header.slot_number = attributes.slot_number.value_or(next_slot_number(parent.header));
    }
    return header;
}

void fill_body(Block& block) {
    BlockHeader& header = block.header;
    header.transactions_root = transactions_root(block.transactions);
    header.ommers_hash = block.ommers.empty() ? kEmptyListHash : ommers_hash(block.ommers);
    if (header.withdrawals_root.has_value()) {
        if (!block.withdrawals.has_value()) block.withdrawals.emplace();
        header.withdrawals_root = withdrawals_root(*block.withdrawals);
    } else if (block.withdrawals.has_value() && block.withdrawals->empty()) {
        block.withdrawals.reset();  // before Shanghai there is no list, not an empty one
    }
    if (header.blob_gas_used.has_value()) header.blob_gas_used = blob_gas_used(block.transactions);
}

}  // namespace heddle::vm
