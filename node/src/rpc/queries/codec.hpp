// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Our types as JSON-RPC writes them: blocks, transactions, receipts, logs. The only place that
// knows the names of their members; parsing is in strict_hex.hpp and fixture_codec.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <types/block.hpp>
#include <types/hash.hpp>
#include <types/receipt.hpp>
#include <types/transaction.hpp>

#include "formats/json_writer.hpp"

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

/// A transaction that stands nowhere, signed or to be signed, as eth_fillTransaction gives it:
/// prices of other types are null, where both kinds together would be taken for a mistake.
/// @param more  Further members; nullptr: none.
void write_lone_transaction(const Transaction& tx, const Hash& hash, JsonWriter& out,
                            const std::function<void()>& more = nullptr);

/// Members of a header, without the braces: eth_getHeaderBy…, newHeads, and part of a block.
void write_header_members(const BlockHeader& header, const Hash& hash, JsonWriter& out);

/// What has been computed of a block.
struct BlockDigest {
    Hash hash;
    std::span<const Hash> transaction_hashes;  // of all its transactions, in order
    std::size_t size_bytes = 0;                // of its RLP
};
/// A block as eth_getBlockByNumber gives it.
void write_block(const Block& block, const BlockDigest& digest, bool with_transactions,
                 JsonWriter& out);
/// The same where the hashes of the transactions have yet to be computed.
void write_block(const Block& block, const Hash& hash, bool with_transactions,
                 std::size_t size_bytes, JsonWriter& out);
/// A block that nobody has sealed: no hash, no miner, no nonce; its transactions are in none.
void write_pending_block(const Block& block, std::span<const Hash> transaction_hashes,
                         bool with_transactions, JsonWriter& out);
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

/// What a receipt says of its transaction's surroundings.
struct ReceiptPlace {
    TransactionPlace transaction;
    std::uint32_t first_log_index = 0;  // number of logs of the transactions before it
    Uint256 blob_base_fee;              // price of the block in wei; for type 3
    bool tells_time = false;            // the block's, as Otterscan wants it
};
/// @param hash  Of the transaction.
void write_receipt(const Receipt& receipt, const Transaction& tx, const Hash& hash,
                   const ReceiptPlace& where, JsonWriter& out);

}  // namespace heddle::node::rpc
