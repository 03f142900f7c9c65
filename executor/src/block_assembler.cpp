// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "block_assembler.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <types/ordered_root.hpp>

#include <vm/block.hpp>

#include "prefetch.hpp"

namespace heddle::executor {

namespace {

/// Receipts ahead of the one added for which memory is fetched.
constexpr std::size_t kAhead = 2;

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

void BlockAssembler::begin(const BlockEnv& env, std::size_t transaction_count,
                           bool needs_receipts_root) {
    revision_ = env.revision;
    limit_ = {env.gas_limit, env.max_blob_gas_per_block};
    gas_used_ = 0;
    blob_gas_used_ = 0;
    receipts_.clear();
    bloom_ = {};
    needs_receipts_root_ = needs_receipts_root;
    leaves_hashing_ = false;
    reserve(transaction_count);
}

void BlockAssembler::reserve(std::size_t transaction_count) {
    receipts_.reserve(transaction_count);
    if (needs_receipts_root_) leaves_.resize(std::max(leaves_.size(), transaction_count));
}

vm::BlockGas BlockAssembler::left() const noexcept {
    return {limit_.gas - gas_used_, limit_.blob_gas - blob_gas_used_};
}

void BlockAssembler::add(Receipt&& receipt, const std::optional<Hash>& post_state) {
    Receipt& added = receipts_.emplace_back(std::move(receipt));
    gas_used_ += added.gas_used;
    blob_gas_used_ += added.blob_gas_used;
    added.cumulative_gas_used = gas_used_;
    added.post_state = post_state;
    if (!added.logs.empty()) bloom_ |= added.bloom;
    prefetch_for_write(&added + kAhead);
    if (!needs_receipts_root_ || leaves_hashing_) return;
    if (leaves_.size() < receipts_.size()) leaves_.resize(receipts_.capacity());
    const auto end = static_cast<std::uint32_t>(receipts_.size());
    hash_leaves(end - 1, end, leaf_);
}

void BlockAssembler::hash_leaves(std::uint32_t begin, std::uint32_t end, OrderedLeaf& leaf) {
    // Where they are is looked up once, not leaf by leaf: beside it stands what changes with each
    // receipt that is added.
    const Receipt* const receipts = receipts_.data();
    NodeReference* const leaves = leaves_.data();
    for (std::uint32_t i = begin; i < end; ++i) {
        // What another processor has just written, not what it is going to write.
        if (i + 1 < end) prefetch_for_read(receipts + i + 1);
        encode_receipt(receipts[i], leaf.start());
        leaves[i] = leaf.finish();
    }
}

Hash BlockAssembler::receipts_root() const {
    const std::span leaves = std::span{leaves_}.first(receipts_.size());
    return ordered_root(
        leaves, [this](std::uint32_t index, Bytes& out) { encode_receipt(receipts_[index], out); });
}

std::expected<void, BlockError> BlockAssembler::check(const BlockHeader& header,
                                                      std::span<const Bytes> requests) const {
    if (header.gas_used != gas_used_)
        return mismatch(BlockErrorCode::invalid_gas_used, header, std::to_string(header.gas_used),
                        std::to_string(gas_used_));
    if (needs_receipts_root_) {
        const Hash root = receipts_root();
        if (header.receipts_root != root)
            return mismatch(BlockErrorCode::invalid_receipts_root, header,
                            to_string(header.receipts_root), to_string(root));
    }
    if (header.logs_bloom != bloom_)
        return mismatch(BlockErrorCode::invalid_logs_bloom, header, to_hex(header.logs_bloom.bytes),
                        to_hex(bloom_.bytes));
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
    header.receipts_root = receipts_root();
    header.logs_bloom = bloom_;
    if (revision_ >= Revision::cancun) header.blob_gas_used = blob_gas_used_;
    if (revision_ >= Revision::prague) header.requests_hash = vm::requests_hash(requests);
}

}  // namespace heddle::executor
