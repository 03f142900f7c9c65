// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/log_codec.hpp>

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

}  // namespace heddle
