// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <span>
#include <string>
#include <utility>

#include <types/expected.hpp>
#include <types/rlp.hpp>

namespace heddle::library {

namespace {

constexpr std::size_t kMaxAncestors = 256;
constexpr std::size_t kMaxItems = std::size_t{1} << 24;  // transactions, withdrawals, senders

/// Errors: null with a count, or more than `most`.
template <typename T>
Result<std::span<const T>> take_array(const T* items, std::size_t count, std::size_t most,
                                      std::string_view name) {
    if (count > most)
        return fail(HEDDLE_LIMIT, std::string{name} + ": at most " + std::to_string(most) +
                                      " are taken, and not " + std::to_string(count));
    if (items == nullptr && count != 0)
        return fail(HEDDLE_INVALID_ARGUMENT, std::string{name} + " is null and has a count");
    return std::span{items, count};
}

/// A header begins with a hash, a block with its header.
bool is_whole_block(BytesView bytes) {
    rlp::Reader reader(bytes);
    auto items = reader.read_list();
    return items.has_value() && items->next_is_list();
}

Result<Ancestor> take_ancestor(const heddle_bytes& given, std::size_t index) {
    const std::string name = "ancestors[" + std::to_string(index) + "]";
    HEDDLE_TRY(const BytesView bytes, take_bytes(given, kMaxInputBytes, name));
    Ancestor ancestor;
    if (is_whole_block(bytes)) {
        auto block = decode_block(bytes);
        if (!block.has_value())
            return fail(HEDDLE_MALFORMED, name + ": " + to_string(block.error()));
        ancestor.header = std::move(block->header);
        for (const BlockHeader& ommer : block->ommers)
            ancestor.ommers.push_back(header_hash(ommer));
    } else {
        auto header = decode_header(bytes);
        if (!header.has_value())
            return fail(HEDDLE_MALFORMED, name + ": " + to_string(header.error()));
        ancestor.header = *std::move(header);
    }
    ancestor.hash = header_hash(ancestor.header);
    return ancestor;
}

Result<void> set_senders(const heddle_block& block, std::vector<Transaction>& transactions) {
    HEDDLE_TRY(const auto senders,
               take_array(block.senders, block.sender_count, kMaxItems, "senders"));
    if (senders.empty()) return {};
    if (senders.size() != transactions.size())
        return fail(HEDDLE_INVALID_ARGUMENT,
                    "there are " + std::to_string(senders.size()) + " senders of " +
                        std::to_string(transactions.size()) + " transactions");
    for (std::size_t i = 0; i < senders.size(); ++i)
        transactions[i].sender = taken(senders[i]);
    return {};
}

Result<executor::OrderedBlock> take_given(const heddle_block& given) {
    HEDDLE_TRY(const BytesView bytes, take_bytes(given.rlp, kMaxInputBytes, "block.rlp"));
    HEDDLE_TRY(const BytesView list,
               take_bytes(given.access_list, kMaxInputBytes, "block.access_list"));
    if (given.transaction_count != 0 || given.withdrawal_count != 0 || given.fields != nullptr)
        return fail(HEDDLE_INVALID_ARGUMENT, "a block is given as RLP or by its fields, not both");
    auto block = decode_block(bytes);
    if (!block.has_value()) return fail(HEDDLE_MALFORMED, to_string(block.error()));
    auto ordered = executor::make_ordered_block(
        *std::move(block),
        given.ancestor_count == 0 ? executor::BlockMode::witness : executor::BlockMode::import);
    ordered.start.encoded_size_bytes = bytes.size();
    ordered.start.access_list.assign(list.begin(), list.end());
    return ordered;
}

Result<executor::OrderedBlock> take_made(const heddle_block& given) {
    if (given.ancestor_count == 0)
        return fail(HEDDLE_INVALID_ARGUMENT, "a block to be made needs its parent");
    HEDDLE_TRY(const auto transactions, take_array(given.transactions, given.transaction_count,
                                                   kMaxItems, "block.transactions"));
    HEDDLE_TRY(const auto withdrawals, take_array(given.withdrawals, given.withdrawal_count,
                                                  kMaxItems, "block.withdrawals"));
    executor::OrderedBlock ordered;
    HEDDLE_TRY(ordered.start.header, take_fields(given.fields));
    // The one that is due, see vm::next_header().
    if (given.fields->slot_number == 0) ordered.start.header.slot_number.reset();
    ordered.start.mode = executor::BlockMode::propose;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        HEDDLE_TRY(Transaction tx, take_transaction(transactions[i], static_cast<std::int64_t>(i)));
        bytes += transactions[i].size;
        if (bytes > kMaxInputBytes)
            return fail(HEDDLE_LIMIT, "the transactions have more than 1 GiB");
        ordered.transactions.push_back(std::move(tx));
    }
    // Where there are none they are added if they are due; see vm::fill_body().
    if (!withdrawals.empty()) ordered.start.withdrawals.emplace();
    for (const heddle_withdrawal& withdrawal : withdrawals)
        ordered.start.withdrawals->push_back({withdrawal.index, withdrawal.validator_index,
                                              taken(withdrawal.address), withdrawal.amount});
    return ordered;
}

}  // namespace

