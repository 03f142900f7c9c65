// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a block does outside its transactions, one function a topic. BlockExecution puts it
// together.
#pragma once

#include <expected>
#include <span>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/chain_config.hpp>
#include <types/receipt.hpp>
#include <types/state_view.hpp>

#include <vm/block_execution.hpp>

#include "balance_changes.hpp"

namespace heddle::vm {

/// Moves the whole balance of the 116 accounts to the refund contract (EIP-779). Accounts that do
/// not exist come into being, before Spurious Dragon even with nothing to receive.
[[nodiscard]] StepChanges dao_fork_changes(Revision revision, const StateView& state);

/// Credits the reward and the shares for ommers (YP 11.3). A beneficiary that does not exist comes
/// into being, before Spurious Dragon even with nothing to receive.
[[nodiscard]] StepChanges reward_changes(const BlockEnv& env, const Uint256& reward,
                                         std::span<const OmmerReward> ommers,
                                         const StateView& state);
/// Credits withdrawals (EIP-4895).
[[nodiscard]] StepChanges withdrawal_changes(std::span<const Withdrawal> withdrawals,
                                             Revision revision, const StateView& state);

inline constexpr std::uint8_t kDepositRequest = 0;

/// The data of the request that a block's deposits make (EIP-6110).
/// Errors: an event of the deposit contract is laid out otherwise.
[[nodiscard]] std::expected<Bytes, BlockError> deposit_requests(std::span<const Receipt> receipts,
                                                                std::uint64_t block_number,
                                                                const ChainConfig& config);

}  // namespace heddle::vm
