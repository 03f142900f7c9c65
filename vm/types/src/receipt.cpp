// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/receipt.hpp>

#include <algorithm>

#include <types/rlp.hpp>

#include "rlp_size.hpp"

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

// Sizes of encodings without their lists' prefixes.
constexpr std::size_t kAddressSize = 1 + sizeof(Address::bytes);
constexpr std::size_t kHashSize = 1 + sizeof(Hash::bytes);

std::size_t payload_of(const LogTopics& topics) noexcept {
    return topics.size() * kHashSize;
}
std::size_t payload_of(const Log& log) noexcept {
    return kAddressSize + rlp::size_with_prefix(payload_of(log.topics)) + rlp::size_of(log.data);
}
std::size_t payload_of(const std::vector<Log>& logs) noexcept {
    std::size_t payload = 0;
    for (const Log& log : logs)
        payload += rlp::size_with_prefix(payload_of(log));
    return payload;
}

/// What is appended has room, and what is appended again and again is not moved each time.
void make_room(std::size_t size, Bytes& out) {
    const std::size_t needed = out.size() + size;
    if (needed > out.capacity()) out.reserve(std::max(needed, 2 * out.capacity()));
}

void encode_log(const Log& log, Bytes& out) {
    rlp::encode_list_header(payload_of(log), out);
    rlp::encode_address(log.address, out);
    rlp::encode_list_header(payload_of(log.topics), out);
    for (const Hash& topic : log.topics)
        rlp::encode_hash(topic, out);
    rlp::encode_string(log.data, out);
}

/// @param payload  payload_of(logs).
void encode_logs(const std::vector<Log>& logs, std::size_t payload, Bytes& out) {
    rlp::encode_list_header(payload, out);
    for (const Log& log : logs)
        encode_log(log, out);
}

}  // namespace

void encode_logs(const std::vector<Log>& logs, Bytes& out) {
    const std::size_t payload = payload_of(logs);
    make_room(rlp::size_with_prefix(payload), out);
    encode_logs(logs, payload, out);
}

/// A receipt may have a million logs, so it is measured before it is written.
void encode_receipt(const Receipt& receipt, Bytes& out) {
    const std::uint64_t status = receipt.success ? 1 : 0;
    const std::size_t logs = payload_of(receipt.logs);
    const std::size_t payload =
        (receipt.post_state.has_value() ? kHashSize : rlp::size_of(status)) +
        rlp::size_of(receipt.cumulative_gas_used) +
        rlp::size_with_prefix(sizeof(receipt.bloom.bytes)) + rlp::size_with_prefix(logs);
    make_room(1 + rlp::size_with_prefix(payload), out);
    if (receipt.type != TransactionType::legacy)
        out.push_back(static_cast<std::uint8_t>(receipt.type));
    rlp::encode_list_header(payload, out);
    if (receipt.post_state.has_value())
        rlp::encode_hash(*receipt.post_state, out);
    else
        rlp::encode_uint64(status, out);
    rlp::encode_uint64(receipt.cumulative_gas_used, out);
    rlp::encode_string(receipt.bloom.bytes, out);
    encode_logs(receipt.logs, logs, out);
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
