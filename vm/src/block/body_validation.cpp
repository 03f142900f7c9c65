// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/ordered_root.hpp>

#include <vm/block.hpp>
#include <vm/limits.hpp>
#include <vm/validate.hpp>

#include "reject.hpp"

namespace heddle::vm {

namespace {

using Check = std::expected<void, BlockError>;

template <typename T, typename Encode>
Hash root_of(std::span<const T> items, Encode encode) {
    std::vector<OrderedLeaf> leaves(items.size());
    OrderedLeaves maker;
    const auto count = static_cast<std::uint32_t>(items.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        encode(items[i], maker.start());
        maker.finish({.index = i, .count = count}, leaves[i]);
    }
    maker.flush();
    return root_of_leaves(leaves);
}

Check check_size(const Block& block, std::size_t encoded_size_bytes, std::uint64_t limit) {
    if (limit == kNoLimit) return {};
    if (encoded_size_bytes == 0) {
        if (encoded_size_bound(block) <= limit) return {};
        Bytes encoded;
        encode_block(block, encoded);
        encoded_size_bytes = encoded.size();
    }
    if (encoded_size_bytes <= limit) return {};
    return reject(BlockErrorCode::block_too_large, block.header.number,
                  std::to_string(encoded_size_bytes) + " bytes", {},
                  "at most " + std::to_string(limit));
}

Check check_withdrawals(const Block& block, Revision revision) {
    const BlockHeader& header = block.header;
    const bool is_due = revision >= Revision::shanghai;
    if (block.withdrawals.has_value() != is_due)
        return reject(BlockErrorCode::invalid_withdrawals, header.number,
                      is_due ? "absent" : "present", is_due ? "present" : "absent", "withdrawals");
    if (!is_due) return {};
    const Hash root = withdrawals_root(*block.withdrawals);
    if (header.withdrawals_root == root) return {};
    return reject(BlockErrorCode::invalid_withdrawals, header.number,
                  header.withdrawals_root.has_value() ? to_string(*header.withdrawals_root)
                                                      : std::string{"absent"},
                  to_string(root));
}

Check check_blob_gas(const Block& block, const ChainConfig& config) {
    const BlockHeader& header = block.header;
    if (!header.blob_gas_used.has_value()) return {};
    const std::uint64_t used = blob_gas_used(block.transactions);
    if (*header.blob_gas_used == used) return {};
    const BlobParameters* blobs = config.blob_parameters(header.timestamp);
    const bool is_above = blobs != nullptr && *header.blob_gas_used > blobs->max * kGasPerBlob;
    return reject(
        is_above ? BlockErrorCode::blob_gas_above_limit : BlockErrorCode::invalid_blob_gas_used,
        header.number, std::to_string(*header.blob_gas_used), std::to_string(used));
}

}  // namespace

Hash transactions_root(std::span<const Transaction> transactions) {
    return root_of(transactions, encode_transaction);
}

Hash receipts_root(std::span<const Receipt> receipts) {
    return root_of(receipts, encode_receipt);
}

Hash withdrawals_root(std::span<const Withdrawal> withdrawals) {
    return root_of(withdrawals, encode_withdrawal);
}

std::uint64_t blob_gas_used(std::span<const Transaction> transactions) noexcept {
    std::uint64_t blobs = 0;
    for (const Transaction& tx : transactions)
        blobs += tx.blob_versioned_hashes.size();
    return blobs * kGasPerBlob;
}

std::expected<void, BlockError> validate_body_roots(
    const Block& block, const ChainConfig& config, bool is_merged,
    std::span<const OrderedLeaf> transaction_leaves) {
    const BlockHeader& header = block.header;
    HEDDLE_ASSERT(transaction_leaves.empty() ||
                  transaction_leaves.size() == block.transactions.size());
    const Hash root = transaction_leaves.empty() ? transactions_root(block.transactions)
                                                 : root_of_leaves(transaction_leaves);
    if (header.transactions_root != root)
        return reject(BlockErrorCode::invalid_transactions_root, header.number,
                      to_string(header.transactions_root), to_string(root));
    HEDDLE_CHECK(
        check_withdrawals(block, config.revision(header.number, header.timestamp, is_merged)));
    if (!block.ommers.empty()) HEDDLE_CHECK(validate_ommers_alone(header, block.ommers));
    return check_blob_gas(block, config);
}

// NOLINTNEXTLINE(readability-function-size): two of them save work
std::expected<void, BlockError> validate_body(const Block& block, Ancestors ancestors,
                                              const ChainConfig& config, bool is_merged,
                                              std::size_t encoded_size_bytes,
                                              std::span<const OrderedLeaf> transaction_leaves) {
    const BlockHeader& header = block.header;
    const Revision revision = config.revision(header.number, header.timestamp, is_merged);
    HEDDLE_CHECK(check_size(block, encoded_size_bytes, limits(revision).max_block_bytes));
    const Hash ommers = block.ommers.empty() ? kEmptyListHash : ommers_hash(block.ommers);
    if (header.ommers_hash != ommers)
        return reject(BlockErrorCode::invalid_ommers_hash, header.number,
                      to_string(header.ommers_hash), to_string(ommers));
    // A proof-of-stake header already promises that there are none.
    if (!is_merged && !block.ommers.empty())
        HEDDLE_CHECK(validate_ommers(header, block.ommers, ancestors, config));
    return validate_body_roots(block, config, is_merged, transaction_leaves);
}

}  // namespace heddle::vm
