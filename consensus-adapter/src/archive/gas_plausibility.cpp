// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "gas_plausibility.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <types/rlp.hpp>

namespace heddle::consensus_adapter {

namespace {

/// Blocks up to this size are decoded whatever they say: they take a few MiB at most.
constexpr std::size_t kSmallBlockBytes = std::size_t{64} << 10;
/// By less than this part of itself a gas limit changes from block to block (YP 4.4.4).
constexpr std::uint64_t kGasLimitBoundDivisor = 1024;
/// No transaction takes less of a block's gas: the cheapest of any fork costs 12,000 (Amsterdam),
/// and at most half of what one costs comes back (YP 6.2).
constexpr std::uint64_t kLeastTransactionGas = 6'000;

/// The header and the number of transactions, in memory that does not depend on how many there are.
/// nullopt: the block is small, has none, or its bytes are no block.
std::optional<GasPlausibility::Decoded> outline_of(BytesView bytes) {
    if (bytes.size() <= kSmallBlockBytes) return std::nullopt;
    rlp::Reader reader(bytes);
    auto fields = reader.read_list();
    if (!fields.has_value()) return std::nullopt;
    auto header = decode_header_item(*fields);
    if (!header.has_value()) return std::nullopt;
    auto items = fields->read_list();
    if (!items.has_value() || items->at_end()) return std::nullopt;
    GasPlausibility::Decoded outline;
    outline.block.header = *std::move(header);
    for (; !items->at_end(); ++outline.transaction_count)
        if (!items->read_raw().has_value()) return std::nullopt;
    return outline;
}

std::uint64_t twice(std::uint64_t gas) noexcept {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    return gas > kMost / 2 ? kMost : 2 * gas;
}

/// Why a block whose blocks may have so much gas is not decoded; nullopt: it pays for what it has.
std::optional<std::string> unpaid(const GasPlausibility::Decoded& outline, std::uint64_t most_gas) {
    const std::uint64_t gas_limit = std::min(outline.block.header.gas_limit, most_gas);
    if (outline.transaction_count <= gas_limit / kLeastTransactionGas) return std::nullopt;
    if (most_gas < outline.block.header.gas_limit)
        return fmt::format("{} of them, and the gas limit can be {} at most, whatever it says",
                           outline.transaction_count, most_gas);
    return fmt::format("{} of them, and the gas limit is {}", outline.transaction_count, gas_limit);
}

}  // namespace

std::uint64_t GasBound::at(std::uint64_t block) const noexcept {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = gas_limit;
    for (std::uint64_t i = number; i < block; ++i) {
        const std::uint64_t step = most / kGasLimitBoundDivisor;
        if (step == 0) break;
        if (most > kMost - step) return kMost;
        most += step;
    }
    return most;
}

GasBound bound_after(const BlockHeader& header) noexcept {
    const bool may_double = !header.base_fee_per_gas.has_value();
    return {header.number, may_double ? twice(header.gas_limit) : header.gas_limit};
}

std::expected<Block, std::string> decode_paid_block(BytesView bytes, const GasBound& bound) {
    if (const auto outline = outline_of(bytes); outline.has_value())
        if (auto reason = unpaid(*outline, bound.at(outline->block.header.number)))
            return std::unexpected("too many transactions: " + *reason);
    auto block = decode_block(bytes);
    if (!block.has_value()) return std::unexpected(to_string(block.error()));
    return *std::move(block);
}

GasPlausibility::GasPlausibility(std::optional<std::uint64_t> head,
                                 std::optional<std::uint64_t> head_gas_limit) noexcept
    : head_(head) {
    if (head.has_value()) parent_ = Parent{*head, head_gas_limit, false};
}

bool GasPlausibility::is_there(const BlockHeader& header) const noexcept {
    return head_.has_value() && header.number <= parent_->number;
}

bool GasPlausibility::can_follow(const BlockHeader& header) const noexcept {
    if (!parent_.has_value()) return true;
    if (header.number == 0 || header.number - 1 != parent_->number) return false;
    if (!parent_->gas_limit.has_value()) return true;
    // EIP-1559: the first block with a base fee may have twice its parent's gas.
    const bool may_double = header.base_fee_per_gas.has_value() && !parent_->has_base_fee;
    const std::uint64_t before = may_double ? twice(*parent_->gas_limit) : *parent_->gas_limit;
    return header.gas_limit <= before || header.gas_limit - before < before / kGasLimitBoundDivisor;
}

std::expected<GasPlausibility::Decoded, GasPlausibility::Refusal> GasPlausibility::decode(
    BytesView bytes) const {
    // What the outline cannot make sense of the decoder words better, and comes no further with.
    if (auto outline = outline_of(bytes); outline.has_value()) {
        const BlockHeader& header = outline->block.header;
        if (is_there(header) || is_broken_ || !can_follow(header)) return *std::move(outline);
        if (auto reason = unpaid(*outline, header.gas_limit))
            return std::unexpected(
                Refusal{ContentFault::too_many_transactions, *std::move(reason)});
    }
    auto block = decode_block(bytes);
    if (!block.has_value())
        return std::unexpected(Refusal{ContentFault::malformed_block, to_string(block.error())});
    const std::size_t count = block->transactions.size();
    return Decoded{*std::move(block), count};
}

GasBound GasPlausibility::bound() const noexcept {
    if (!parent_.has_value() || !parent_->gas_limit.has_value()) return {};
    return {parent_->number,
            parent_->has_base_fee ? *parent_->gas_limit : twice(*parent_->gas_limit)};
}

void GasPlausibility::pass(const BlockHeader& header) noexcept {
    // The head itself is known better than a file knows it, but for its base fee.
    if (is_there(header)) {
        const bool is_head = header.number == *head_ && parent_->number == *head_;
        if (is_head) parent_->has_base_fee = header.base_fee_per_gas.has_value();
        return;
    }
    is_broken_ |= !can_follow(header);
    if (is_broken_) return;
    parent_ = Parent{header.number, header.gas_limit, header.base_fee_per_gas.has_value()};
}

}  // namespace heddle::consensus_adapter
