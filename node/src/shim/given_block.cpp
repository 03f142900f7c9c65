// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/given_block.hpp"

#include <utility>

#include <types/object_codec.hpp>

namespace heddle::node {
namespace {

using consensus_adapter::OrderedBlock;

void put_header(const BlockHeader& header, Bytes& scratch, Bytes& out) {
    scratch.clear();
    encode_header(header, scratch);
    put_bytes(scratch, out);
}

BlockHeader take_header(FieldReader& fields) {
    auto header = decode_header(fields.bytes());
    if (header.has_value()) return *std::move(header);
    fields.fail();
    return {};
}

}  // namespace

void put_withdrawals(const std::vector<Withdrawal>& withdrawals, Bytes& out) {
    put_number(withdrawals.size(), out);
    for (const Withdrawal& withdrawal : withdrawals) {
        put_number(withdrawal.index, out);
        put_number(withdrawal.validator_index, out);
        put_raw(withdrawal.address.view(), out);
        put_number(withdrawal.amount, out);
    }
}

std::vector<Withdrawal> take_withdrawals(FieldReader& fields) {
    constexpr std::size_t kLeastBytes = 23;
    std::vector<Withdrawal> withdrawals(fields.count(kLeastBytes));
    for (Withdrawal& withdrawal : withdrawals) {
        withdrawal.index = fields.number();
        withdrawal.validator_index = fields.number();
        fields.fill(withdrawal.address.bytes);
        withdrawal.amount = fields.number();
    }
    return withdrawals;
}

void put_sets(const std::vector<ObjectSet>& sets, Bytes& out) {
    Bytes encoded;
    if (!sets.empty()) encode_object_sets(sets, encoded);
    put_bytes(encoded, out);
}

std::vector<ObjectSet> take_sets(FieldReader& fields) {
    const BytesView encoded = fields.bytes();
    if (encoded.empty()) return {};
    auto sets = decode_object_sets(encoded);
    if (!sets.has_value()) fields.fail();
    return sets.has_value() ? *std::move(sets) : std::vector<ObjectSet>{};
}

void GivenBlockWriter::begin(const executor::BlockStart& start) {
    block_ = {.number = start.header.number, .encoded = {}};
    Bytes& out = block_.encoded;
    put_number(start.encoded_size_bytes, out);
    put_header(start.header, scratch_, out);
    put_number(start.ommers.size(), out);
    for (const BlockHeader& ommer : start.ommers)
        put_header(ommer, scratch_, out);
    out.push_back(start.withdrawals.has_value() ? 1 : 0);
    if (start.withdrawals.has_value()) put_withdrawals(*start.withdrawals, out);
    access_list_ = start.access_list;
    transactions_.clear();
    count_ = 0;
    sets_.clear();
}

void GivenBlockWriter::add(const Transaction& tx, const std::optional<ObjectSet>& objects) {
    scratch_.clear();
    encode_transaction(tx, scratch_);
    put_bytes(scratch_, transactions_);
    ++count_;
    if (objects.has_value()) sets_.push_back(*objects);
}

GivenBlock GivenBlockWriter::finish() {
    Bytes& out = block_.encoded;
    put_number(count_, out);
    put_raw(transactions_, out);
    if (sets_.size() != count_) sets_.clear();
    put_sets(sets_, out);
    put_bytes(access_list_, out);
    return std::exchange(block_, {});
}

OrderedBlock take_given_block(FieldReader& fields) {
    OrderedBlock block;
    block.start.encoded_size_bytes = static_cast<std::size_t>(fields.number());
    block.start.header = take_header(fields);
    const std::size_t ommers = fields.count(1);
    for (std::size_t i = 0; i < ommers && !fields.has_failed(); ++i)
        block.start.ommers.push_back(take_header(fields));
    if (fields.byte() != 0) block.start.withdrawals = take_withdrawals(fields);
    const std::size_t count = fields.count(1);
    for (std::size_t i = 0; i < count && !fields.has_failed(); ++i) {
        auto tx = decode_transaction(fields.bytes());
        if (!tx.has_value()) {
            fields.fail();
            break;
        }
        block.transactions.push_back(*std::move(tx));
    }
    block.start.transaction_count = block.transactions.size();
    block.object_sets = take_sets(fields);
    const BytesView list = fields.bytes();
    block.start.access_list.assign(list.begin(), list.end());
    return block;
}

}  // namespace heddle::node
