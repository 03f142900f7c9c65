// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/block.hpp>

#include "balance_changes.hpp"

namespace heddle::vm {

namespace {
constexpr std::uint64_t kEther = 1'000'000'000'000'000'000;  // wei
constexpr std::uint64_t kGwei = 1'000'000'000;               // wei
}  // namespace

Uint256 block_reward(Revision revision) noexcept {
    if (revision >= Revision::paris) return {};
    if (revision >= Revision::constantinople) return {2 * kEther};
    return {(revision >= Revision::byzantium ? 3 : 5) * kEther};
}

void apply_rewards(const Address& beneficiary, std::span<const OmmerReward> ommers,
                   const Uint256& reward, Revision revision, MutableState& state) {
    BalanceChanges changes{state};
    Uint256 total = reward;
    for (const OmmerReward& ommer : ommers) {
        changes.credit(ommer.beneficiary, (reward * Uint256{8 - ommer.depth}) >> 3);
        total += reward >> 5;
    }
    changes.credit(beneficiary, total);
    state.apply(changes.finish(revision));
}

void apply_withdrawals(std::span<const Withdrawal> withdrawals, MutableState& state) {
    if (withdrawals.empty()) return;
    BalanceChanges changes{state};
    for (const Withdrawal& withdrawal : withdrawals)
        changes.credit(withdrawal.address, Uint256{withdrawal.amount} * Uint256{kGwei});
    state.apply(changes.finish(Revision::shanghai));
}

}  // namespace heddle::vm
