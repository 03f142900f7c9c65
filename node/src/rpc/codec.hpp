// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Our types as JSON-RPC writes them: blocks, transactions, receipts, logs. The only place that
// knows the names of their members; parsing is in arguments.hpp and fixture_codec.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <types/block.hpp>
#include <types/hash.hpp>
#include <types/receipt.hpp>
#include <types/transaction.hpp>

#include "json_writer.hpp"

namespace heddle::node::rpc {

/// Where a transaction stands; absent: it is pending.
struct TransactionPlace {
    Hash block_hash;
    std::uint64_t block_number = 0;
    std::uint64_t block_timestamp = 0;
    std::uint32_t index = 0;
    std::optional<Uint256> base_fee_per_gas;  // wei, of the block
};
[[nodiscard]] TransactionPlace place_of(const BlockHeader& header, const Hash& hash,
                                        std::uint32_t index);

/// `[{address, storageKeys}]` (EIP-2930).
void write_access_list(const AccessList& list, JsonWriter& out);

/// A transaction as eth_getTransactionByHash gives it. `tx.sender` must be filled.
void write_transaction(const Transaction& tx, const Hash& hash,
                       const std::optional<TransactionPlace>& place, JsonWriter& out);

/// Members of a header, without the braces: eth_getHeaderBy…, newHeads, and part of a block.
void write_header_members(const BlockHeader& header, const Hash& hash, JsonWriter& out);

/// A block as eth_getBlockByNumber gives it.
/// @param transaction_hashes  Of all its transactions, in order.
/// @param size_bytes          Of its RLP.
void write_block(const Block& block, const Hash& hash, std::span<const Hash> transaction_hashes,
                 bool with_transactions, std::size_t size_bytes, JsonWriter& out);
/// The same where the hashes of the transactions have yet to be computed.
void write_block(const Block& block, const Hash& hash, bool with_transactions,
                 std::size_t size_bytes, JsonWriter& out);
/// A block that nobody has sealed: no hash, no miner, no nonce, no transactions.
void write_pending_block(const Block& block, JsonWriter& out);
/// An ommer as eth_getUncleBy… gives it: a block without a body.
void write_ommer(const BlockHeader& ommer, JsonWriter& out);

/// One log of a block.
struct LogPlace {
    Hash block_hash;
    std::uint64_t block_number = 0;
    std::uint64_t block_timestamp = 0;
    Hash transaction_hash;
    std::uint32_t transaction_index = 0;
    std::uint32_t log_index = 0;  // in the block
    bool is_removed = false;
};
void write_log(const Log& log, const LogPlace& place, JsonWriter& out);

/// The receipt of transaction `place.index` of a block.
/// @param first_log_index  Number of logs of the transactions before it.
/// @param blob_base_fee    Price of the block in wei; for type 3.
void write_receipt(const Receipt& receipt, const Transaction& tx, const Hash& hash,
                   const TransactionPlace& place, std::uint32_t first_log_index,
                   const Uint256& blob_base_fee, JsonWriter& out);

}  // namespace heddle::node::rpc
