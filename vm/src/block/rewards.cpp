// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "block_ends.hpp"

namespace heddle::vm {

namespace {
constexpr std::uint64_t kEther = 1'000'000'000'000'000'000;  // wei
constexpr std::uint64_t kGwei = 1'000'000'000;               // wei
}  // namespace

std::optional<Uint256> block_reward(Revision revision) noexcept {
    if (revision >= Revision::paris) return std::nullopt;
    if (revision >= Revision::constantinople) return Uint256{2 * kEther};
    return Uint256{(revision >= Revision::byzantium ? 3 : 5) * kEther};
}

BlockEnding ending_of(const Block& block, Revision revision) {
    BlockEnding ending;
    ending.reward = block_reward(revision);
    for (const BlockHeader& ommer : block.ommers)
        ending.ommers.push_back({ommer.beneficiary, block.header.number - ommer.number});
    if (block.withdrawals.has_value() && revision >= Revision::shanghai)
        ending.withdrawals = *block.withdrawals;
    return ending;
}

StepChanges reward_changes(const BlockEnv& env, const Uint256& reward,
                           std::span<const OmmerReward> ommers, const StateView& state) {
    BalanceChanges changes{state};
    Uint256 total = reward;
    for (const OmmerReward& ommer : ommers) {
        changes.credit(ommer.beneficiary, (reward * Uint256{8 - ommer.depth}) >> 3);
        total += reward >> 5;
    }
    changes.credit(env.beneficiary, total);
    return changes.finish(env.revision);
}

StepChanges withdrawal_changes(std::span<const Withdrawal> withdrawals, Revision revision,
                               const StateView& state) {
    BalanceChanges changes{state};
    for (const Withdrawal& withdrawal : withdrawals)
        changes.credit(withdrawal.address, Uint256{withdrawal.amount} * Uint256{kGwei});
    return changes.finish(revision);
}

}  // namespace heddle::vm
