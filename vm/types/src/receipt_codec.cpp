// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/receipt_codec.hpp>

#include <algorithm>

#include <types/expected.hpp>

namespace heddle {
namespace {

rlp::Result<Log> decode_log(rlp::Reader& logs) {
    HEDDLE_TRY(rlp::Reader fields, logs.read_list());
    Log log;
    HEDDLE_TRY(log.address, fields.read_address());
    HEDDLE_TRY(rlp::Reader topics, fields.read_list());
    while (!topics.at_end()) {
        if (log.topics.size() == LogTopics::kMost)
            return topics.error(rlp::ErrorCode::trailing_bytes);
        HEDDLE_TRY(const Hash topic, topics.read_hash());
        log.topics.push_back(topic);
    }
    HEDDLE_TRY(const BytesView data, fields.read_string());
    log.data.assign(data.begin(), data.end());
    HEDDLE_CHECK(fields.expect_end());
    return log;
}

}  // namespace

rlp::Result<std::vector<Log>> decode_logs(rlp::Reader& reader) {
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    std::vector<Log> logs;
    while (!items.at_end()) {
        HEDDLE_TRY(logs.emplace_back(), decode_log(items));
    }
    return logs;
}

void encode_slim_receipt(const Receipt& receipt, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_uint64(static_cast<std::uint64_t>(receipt.type), out);
    if (receipt.post_state.has_value())
        rlp::encode_hash(*receipt.post_state, out);
    else
        rlp::encode_uint64(receipt.success ? 1 : 0, out);
    rlp::encode_uint64(receipt.cumulative_gas_used, out);
    encode_logs(receipt.logs, out);
    rlp::wrap_list(begin, out);
}

rlp::Result<Receipt> decode_slim_receipt(rlp::Reader& reader) {
    constexpr auto kLastType = static_cast<std::uint64_t>(TransactionType::set_code);
    HEDDLE_TRY(rlp::Reader fields, reader.read_list());
    Receipt receipt;
    HEDDLE_TRY(const std::uint64_t type, fields.read_uint64());
    if (type > kLastType) return fields.error(rlp::ErrorCode::overflow);
    receipt.type = static_cast<TransactionType>(type);
    HEDDLE_TRY(const BytesView outcome, fields.read_string());
    if (outcome.size() == sizeof(Hash))
        std::ranges::copy(outcome, receipt.post_state.emplace().bytes.begin());
    else if (outcome.size() <= 1 && (outcome.empty() || outcome[0] == 1))
        receipt.success = !outcome.empty();
    else
        return fields.error(rlp::ErrorCode::wrong_size);
    HEDDLE_TRY(receipt.cumulative_gas_used, fields.read_uint64());
    HEDDLE_TRY(receipt.logs, decode_logs(fields));
    HEDDLE_CHECK(fields.expect_end());
    return receipt;
}

}  // namespace heddle
