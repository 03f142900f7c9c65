// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/served_block_codec.hpp"

#include "rpc/queries/codec.hpp"

namespace heddle::node::rpc {
namespace {

Uint256 blob_base_fee_of(const Chain& chain, const ledger::StoredBlock& block) {
    return chain.env_of({block.block.header, block.hash, block.total_difficulty}).blob_base_fee;
}

void write_receipt_at(const ServedBlock& block, std::size_t index, const Uint256& blob_base_fee,
                      bool tells_time, JsonWriter& out) {
    const ledger::StoredBlock& stored = *block.stored;
    write_receipt(stored.receipts[index], stored.block.transactions[index],
                  block.transaction_hashes[index],
                  {place_of(stored.block.header, stored.hash, static_cast<std::uint32_t>(index)),
                   block.first_log_indices[index], blob_base_fee, tells_time},
                  out);
}

}  // namespace

void write_transaction_of(const ServedBlock& block, std::size_t index, JsonWriter& out) {
    const ledger::StoredBlock& stored = *block.stored;
    write_transaction(stored.block.transactions[index], block.transaction_hashes[index],
                      place_of(stored.block.header, stored.hash, static_cast<std::uint32_t>(index)),
                      out);
}

void write_receipt_of(const Chain& chain, const ServedBlock& block, std::size_t index,
                      JsonWriter& out) {
    write_receipt_at(block, index, blob_base_fee_of(chain, *block.stored), false, out);
}

void write_timed_receipt_of(const Chain& chain, const ServedBlock& block, std::size_t index,
                            JsonWriter& out) {
    write_receipt_at(block, index, blob_base_fee_of(chain, *block.stored), true, out);
}

void write_receipts(const Chain& chain, const ServedBlock& block, JsonWriter& out) {
    const Uint256 blob_base_fee = blob_base_fee_of(chain, *block.stored);
    for (std::size_t i = 0; i < block.stored->receipts.size(); ++i)
        write_receipt_at(block, i, blob_base_fee, false, out);
}

}  // namespace heddle::node::rpc
