// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/block.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <types/expected.hpp>

namespace heddle {

namespace {

rlp::Result<void> decode_fork_fields(rlp::Reader& fields, BlockHeader& header) {
    if (fields.at_end()) return {};
    HEDDLE_TRY(header.base_fee_per_gas, fields.read_uint256());
    if (fields.at_end()) return {};
    HEDDLE_TRY(header.withdrawals_root, fields.read_hash());
    if (fields.at_end()) return {};
    HEDDLE_TRY(header.blob_gas_used, fields.read_uint64());
    HEDDLE_TRY(header.excess_blob_gas, fields.read_uint64());
    HEDDLE_TRY(header.parent_beacon_block_root, fields.read_hash());
    if (fields.at_end()) return {};
    HEDDLE_TRY(header.requests_hash, fields.read_hash());
    if (fields.at_end()) return {};
    HEDDLE_TRY(header.block_access_list_hash, fields.read_hash());
    HEDDLE_TRY(header.slot_number, fields.read_uint64());
    return fields.expect_end();
}

rlp::Result<std::vector<Withdrawal>> decode_withdrawals(rlp::Reader& items, std::size_t& index) {
    std::vector<Withdrawal> withdrawals;
    for (index = 0; !items.at_end(); ++index) {
        HEDDLE_TRY(rlp::Reader fields, items.read_list());
        Withdrawal& withdrawal = withdrawals.emplace_back();
        HEDDLE_TRY(withdrawal.index, fields.read_uint64());
        HEDDLE_TRY(withdrawal.validator_index, fields.read_uint64());
        HEDDLE_TRY(withdrawal.address, fields.read_address());
        HEDDLE_TRY(withdrawal.amount, fields.read_uint64());
        HEDDLE_CHECK(fields.expect_end());
    }
    return withdrawals;
}

using Part = BlockDecodeError::Part;

BlockDecodeError at(Part part, std::size_t index, const rlp::Error& error) {
    return {part, index, error.offset, error, std::nullopt};
}

using BlockStatus = std::expected<void, BlockDecodeError>;

// For reserving only. No transaction takes less than 70 bytes, so that bytes which pretend to be
// many transactions cannot make the decoder allocate much more than they are.
std::size_t count_transactions(rlp::Reader items, std::size_t block_size) {
    std::size_t count = 0;
    while (!items.at_end() && items.read_raw().has_value())
        ++count;
    return std::min(count, block_size / 70);
}

BlockStatus decode_transactions(rlp::Reader& fields, std::size_t block_size, Block& block) {
    auto items = fields.read_list();
    if (!items.has_value()) return std::unexpected(at(Part::block, 0, items.error()));
    block.transactions.reserve(count_transactions(*items, block_size));
    while (!items->at_end()) {
        const std::size_t offset = items->offset();
        auto tx = decode_transaction_item(*items);
        if (!tx.has_value())
            return std::unexpected(BlockDecodeError{Part::transaction, block.transactions.size(),
                                                    offset, std::nullopt, tx.error()});
        block.transactions.push_back(*std::move(tx));
    }
    return {};
}

BlockStatus decode_ommers(rlp::Reader& fields, Block& block) {
    auto items = fields.read_list();
    if (!items.has_value()) return std::unexpected(at(Part::block, 0, items.error()));
    while (!items->at_end()) {
        auto ommer = decode_header_item(*items);
        if (!ommer.has_value())
            return std::unexpected(at(Part::ommer, block.ommers.size(), ommer.error()));
        block.ommers.push_back(*std::move(ommer));
    }
    return {};
}

std::string_view to_string(Part part) noexcept {
    switch (part) {
        case Part::block:
            return "block";
        case Part::header:
            return "header";
        case Part::transaction:
            return "transaction";
        case Part::ommer:
            return "ommer";
        case Part::withdrawal:
            return "withdrawal";
    }
    return "block";
}

}  // namespace

std::string to_string(const BlockDecodeError& error) {
    std::string text{to_string(error.part)};
    if (error.part != Part::block && error.part != Part::header)
        text += fmt::format(" {}", error.index);
    text += fmt::format(" at byte {}: ", error.offset);
    if (error.transaction.has_value())
        text += to_string(*error.transaction);
    else if (error.rlp.has_value())
        text += rlp::to_string(error.rlp->code);
    else
        text += "malformed";
    return text;
}

rlp::Result<BlockHeader> decode_header_item(rlp::Reader& reader) {
    HEDDLE_TRY(rlp::Reader fields, reader.read_list());
    BlockHeader header;
    HEDDLE_TRY(header.parent_hash, fields.read_hash());
    HEDDLE_TRY(header.ommers_hash, fields.read_hash());
    HEDDLE_TRY(header.beneficiary, fields.read_address());
    HEDDLE_TRY(header.state_root, fields.read_hash());
    HEDDLE_TRY(header.transactions_root, fields.read_hash());
    HEDDLE_TRY(header.receipts_root, fields.read_hash());
    HEDDLE_CHECK(fields.read_fixed(header.logs_bloom.bytes));
    HEDDLE_TRY(header.difficulty, fields.read_uint256());
    HEDDLE_TRY(header.number, fields.read_uint64());
    HEDDLE_TRY(header.gas_limit, fields.read_uint64());
    HEDDLE_TRY(header.gas_used, fields.read_uint64());
    HEDDLE_TRY(header.timestamp, fields.read_uint64());
    HEDDLE_TRY(const BytesView extra_data, fields.read_string());
    header.extra_data.assign(extra_data.begin(), extra_data.end());
    HEDDLE_TRY(header.prev_randao, fields.read_hash());
    HEDDLE_CHECK(fields.read_fixed(header.nonce));
    HEDDLE_CHECK(decode_fork_fields(fields, header));
    return header;
}

rlp::Result<BlockHeader> decode_header(BytesView bytes) {
    rlp::Reader reader(bytes);
    HEDDLE_TRY(BlockHeader header, decode_header_item(reader));
    HEDDLE_CHECK(reader.expect_end());
    return header;
}

void encode_header(const BlockHeader& header, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_hash(header.parent_hash, out);
    rlp::encode_hash(header.ommers_hash, out);
    rlp::encode_address(header.beneficiary, out);
    rlp::encode_hash(header.state_root, out);
    rlp::encode_hash(header.transactions_root, out);
    rlp::encode_hash(header.receipts_root, out);
    rlp::encode_string(header.logs_bloom.bytes, out);
    rlp::encode_uint256(header.difficulty, out);
    rlp::encode_uint64(header.number, out);
    rlp::encode_uint64(header.gas_limit, out);
    rlp::encode_uint64(header.gas_used, out);
    rlp::encode_uint64(header.timestamp, out);
    rlp::encode_string(header.extra_data, out);
    rlp::encode_hash(header.prev_randao, out);
    rlp::encode_string(header.nonce, out);
    if (header.base_fee_per_gas.has_value()) rlp::encode_uint256(*header.base_fee_per_gas, out);
    if (header.withdrawals_root.has_value()) rlp::encode_hash(*header.withdrawals_root, out);
    if (header.blob_gas_used.has_value()) rlp::encode_uint64(*header.blob_gas_used, out);
    if (header.excess_blob_gas.has_value()) rlp::encode_uint64(*header.excess_blob_gas, out);
    if (header.parent_beacon_block_root.has_value())
        rlp::encode_hash(*header.parent_beacon_block_root, out);
    if (header.requests_hash.has_value()) rlp::encode_hash(*header.requests_hash, out);
    if (header.block_access_list_hash.has_value())
        rlp::encode_hash(*header.block_access_list_hash, out);
    if (header.slot_number.has_value()) rlp::encode_uint64(*header.slot_number, out);
    rlp::wrap_list(begin, out);
}

Hash header_hash(const BlockHeader& header) {
    Bytes encoded;
    encoded.reserve(700);
    encode_header(header, encoded);
    return keccak256(encoded);
}

std::expected<Block, BlockDecodeError> decode_block(BytesView bytes) {
    Block block;
    rlp::Reader reader(bytes);
    auto fields = reader.read_list();
    if (!fields.has_value()) return std::unexpected(at(Part::block, 0, fields.error()));
    if (const auto end = reader.expect_end(); !end.has_value())
        return std::unexpected(at(Part::block, 0, end.error()));
    auto header = decode_header_item(*fields);
    if (!header.has_value()) return std::unexpected(at(Part::header, 0, header.error()));
    block.header = *std::move(header);
    HEDDLE_CHECK(decode_transactions(*fields, bytes.size(), block));
    HEDDLE_CHECK(decode_ommers(*fields, block));
    if (fields->at_end()) return block;
    auto items = fields->read_list();
    if (!items.has_value()) return std::unexpected(at(Part::block, 0, items.error()));
    std::size_t index = 0;
    auto withdrawals = decode_withdrawals(*items, index);
    if (!withdrawals.has_value())
        return std::unexpected(at(Part::withdrawal, index, withdrawals.error()));
    block.withdrawals = *std::move(withdrawals);
    if (const auto end = fields->expect_end(); !end.has_value())
        return std::unexpected(at(Part::block, 0, end.error()));
    return block;
}

void encode_block(const Block& block, Bytes& out) {
    const std::size_t begin = out.size();
    encode_header(block.header, out);
    encode_body(block, out);
    rlp::wrap_list(begin, out);
}

void encode_body(const Block& block, Bytes& out) {
    const std::size_t transactions_begin = out.size();
    for (const Transaction& tx : block.transactions)
        encode_transaction_item(tx, out);
    rlp::wrap_list(transactions_begin, out);
    const std::size_t ommers_begin = out.size();
    for (const BlockHeader& ommer : block.ommers)
        encode_header(ommer, out);
    rlp::wrap_list(ommers_begin, out);
    if (block.withdrawals.has_value()) {
        const std::size_t withdrawals_begin = out.size();
        for (const Withdrawal& withdrawal : *block.withdrawals)
            encode_withdrawal(withdrawal, out);
        rlp::wrap_list(withdrawals_begin, out);
    }
}

std::size_t encoded_size_bound(const Block& block) noexcept {
    // A string or list has at most nine bytes before it, a number of 256 bits 33, one of 64 nine.
    constexpr std::size_t kPrefix = 9;
    constexpr std::size_t kHeader = 1'024;  // a bloom, at most eleven hashes, fifteen numbers
    constexpr std::size_t kWithdrawal = 64;
    constexpr std::size_t kTransaction = 352;  // the type, six wide numbers, four others, `to`
    constexpr std::size_t kAccessedAddress = 21 + 2 * kPrefix;
    constexpr std::size_t kHash = 33;
    constexpr std::size_t kAuthorization = 4 * 33 + 21 + 2 * kPrefix;
    std::size_t bytes = 4 * kPrefix + kHeader + block.header.extra_data.size();
    for (const BlockHeader& ommer : block.ommers)
        bytes += kHeader + ommer.extra_data.size();
    if (block.withdrawals.has_value()) bytes += block.withdrawals->size() * kWithdrawal;
    for (const Transaction& tx : block.transactions) {
        bytes += kTransaction + tx.data.size() + tx.blob_versioned_hashes.size() * kHash +
                 tx.authorization_list.size() * kAuthorization;
        for (const AccessListEntry& entry : tx.access_list)
            bytes += kAccessedAddress + entry.storage_keys.size() * kHash;
    }
    return bytes;
}

Hash ommers_hash(const std::vector<BlockHeader>& ommers) {
    if (ommers.empty()) return kEmptyListHash;
    Bytes encoded;
    for (const BlockHeader& ommer : ommers)
        encode_header(ommer, encoded);
    rlp::wrap_list(0, encoded);
    return keccak256(encoded);
}

void encode_withdrawal(const Withdrawal& withdrawal, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_uint64(withdrawal.index, out);
    rlp::encode_uint64(withdrawal.validator_index, out);
    rlp::encode_address(withdrawal.address, out);
    rlp::encode_uint64(withdrawal.amount, out);
    rlp::wrap_list(begin, out);
}

}  // namespace heddle