Result<BlockHeader> take_fields(const heddle_fields* given) {
    HEDDLE_TRY(const heddle_fields fields, take(given, "fields"));
    HEDDLE_TRY(const BytesView extra_data,
               take_bytes(fields.extra_data, kMaxInputBytes, "fields.extra_data"));
    BlockHeader header;
    header.parent_hash = taken(fields.parent_hash);
    header.beneficiary = taken(fields.beneficiary);
    header.difficulty = taken(fields.difficulty);
    header.number = fields.number;
    header.gas_limit = fields.gas_limit;
    header.timestamp = fields.timestamp;
    header.extra_data.assign(extra_data.begin(), extra_data.end());
    header.prev_randao = taken(fields.prev_randao);
    header.base_fee_per_gas = taken(fields.base_fee_per_gas);
    header.excess_blob_gas = fields.excess_blob_gas;
    header.parent_beacon_block_root = taken(fields.parent_beacon_block_root);
    header.slot_number = fields.slot_number;
    return header;
}

Result<Transaction> take_transaction(const heddle_bytes& given, std::int64_t index) {
    HEDDLE_TRY(const BytesView bytes, take_bytes(given, kMaxInputBytes, "transaction"));
    auto tx = decode_transaction(bytes);
    if (tx.has_value()) return *std::move(tx);
    Failure failure{.status = HEDDLE_MALFORMED, .text = std::string{to_string(tx.error())}};
    failure.transaction_index = index;
    return std::unexpected(std::move(failure));
}

Result<executor::ChainHead> take_head(const heddle_block& block) {
    HEDDLE_TRY(const auto ancestors,
               take_array(block.ancestors, block.ancestor_count, kMaxAncestors, "ancestors"));
    executor::ChainHead head;
    for (std::size_t i = 0; i < ancestors.size(); ++i) {
        HEDDLE_TRY(Ancestor ancestor, take_ancestor(ancestors[i], i));
        if (i != 0 && head.ancestors.back().header.parent_hash != ancestor.hash)
            return fail(HEDDLE_INVALID_ARGUMENT, "ancestors[" + std::to_string(i) +
                                                     "] is not the parent of the one before it");
        head.ancestors.push_back(std::move(ancestor));
    }
    if (block.parent_total_difficulty != nullptr)
        head.total_difficulty = taken(*block.parent_total_difficulty);
    return head;
}

Result<executor::OrderedBlock> take_block(const heddle_block& block) {
    auto ordered = block.rlp.size == 0 ? take_made(block) : take_given(block);
    if (!ordered.has_value()) return ordered;
    HEDDLE_CHECK(set_senders(block, ordered->transactions));
    return ordered;
}

}  // namespace heddle::library
