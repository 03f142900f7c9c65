// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forking/block_record.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/expected.hpp>
#include <types/receipt_codec.hpp>
#include <types/rlp.hpp>
#include <types/sender_recovery.hpp>
#include <vm/block.hpp>
#include <vm/next_header.hpp>

#include "program/error.hpp"

namespace heddle::node::forking {
namespace {

Log parse_log(const JsonView& json) {
    Log log;
    log.address = json.at("address").address();
    const JsonView topics = json.at("topics");
    if (topics.size() > LogTopics::kMost) topics.fail("more than four topics");
    for (std::size_t i = 0; i < topics.size(); ++i)
        log.topics.push_back(topics.element(i).hash());
    if (const auto data = json.find("data")) log.data = data->bytes();
    return log;
}

void encode_kept_receipt(const Receipt& receipt, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_uint64(static_cast<std::uint64_t>(receipt.type), out);
    rlp::encode_uint64(receipt.success ? 1 : 0, out);
    rlp::encode_string(receipt.post_state ? receipt.post_state->view() : BytesView{}, out);
    rlp::encode_uint64(receipt.gas_used, out);
    rlp::encode_uint64(receipt.cumulative_gas_used, out);
    rlp::encode_uint64(receipt.blob_gas_used, out);
    rlp::encode_string(receipt.contract_address ? receipt.contract_address->view() : BytesView{},
                       out);
    rlp::encode_uint256(receipt.effective_gas_price, out);
    encode_logs(receipt.logs, out);
    rlp::wrap_list(begin, out);
}

template <typename T>
rlp::Result<std::optional<T>> read_optional(rlp::Reader& reader) {
    HEDDLE_TRY(const BytesView bytes, reader.read_string());
    if (bytes.empty()) return std::nullopt;
    T value;
    if (bytes.size() != value.bytes.size()) return reader.error(rlp::ErrorCode::wrong_size);
    std::ranges::copy(bytes, value.bytes.begin());
    return value;
}

rlp::Result<Receipt> decode_kept_receipt(rlp::Reader& reader) {
    constexpr auto kLastType = static_cast<std::uint64_t>(TransactionType::set_code);
    Receipt receipt;
    HEDDLE_TRY(rlp::Reader fields, reader.read_list());
    HEDDLE_TRY(const std::uint64_t type, fields.read_uint64());
    if (type > kLastType) return fields.error(rlp::ErrorCode::overflow);
    receipt.type = static_cast<TransactionType>(type);
    HEDDLE_TRY(const std::uint64_t success, fields.read_uint64());
    receipt.success = success != 0;
    HEDDLE_TRY(receipt.post_state, read_optional<Hash>(fields));
    HEDDLE_TRY(receipt.gas_used, fields.read_uint64());
    HEDDLE_TRY(receipt.cumulative_gas_used, fields.read_uint64());
    HEDDLE_TRY(receipt.blob_gas_used, fields.read_uint64());
    HEDDLE_TRY(receipt.contract_address, read_optional<Address>(fields));
    HEDDLE_TRY(receipt.effective_gas_price, fields.read_uint256());
    HEDDLE_TRY(receipt.logs, decode_logs(fields));
    receipt.bloom = logs_bloom(receipt.logs);
    return receipt;
}

rlp::Result<std::vector<Receipt>> decode_kept_receipts(BytesView bytes) {
    std::vector<Receipt> receipts;
    rlp::Reader reader(bytes);
    HEDDLE_TRY(rlp::Reader list, reader.read_list());
    while (!list.at_end()) {
        HEDDLE_TRY(Receipt receipt, decode_kept_receipt(list));
        receipts.push_back(std::move(receipt));
    }
    HEDDLE_CHECK(reader.expect_end());
    return receipts;
}

void expect_same(std::string_view what, const Hash& said, const Hash& computed,
                 std::uint64_t number) {
    if (said != computed)
        fail_input("block {}: its {} are not those of its header: {} instead of {}", number, what,
                   to_string(computed), to_string(said));
}

}  // namespace

Receipt parse_rpc_receipt(const JsonView& json) {
    constexpr auto kLastType = static_cast<std::uint64_t>(TransactionType::set_code);
    Receipt receipt;
    if (const auto type = json.find("type")) {
        const std::uint64_t number = type->uint64();
        if (number > kLastType) type->fail("a type of transactions that is not known here");
        receipt.type = static_cast<TransactionType>(number);
    }
    if (const auto root = json.find("root"); root.has_value() && !root->bytes().empty())
        receipt.post_state = root->hash();
    else
        receipt.success = json.at("status").uint64() == 1;
    receipt.gas_used = json.at("gasUsed").uint64();
    receipt.cumulative_gas_used = json.at("cumulativeGasUsed").uint64();
    const JsonView logs = json.at("logs");
    for (std::size_t i = 0; i < logs.size(); ++i)
        receipt.logs.push_back(parse_log(logs.element(i)));
    receipt.bloom = logs_bloom(receipt.logs);
    if (const auto created = json.find("contractAddress"))
        receipt.contract_address = created->address();
    if (const auto price = json.find("effectiveGasPrice"))
        receipt.effective_gas_price = price->uint256();
    if (const auto gas = json.find("blobGasUsed")) receipt.blob_gas_used = gas->uint64();
    return receipt;
}

std::vector<Receipt> parse_rpc_receipts(const JsonView& json) {
    // A million empty values must not take the room of a million receipts before one is looked at.
    constexpr std::size_t kUsual = 1'024;
    std::vector<Receipt> receipts;
    receipts.reserve(std::min(json.size(), kUsual));
    for (std::size_t i = 0; i < json.size(); ++i)
        receipts.push_back(parse_rpc_receipt(json.element(i)));
    return receipts;
}

ledger::StoredBlock make_checked_block(follow::RebuiltBlock rebuilt,
                                       std::vector<BlockHeader> ommers,
                                       std::vector<Receipt> receipts,
                                       const Uint256& total_difficulty) {
    ledger::StoredBlock stored;
    stored.hash = rebuilt.hash;
    stored.block = std::move(rebuilt.block);
    stored.block.ommers = std::move(ommers);
    stored.total_difficulty = total_difficulty;
    stored.receipts = std::move(receipts);
    const BlockHeader said = stored.block.header;
    if (stored.receipts.size() != stored.block.transactions.size())
        fail_input("block {}: {} of {}", said.number, counted(stored.receipts.size(), "receipt"),
                   counted(stored.block.transactions.size(), "transaction"));
    vm::fill_body(stored.block);
    const BlockHeader computed = std::exchange(stored.block.header, said);
    expect_same("transactions", said.transactions_root, computed.transactions_root, said.number);
    expect_same("ommers", said.ommers_hash, computed.ommers_hash, said.number);
    if (said.withdrawals_root.has_value())
        expect_same("withdrawals", *said.withdrawals_root,
                    computed.withdrawals_root.value_or(Hash{}), said.number);
    expect_same("receipts", said.receipts_root, vm::receipts_root(stored.receipts), said.number);
    recover_missing_senders(stored.block.transactions);
    return stored;
}

std::string to_record(const ledger::StoredBlock& block) {
    Bytes body;
    encode_block(block.block, body);
    Bytes receipts;
    for (const Receipt& receipt : block.receipts)
        encode_kept_receipt(receipt, receipts);
    rlp::wrap_list(0, receipts);
    return fmt::format("{} {} {}", to_hex(block.total_difficulty), to_hex(body), to_hex(receipts));
}

std::optional<ledger::StoredBlock> parse_record(std::string_view text) {
    const auto first = text.find(' ');
    if (first == std::string_view::npos) return std::nullopt;
    const auto second = text.find(' ', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const auto total_difficulty = uint256_from_string(text.substr(0, first));
    const auto body = from_hex(text.substr(first + 1, second - first - 1));
    const auto receipts = from_hex(text.substr(second + 1));
    if (!total_difficulty.has_value() || !body.has_value() || !receipts.has_value())
        return std::nullopt;
    auto block = decode_block(*body);
    auto decoded = decode_kept_receipts(*receipts);
    if (!block.has_value() || !decoded.has_value() || decoded->size() != block->transactions.size())
        return std::nullopt;
    ledger::StoredBlock stored;
    stored.hash = header_hash(block->header);
    stored.block = *std::move(block);
    stored.total_difficulty = *total_difficulty;
    stored.receipts = *std::move(decoded);
    recover_missing_senders(stored.block.transactions);
    return stored;
}

std::string to_header_record(const ledger::StoredHeader& header) {
    Bytes encoded;
    encode_header(header.header, encoded);
    return fmt::format("{} {}", to_hex(header.total_difficulty), to_hex(encoded));
}

std::optional<ledger::StoredHeader> parse_header_record(std::string_view text) {
    const auto space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    const auto total_difficulty = uint256_from_string(text.substr(0, space));
    const auto bytes = from_hex(text.substr(space + 1));
    if (!total_difficulty.has_value() || !bytes.has_value()) return std::nullopt;
    auto header = decode_header(*bytes);
    if (!header.has_value()) return std::nullopt;
    const Hash hash = header_hash(*header);
    return ledger::StoredHeader{*std::move(header), hash, *total_difficulty};
}

}  // namespace heddle::node::forking
