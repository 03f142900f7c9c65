// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "result.hpp"

#include "boundary.hpp"

using namespace heddle::library;

const heddle::Bytes& heddle_result::encoded_receipt(std::size_t index) const {
    std::call_once(once_, [this] {
        std::vector<heddle::Bytes> encoded(receipts.size());
        for (std::size_t i = 0; i < receipts.size(); ++i)
            encode_receipt(receipts[i], encoded[i]);
        encoded_ = std::move(encoded);
    });
    return encoded_[index];
}

extern "C" {

void heddle_result_free(heddle_result* result) {
    delete result;
}

heddle_status heddle_result_summary(const heddle_result* result, heddle_summary* out) {
    if (result == nullptr) return HEDDLE_INVALID_ARGUMENT;
    heddle_summary summary = result->summary;
    summary.receipt_count = result->receipts.size();
    summary.header = told(result->header);
    summary.access_list = told(result->access_list);
    summary.output = told(result->output);
    summary.ending = result->ending.c_str();
    return give(summary, out);
}

heddle_status heddle_result_receipt(const heddle_result* result, std::size_t index,
                                    heddle_receipt* out) {
    if (result == nullptr || index >= result->receipts.size()) return HEDDLE_INVALID_ARGUMENT;
    heddle_receipt told_receipt{};
    const heddle_status status = run_call(nullptr, [&]() -> Result<void> {
        told_receipt.encoded = told(result->encoded_receipt(index));
        return {};
    });
    if (status != HEDDLE_OK) return status;
    const heddle::Receipt& receipt = result->receipts[index];
    told_receipt.gas_used = receipt.gas_used;
    told_receipt.cumulative_gas_used = receipt.cumulative_gas_used;
    told_receipt.blob_gas_used = receipt.blob_gas_used;
    told_receipt.effective_gas_price = told(receipt.effective_gas_price);
    told_receipt.type = static_cast<std::uint8_t>(receipt.type);
    told_receipt.success = receipt.success ? 1 : 0;
    if (receipt.post_state.has_value()) {
        told_receipt.has_post_state = 1;
        told_receipt.post_state = told(*receipt.post_state);
    }
    if (receipt.contract_address.has_value()) {
        told_receipt.has_contract_address = 1;
        told_receipt.contract_address = told(*receipt.contract_address);
    }
    told_receipt.bloom = receipt.bloom.bytes.data();
    told_receipt.log_count = receipt.logs.size();
    return give(told_receipt, out);
}

heddle_status heddle_result_log(const heddle_result* result, std::size_t receipt, std::size_t index,
                                heddle_log* out) {
    if (result == nullptr || receipt >= result->receipts.size()) return HEDDLE_INVALID_ARGUMENT;
    const std::vector<heddle::Log>& logs = result->receipts[receipt].logs;
    if (index >= logs.size()) return HEDDLE_INVALID_ARGUMENT;
    const heddle::Log& log = logs[index];
    heddle_log told_log{};
    told_log.address = told(log.address);
    told_log.topic_count = static_cast<std::uint32_t>(log.topics.size());
    for (std::uint32_t i = 0; i < told_log.topic_count; ++i)
        told_log.topics[i] = told(log.topics[i]);
    told_log.data = told(log.data);
    return give(told_log, out);
}

const heddle_changes* heddle_result_changes(const heddle_result* result) {
    return result == nullptr ? nullptr : &result->changes;
}

}  // extern "C"
