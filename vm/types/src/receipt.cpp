// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/receipt.hpp>

#include <types/rlp.hpp>

namespace heddle {

void LogsBloom::add(BytesView item) noexcept {
    add_hash(keccak256(item));
}

void LogsBloom::add_hash(const Hash& hash) noexcept {
    for (std::size_t i = 0; i < 6; i += 2) {
        const unsigned bit = (static_cast<unsigned>(hash.bytes[i]) << 8 | hash.bytes[i + 1]) & 2047;
        bytes[255 - bit / 8] |= static_cast<std::uint8_t>(1u << (bit % 8));
    }
}

void LogsBloom::add(const Log& log) noexcept {
    add(log.address.view());
    for (const Hash& topic : log.topics)
        add(topic.view());
}

LogsBloom& LogsBloom::operator|=(const LogsBloom& other) noexcept {
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] |= other.bytes[i];
    return *this;
}

LogsBloom logs_bloom(const std::vector<Log>& logs) noexcept {
    LogsBloom bloom;
    for (const Log& log : logs)
        bloom.add(log);
    return bloom;
}

namespace {

void encode_log(const Log& log, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_address(log.address, out);
    const std::size_t topics_begin = out.size();
    for (const Hash& topic : log.topics)
        rlp::encode_hash(topic, out);
    rlp::wrap_list(topics_begin, out);
    rlp::encode_string(log.data, out);
    rlp::wrap_list(begin, out);
}

}  // namespace

void encode_logs(const std::vector<Log>& logs, Bytes& out) {
    const std::size_t begin = out.size();
    for (const Log& log : logs)
        encode_log(log, out);
    rlp::wrap_list(begin, out);
}

void encode_receipt(const Receipt& receipt, Bytes& out) {
    if (receipt.type != TransactionType::legacy)
        out.push_back(static_cast<std::uint8_t>(receipt.type));
    const std::size_t begin = out.size();
    if (receipt.post_state.has_value())
        rlp::encode_hash(*receipt.post_state, out);
    else
        rlp::encode_uint64(receipt.success ? 1 : 0, out);
    rlp::encode_uint64(receipt.cumulative_gas_used, out);
    rlp::encode_string(receipt.bloom.bytes, out);
    encode_logs(receipt.logs, out);
    rlp::wrap_list(begin, out);
}

void encode_receipt_without_logs(TransactionType type, bool success,
                                 std::uint64_t cumulative_gas_used, Bytes& out) {
    static constexpr LogsBloom kNoBloom{};
    if (type != TransactionType::legacy) out.push_back(static_cast<std::uint8_t>(type));
    const std::size_t begin = out.size();
    rlp::encode_uint64(success ? 1 : 0, out);
    rlp::encode_uint64(cumulative_gas_used, out);
    rlp::encode_string(kNoBloom.bytes, out);
    rlp::wrap_list(out.size(), out);  // of logs
    rlp::wrap_list(begin, out);
}

Hash logs_hash(const std::vector<Log>& logs) {
    Bytes encoded;
    encode_logs(logs, encoded);
    return keccak256(encoded);
}

}  // namespace heddle
