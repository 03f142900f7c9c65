// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/block.hpp>

namespace heddle::vm {

namespace {
constexpr std::uint64_t kInitialBaseFee = 1'000'000'000;  // wei
constexpr std::uint64_t kElasticity = 2;
constexpr std::uint64_t kMaxChangeDenominator = 8;

/// base_fee * difference / target / 8 without a product beyond 256 bits, whatever the fee is.
Uint256 change_of(const Uint256& base_fee, std::uint64_t difference,
                  std::uint64_t target) noexcept {
    const Uint256 whole = base_fee / Uint256{target};
    const Uint256 rest = base_fee - whole * Uint256{target};
    const Uint256 change =
        whole * Uint256{difference} + rest * Uint256{difference} / Uint256{target};
    return change / Uint256{kMaxChangeDenominator};
}
}  // namespace

Uint256 next_base_fee(const BlockHeader& parent, const ChainConfig& config) noexcept {
    const bool parent_is_london =
        config.london_block.has_value() && *config.london_block <= parent.number;
    if (!parent_is_london || !parent.base_fee_per_gas.has_value()) return {kInitialBaseFee};

    const Uint256& base_fee = *parent.base_fee_per_gas;
    const std::uint64_t target = parent.gas_limit / kElasticity;
    if (parent.gas_used == target || target == 0) return base_fee;
    if (parent.gas_used > target) {
        const Uint256 delta = change_of(base_fee, parent.gas_used - target, target);
        return base_fee + (delta.is_zero() ? Uint256{1} : delta);
    }
    return base_fee - change_of(base_fee, target - parent.gas_used, target);
}

}  // namespace heddle::vm
