// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/block_check.hpp"

#include <utility>

#include <types/ordered_root.hpp>

namespace heddle::ledger {

namespace {

std::string difference(const char* what, const std::string& found, const std::string& claimed) {
    return std::string{what} + " " + found + ", but the header says " + claimed;
}

template <typename Items, typename Encode>
Hash root_of(const Items& items, Encode encode) {
    std::vector<Bytes> values;
    values.reserve(items.size());
    for (const auto& item : items)
        encode(item, values.emplace_back());
    return ordered_root(values);
}

}  // namespace

std::optional<std::string> check_header(const schema::HeaderRecord& record) {
    const Hash hash = header_hash(record.header);
    if (hash == record.hash) return std::nullopt;
    return "hash " + to_string(record.hash) + ", but the header's is " + to_string(hash);
}

std::optional<std::string> check_parent(const schema::HeaderRecord& record,
                                        const schema::HeaderRecord& parent) {
    if (record.header.parent_hash != parent.hash)
        return difference("the block before has hash", to_string(parent.hash),
                          to_string(record.header.parent_hash));
    const Uint256 difficulty = parent.total_difficulty + record.header.difficulty;
    if (record.total_difficulty != difficulty)
        return "total difficulty " + to_hex(record.total_difficulty) + ", but it adds up to " +
               to_hex(difficulty);
    return std::nullopt;
}

std::optional<std::string> check_body(const Block& block) {
    const BlockHeader& header = block.header;
    if (const Hash root = root_of(block.transactions, encode_transaction);
        root != header.transactions_root)
        return difference("transactions root", to_string(root),
                          to_string(header.transactions_root));
    if (const Hash hash = ommers_hash(block.ommers); hash != header.ommers_hash)
        return difference("ommers hash", to_string(hash), to_string(header.ommers_hash));
    if (block.withdrawals.has_value() != header.withdrawals_root.has_value())
        return std::string{"withdrawals and the header do not agree on whether there are any"};
    if (!block.withdrawals.has_value()) return std::nullopt;
    if (const Hash root = root_of(*block.withdrawals, encode_withdrawal);
        root != *header.withdrawals_root)
        return difference("withdrawals root", to_string(root), to_string(*header.withdrawals_root));
    return std::nullopt;
}

std::optional<std::string> check_receipts(const BlockHeader& header,
                                          const std::vector<Receipt>& receipts) {
    if (const Hash root = root_of(receipts, encode_receipt); root != header.receipts_root)
        return difference("receipts root", to_string(root), to_string(header.receipts_root));
    LogsBloom bloom;
    for (const Receipt& receipt : receipts)
        bloom |= receipt.bloom;
    if (bloom != header.logs_bloom)
        return std::string{"the bloom of the receipts is not that of the header"};
    // From Amsterdam on the block's gas is not the sum of what its senders paid (EIP-8037).
    if (header.block_access_list_hash.has_value()) return std::nullopt;
    const std::uint64_t gas = receipts.empty() ? 0 : receipts.back().cumulative_gas_used;
    if (gas != header.gas_used)
        return difference("gas", std::to_string(gas), std::to_string(header.gas_used));
    return std::nullopt;
}

CheckedBlock check_stored_block(const BlockHeader& header, BytesView body, BytesView receipts) {
    auto block = decode_block(schema::join_block(header, body));
    if (!block.has_value()) return {.block = std::nullopt, .problem = "the body does not decode"};
    CheckedBlock result{.block = *std::move(block), .problem = std::nullopt};
    result.problem = check_body(*result.block);
    if (result.problem.has_value()) return result;
    const auto list = schema::decode_receipts(receipts);
    if (!list.has_value())
        result.problem = "the list of receipts does not decode";
    else if (list->size() != result.block->transactions.size())
        result.problem = std::to_string(list->size()) + " receipts for " +
                         std::to_string(result.block->transactions.size()) + " transactions";
    else
        result.problem = check_receipts(header, *list);
    return result;
}

}  // namespace heddle::ledger
