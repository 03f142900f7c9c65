// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/block_fees.hpp"

#include <algorithm>

#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/gas_oracle.hpp"

namespace heddle::node::rpc {
namespace {

/// What it takes in memory, roughly.
std::size_t footprint(const BlockFees& fees) {
    return 2 * sizeof(BlockFees) + fees.paid.size() * sizeof(PaidGas);
}

}  // namespace

Uint256 BlockFees::tip_at(double percentile) const {
    if (paid.empty()) return {};
    const auto threshold =
        static_cast<std::uint64_t>(static_cast<double>(header.gas_used) * percentile / 100);
    std::size_t index = 0;
    std::uint64_t sum = paid[0].gas;
    while (sum < threshold && index + 1 < paid.size())
        sum += paid[++index].gas;
    return paid[index].tip;
}

BlockFees fees_of(const Block& block, const std::vector<Receipt>& receipts) {
    BlockFees fees{.header = block.header, .paid = {}};
    const Uint256 base_fee = block.header.base_fee_per_gas.value_or(Uint256{});
    fees.paid.reserve(block.transactions.size());
    for (std::size_t i = 0; i < block.transactions.size(); ++i)
        fees.paid.push_back({effective_tip(block.transactions[i], base_fee), receipts[i].gas_used});
    // Which of those with one tip comes first makes no difference: the answer is the tip.
    std::ranges::sort(fees.paid, {}, &PaidGas::tip);
    return fees;
}

SharedBlockFees BlockFeesCache::get(std::uint64_t number) {
    const std::uint64_t rewinds = chain_.rewind_count();
    if (SharedBlockFees known = find(number, rewinds)) return known;
    const SharedBlock stored = take(chain_.stored_block(number));
    if (!stored) return nullptr;
    auto fees = std::make_shared<const BlockFees>(fees_of(stored->block, stored->receipts));
    add(number, fees, rewinds);
    return fees;
}

std::uint64_t BlockFeesCache::read_count() const {
    const std::scoped_lock lock{mutex_};
    return read_count_;
}

SharedBlockFees BlockFeesCache::find(std::uint64_t number, std::uint64_t rewinds) {
    Entries dropped;  // freed outside the lock
    const std::scoped_lock lock{mutex_};
    if (rewinds > rewinds_) {
        // What is kept may be of blocks that were taken back.
        dropped.swap(entries_);
        by_number_.clear();
        bytes_ = 0;
        rewinds_ = rewinds;
    }
    const auto found = by_number_.find(number);
    if (found == by_number_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().fees;
}

void BlockFeesCache::add(std::uint64_t number, const SharedBlockFees& fees, std::uint64_t rewinds) {
    Entries dropped;  // freed outside the lock
    const std::scoped_lock lock{mutex_};
    ++read_count_;
    // One that was read while blocks were taken back may be one of them. And two may have read one.
    if (rewinds != rewinds_ || rewinds != chain_.rewind_count() || by_number_.contains(number))
        return;
    entries_.push_front({number, fees});
    by_number_.emplace(number, entries_.begin());
    bytes_ += footprint(*fees);
    while (bytes_ > max_bytes_ && entries_.size() > 1) {
        bytes_ -= footprint(*entries_.back().fees);
        by_number_.erase(entries_.back().number);
        dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
    }
}

}  // namespace heddle::node::rpc
