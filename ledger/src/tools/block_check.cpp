// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/block_check.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <types/expected.hpp>
#include <types/ordered_root.hpp>
#include <types/receipt.hpp>
#include <types/rlp.hpp>
#include <types/transaction.hpp>

#include "storage/byte_codec.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

std::string difference(const char* what, const std::string& found, const std::string& claimed) {
    return std::string{what} + " " + found + ", but the header says " + claimed;
}

/// So many transactions or receipts are there at once.
constexpr std::size_t kPiece = 512;

template <typename Items, typename Encode>
Hash root_of(const Items& items, Encode encode) {
    std::vector<Bytes> values;
    values.reserve(items.size());
    for (const auto& item : items)
        encode(item, values.emplace_back());
    return ordered_root(values);
}

std::optional<std::size_t> count_items(rlp::Reader items) {
    std::size_t count = 0;
    for (; !items.at_end(); ++count)
        if (!items.read_raw().has_value()) return std::nullopt;
    return count;
}

/// The body in its parts.
struct Body {
    rlp::Reader transactions;
    std::size_t count = 0;  // of them
    Block rest;             // without them
};

std::optional<Body> take_apart(const BlockHeader& header, BytesView body) {
    rlp::Reader reader(body);
    const auto transactions = reader.read_list();
    if (!transactions.has_value()) return std::nullopt;
    const auto count = count_items(*transactions);
    Bytes rest;
    rlp::encode_list_header(0, rest);
    append(body.subspan(reader.offset()), rest);
    auto block = decode_block(schema::join_block(header, rest));
    if (!count.has_value() || !block.has_value()) return std::nullopt;
    return Body{.transactions = *transactions, .count = *count, .rest = *std::move(block)};
}

/// The canonical form of a transaction that decodes, out of the body's.
BytesView canonical(BytesView item) {
    rlp::Reader reader(item);
    return reader.next_is_list() ? item : *reader.read_string();
}

/// @return none: one of them does not decode.
std::optional<Hash> transactions_root(const Body& body) {
    std::vector<OrderedLeaf> leaves(body.count);
    OrderedLeaves maker;
    rlp::Reader reader = body.transactions;
    const auto count = static_cast<std::uint32_t>(body.count);
    for (std::uint32_t index = 0; index < count; ++index) {
        rlp::Reader at_item = reader;
        const BytesView item = *reader.read_raw();
        if (!decode_transaction_item(at_item).has_value()) return std::nullopt;
        append(canonical(item), maker.start());
        maker.finish({.index = index, .count = count}, leaves[index]);
    }
    maker.flush();
    return root_of_leaves(leaves);
}

std::optional<std::string> check_rest(const BlockHeader& header, const Block& rest) {
    if (const Hash hash = ommers_hash(rest.ommers); hash != header.ommers_hash)
        return difference("ommers hash", to_string(hash), to_string(header.ommers_hash));
    if (rest.withdrawals.has_value() != header.withdrawals_root.has_value())
        return std::string{"withdrawals and the header do not agree on whether there are any"};
    if (!rest.withdrawals.has_value()) return std::nullopt;
    if (const Hash root = root_of(*rest.withdrawals, encode_withdrawal);
        root != *header.withdrawals_root)
        return difference("withdrawals root", to_string(root), to_string(*header.withdrawals_root));
    return std::nullopt;
}

/// What is wrong with `count` receipts.
std::optional<std::string> check_receipts(const BlockHeader& header, BytesView receipts,
                                          std::size_t count) {
    std::vector<OrderedLeaf> leaves(count);
    OrderedLeaves maker;
    LogsBloom bloom;
    std::uint64_t gas = 0;
    ListPlace place{.index = 0, .count = static_cast<std::uint32_t>(count)};
    const auto add = [&](std::span<const Receipt> some) {
        for (const Receipt& receipt : some) {
            encode_receipt(receipt, maker.start());
            maker.finish(place, leaves[place.index]);
            ++place.index;
            bloom |= receipt.bloom;
            gas = receipt.cumulative_gas_used;
        }
    };
    if (!schema::visit_receipts(receipts, kPiece, add))
        return std::string{"the list of receipts does not decode"};
    maker.flush();
    const Hash root = root_of_leaves(leaves);
    if (root != header.receipts_root)
        return difference("receipts root", to_string(root), to_string(header.receipts_root));
    if (bloom != header.logs_bloom)
        return std::string{"the bloom of the receipts is not that of the header"};
    // From Amsterdam on the block's gas is not the sum of what its senders paid (EIP-8037).
    if (header.block_access_list_hash.has_value()) return std::nullopt;
    if (gas != header.gas_used)
        return difference("gas", std::to_string(gas), std::to_string(header.gas_used));
    return std::nullopt;
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

StoredBlockCheck check_stored_block(const BlockHeader& header, BytesView body, BytesView receipts) {
    StoredBlockCheck result;
    const auto parts = take_apart(header, body);
    const auto root = parts.has_value() ? transactions_root(*parts) : std::nullopt;
    if (!root.has_value()) {
        result.problem = "the body does not decode";
        return result;
    }
    result.transactions = parts->count;
    if (*root != header.transactions_root)
        result.problem =
            difference("transactions root", to_string(*root), to_string(header.transactions_root));
    else
        result.problem = check_rest(header, parts->rest);
    if (result.problem.has_value()) return result;
    const auto count = count_items(rlp::Reader(receipts));
    if (!count.has_value())
        result.problem = "the list of receipts does not decode";
    else if (*count != parts->count)
        result.problem = std::to_string(*count) + " receipts for " + std::to_string(parts->count) +
                         " transactions";
    else
        result.problem = check_receipts(header, receipts, *count);
    return result;
}

std::expected<void, LedgerError> visit_transactions(BytesView body, const OnTransactions& visit) {
    rlp::Reader reader = *rlp::Reader(body).read_list();
    std::vector<Transaction> some;
    for (std::size_t first = 0; !reader.at_end(); first += some.size()) {
        some.clear();
        while (!reader.at_end() && some.size() < kPiece)
            some.push_back(*decode_transaction_item(reader));
        HEDDLE_CHECK(visit(first, some));
    }
    return {};
}

}  // namespace heddle::ledger
