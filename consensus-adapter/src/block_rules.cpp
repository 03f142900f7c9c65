// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/block_rules.hpp>

#include <algorithm>
#include <cstdint>

#include <types/bytes.hpp>

namespace heddle::consensus_adapter {
namespace {

/// Bounds of a gas limit (YP 4.3.4, EIP-1985).
constexpr std::uint64_t kMinGasLimit = 5'000;
constexpr std::uint64_t kMaxGasLimit = INT64_MAX;

}  // namespace

std::uint64_t next_gas_limit(std::uint64_t parent, std::uint64_t wanted) noexcept {
    const std::uint64_t step = std::max<std::uint64_t>(parent / 1024, 1) - 1;
    return std::clamp(std::clamp(wanted, kMinGasLimit, kMaxGasLimit), parent - step,
                      parent + std::min(step, ~parent));
}

bool can_be_followed(std::uint64_t gas_limit) noexcept {
    const std::uint64_t next = next_gas_limit(gas_limit, gas_limit);
    return next >= kMinGasLimit && next <= kMaxGasLimit;
}

Hash prev_randao_after(const BlockId& parent) {
    Bytes input{parent.hash.bytes.begin(), parent.hash.bytes.end()};
    const std::uint64_t number = parent.number + 1;
    for (int shift = 56; shift >= 0; shift -= 8)
        input.push_back(static_cast<std::uint8_t>(number >> shift));
    return keccak256(input);
}

executor::BlockStart block_start(const BlockPlan& plan) {
    executor::BlockStart start;
    start.mode = executor::BlockMode::propose;
    start.header.timestamp = plan.timestamp;
    start.header.beneficiary = plan.beneficiary;
    start.header.prev_randao = plan.prev_randao;
    start.header.parent_beacon_block_root = plan.parent_beacon_block_root;
    start.header.extra_data = plan.extra_data;
    start.header.gas_limit = plan.gas_limit;
    start.header.base_fee_per_gas = plan.base_fee_per_gas;
    start.withdrawals = plan.withdrawals;
    return start;
}

std::string_view advice_for(const BlockError& error) noexcept {
    if (error.code == BlockErrorCode::system_contract_missing)
        return "; its fork needs it: the genesis file has to allocate it, or the fork to begin "
               "later";
    return {};
}

}  // namespace heddle::consensus_adapter
