// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "block_assembler.hpp"

#include <string>
#include <utility>

#include <vm/block.hpp>

namespace heddle::executor {

namespace {

std::unexpected<BlockError> mismatch(BlockErrorCode code, const BlockHeader& header,
                                     std::string claimed, std::string computed) {
    BlockError error;
    error.code = code;
    error.number = header.number;
    error.claimed = std::move(claimed);
    error.computed = std::move(computed);
    return std::unexpected(std::move(error));
}

}  // namespace

void BlockAssembler::begin(const BlockEnv& env, std::size_t transaction_count) {
    revision_ = env.revision;
    limit_ = {env.gas_limit, env.max_blob_gas_per_block};
    gas_used_ = 0;
    blob_gas_used_ = 0;
    receipts_.clear();
    receipts_.reserve(transaction_count);
}

vm::BlockGas BlockAssembler::left() const noexcept {
    return {limit_.gas - gas_used_, limit_.blob_gas - blob_gas_used_};
}

void BlockAssembler::add(Receipt receipt, const std::optional<Hash>& post_state) {
    gas_used_ += receipt.gas_used;
    blob_gas_used_ += receipt.blob_gas_used;
    receipt.cumulative_gas_used = gas_used_;
    receipt.post_state = post_state;
    receipts_.push_back(std::move(receipt));
}

LogsBloom BlockAssembler::bloom() const noexcept {
    LogsBloom bloom;
    for (const Receipt& receipt : receipts_)
        if (!receipt.logs.empty()) bloom |= receipt.bloom;
    return bloom;
}

std::expected<void, BlockError> BlockAssembler::check(const BlockHeader& header,
                                                      std::span<const Bytes> requests,
                                                      bool check_receipts_root) const {
    if (header.gas_used != gas_used_)
        return mismatch(BlockErrorCode::invalid_gas_used, header, std::to_string(header.gas_used),
                        std::to_string(gas_used_));
    if (check_receipts_root) {
        const Hash root = vm::receipts_root(receipts_);
        if (header.receipts_root != root)
            return mismatch(BlockErrorCode::invalid_receipts_root, header,
                            to_string(header.receipts_root), to_string(root));
    }
    if (const LogsBloom computed = bloom(); header.logs_bloom != computed)
        return mismatch(BlockErrorCode::invalid_logs_bloom, header, to_hex(header.logs_bloom.bytes),
                        to_hex(computed.bytes));
    if (revision_ >= Revision::prague) {
        const Hash hash = vm::requests_hash(requests);
        if (header.requests_hash != hash)
            return mismatch(BlockErrorCode::invalid_requests, header,
                            header.requests_hash.has_value() ? to_string(*header.requests_hash)
                                                             : std::string{"absent"},
                            to_string(hash));
    }
    return {};
}

void BlockAssembler::fill(BlockHeader& header, std::span<const Bytes> requests) const {
    header.gas_used = gas_used_;
    header.receipts_root = vm::receipts_root(receipts_);
    header.logs_bloom = bloom();
    if (revision_ >= Revision::cancun) header.blob_gas_used = blob_gas_used_;
    if (revision_ >= Revision::prague) header.requests_hash = vm::requests_hash(requests);
}

}  // namespace heddle::executor
