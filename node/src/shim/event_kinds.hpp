// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The first byte of an event, for both directions.
#pragma once

#include <cstdint>

#include <consensus_adapter/block_rules.hpp>

#include "shim/events.hpp"

namespace heddle::node {

enum class EventKind : std::uint8_t {
    start = 1,
    admission,
    omitted,
    step,
    prepare_begins,
    prepare_ends,
    process_begins,
    process_ends,
    finalize_begins,
    finalize_ends,
    commit_begins,
    commit_ends,
    block_begins,
    block_ends,
    head_shown,
};
inline constexpr std::uint8_t kKindBits = 0x0f;
inline constexpr unsigned kFlagShift = 4;

// Flags of an admission; below them two bits for the origin.
inline constexpr std::uint8_t kOriginBits = 0x3;
inline constexpr std::uint8_t kIsReference = 0x4;
inline constexpr std::uint8_t kIsRefused = 0x8;
// Of finalize_begins.
inline constexpr std::uint8_t kLeavesOut = 0x1;
inline constexpr std::uint8_t kIsDecided = 0x2;
inline constexpr std::uint8_t kHasList = 0x4;
// Of answers.
inline constexpr std::uint8_t kHasFailed = 0x1;
inline constexpr std::uint8_t kIsStorageError = 0x2;
// Of a plan: what is as in the plan before.
inline constexpr std::uint8_t kSameBeneficiary = 0x01;
inline constexpr std::uint8_t kDerivedRandao = 0x02;  // prev_randao_after() of the head
inline constexpr std::uint8_t kSameBeaconRoot = 0x04;
inline constexpr std::uint8_t kSameExtraData = 0x08;
inline constexpr std::uint8_t kSameWithdrawals = 0x10;
inline constexpr std::uint8_t kSameGasLimit = 0x20;
inline constexpr std::uint8_t kSameMaxBytes = 0x40;
inline constexpr std::uint8_t kWantsList = 0x80;

/// The plan that block_start() makes this of.
[[nodiscard]] inline consensus_adapter::BlockPlan plan_of(const executor::BlockStart& start) {
    consensus_adapter::BlockPlan plan;
    plan.timestamp = start.header.timestamp;
    plan.beneficiary = start.header.beneficiary;
    plan.prev_randao = start.header.prev_randao;
    plan.parent_beacon_block_root = start.header.parent_beacon_block_root.value_or(Hash{});
    plan.extra_data = start.header.extra_data;
    plan.gas_limit = start.header.gas_limit;
    if (start.withdrawals.has_value()) plan.withdrawals = *start.withdrawals;
    return plan;
}

}  // namespace heddle::node
