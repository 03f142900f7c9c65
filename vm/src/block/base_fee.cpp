// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/block.hpp>

namespace heddle::vm {

namespace {
constexpr std::uint64_t kInitialBaseFee = 1'000'000'000;  // wei
constexpr std::uint64_t kElasticity = 2;
constexpr std::uint64_t kMaxChangeDenominator = 8;
}  // namespace

Uint256 next_base_fee(const BlockHeader& parent, const ChainConfig& config) noexcept {
    const bool parent_is_london =
        config.london_block.has_value() && *config.london_block <= parent.number;
    if (!parent_is_london || !parent.base_fee_per_gas.has_value()) return {kInitialBaseFee};

    const Uint256& base_fee = *parent.base_fee_per_gas;
    const std::uint64_t target = parent.gas_limit / kElasticity;
    if (parent.gas_used == target || target == 0) return base_fee;
    if (parent.gas_used > target) {
        const Uint256 delta = base_fee * Uint256{parent.gas_used - target} / Uint256{target} /
                              Uint256{kMaxChangeDenominator};
        return base_fee + (delta.is_zero() ? Uint256{1} : delta);
    }
    return base_fee - base_fee * Uint256{target - parent.gas_used} / Uint256{target} /
                          Uint256{kMaxChangeDenominator};
}

}  // namespace heddle::vm
