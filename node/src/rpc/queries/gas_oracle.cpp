// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/gas_oracle.hpp"

#include <algorithm>
#include <cstddef>

#include "chain/read_scope.hpp"
#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

// As geth has them by default.
constexpr std::size_t kSampledBlocks = 20;
constexpr std::size_t kSamplesPerBlock = 3;
constexpr std::size_t kPercentile = 60;
constexpr std::uint64_t kMaxFee = 500'000'000'000;  // wei
/// Blocks that are looked at for one fee, and one that was looked at for another head.
constexpr std::size_t kMostSamples = 2 * kSampledBlocks + 1;
/// Tips below are no offers; wei.
constexpr std::uint64_t kIgnoredBelow = 2;
/// Where nothing was offered yet; wei.
constexpr std::uint64_t kInitialFee = 1'000'000;

/// The lowest tips of a block, ascending, without those of its own proposer.
std::vector<Uint256> lowest_tips(const Block& block) {
    const Uint256 base_fee = block.header.base_fee_per_gas.value_or(Uint256{});
    std::vector<Uint256> tips;
    for (const Transaction& tx : block.transactions) {
        if (tx.sender == block.header.beneficiary) continue;
        const Uint256 tip = effective_tip(tx, base_fee);
        if (tip >= Uint256{kIgnoredBelow}) tips.push_back(tip);
    }
    const std::size_t count = std::min(tips.size(), kSamplesPerBlock);
    std::ranges::partial_sort(tips, tips.begin() + static_cast<std::ptrdiff_t>(count));
    tips.resize(count);
    return tips;
}

}  // namespace

Uint256 effective_tip(const Transaction& tx, const Uint256& base_fee_per_gas) {
    if (tx.max_fee_per_gas < base_fee_per_gas) return {};
    return std::min(tx.max_priority_fee_per_gas, tx.max_fee_per_gas - base_fee_per_gas);
}

Uint256 GasOracle::priority_fee() {
    const SharedBlock head = chain_.head_block();
    std::unique_lock lock{mutex_, std::try_to_lock};
    if (!lock.owns_lock()) {
        if (ReadScope::postpones()) return {};  // who has it may be reading blocks
        lock.lock();
    }
    if (head->hash == head_hash_) return fee_;
    const auto fee = compute(head, fee_.is_zero() ? Uint256{kInitialFee} : fee_);
    if (!fee.has_value()) return {};
    fee_ = *fee;
    head_hash_ = head->hash;
    return fee_;
}

const GasOracle::Sample* GasOracle::sample(std::uint64_t number, const Hash& hash) {
    const auto known = samples_.find(number);
    if (known != samples_.end() && known->second.hash == hash) return &known->second;
    const SharedBlock stored = take(chain_.stored_block(number));
    if (!stored) return nullptr;
    Sample& made = samples_[number];
    made = {stored->hash, stored->block.header.parent_hash, lowest_tips(stored->block)};
    if (samples_.size() > kMostSamples) samples_.erase(samples_.begin());
    return &made;
}

std::optional<Uint256> GasOracle::compute(const SharedBlock& head, const Uint256& last) {
    std::vector<Uint256> samples;
    std::size_t wanted = kSampledBlocks;
    std::uint64_t number = head->block.header.number;
    // Blocks above it were taken back.
    samples_.erase(samples_.upper_bound(number), samples_.end());
    Hash hash = head->hash;
    // What was paid on the chain that this one forks says nothing of what is paid here.
    const std::uint64_t first = std::max<std::uint64_t>(chain_.ledger().first_block(), 1);
    for (std::size_t seen = 0; seen < wanted && number >= first; ++seen, --number) {
        const Sample* const block = sample(number, hash);
        if (block == nullptr) {
            if (ReadScope::postpones()) return std::nullopt;
            break;
        }
        hash = block->parent;
        // A block without offers says that the last fee was enough; others are asked in its place,
        // up to as many again.
        const std::size_t before = samples.size();
        samples.insert(samples.end(), block->tips.begin(), block->tips.end());
        if (block->tips.empty()) samples.push_back(last);
        if (samples.size() == before + 1 && wanted < 2 * kSampledBlocks) ++wanted;
    }
    if (samples.empty()) return last;
    const auto place =
        samples.begin() + static_cast<std::ptrdiff_t>((samples.size() - 1) * kPercentile / 100);
    std::ranges::nth_element(samples, place);
    return std::min(*place, Uint256{kMaxFee});
}

}  // namespace heddle::node::rpc
