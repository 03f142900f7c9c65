// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Chains in one fork from genesis on, valid headers for them, and a state that a map holds.
#pragma once

#include <optional>

#include <vm/block.hpp>
#include <vm/mutable_state.hpp>

#include "state_maps.hpp"

namespace heddle::vm::test {

/// All forks up to `revision` are active from genesis on.
inline ChainConfig config_at(Revision revision) {
    ChainConfig config;
    const auto block_from = [&](Revision first) {
        return revision >= first ? std::optional<std::uint64_t>{0} : std::nullopt;
    };
    config.homestead_block = block_from(Revision::homestead);
    config.tangerine_whistle_block = block_from(Revision::tangerine_whistle);
    config.spurious_dragon_block = block_from(Revision::spurious_dragon);
    config.byzantium_block = block_from(Revision::byzantium);
    config.constantinople_block = block_from(Revision::constantinople);
    config.petersburg_block = block_from(Revision::petersburg);
    config.istanbul_block = block_from(Revision::istanbul);
    config.berlin_block = block_from(Revision::berlin);
    config.london_block = block_from(Revision::london);
    config.shanghai_time = block_from(Revision::shanghai);
    config.cancun_time = block_from(Revision::cancun);
    config.prague_time = block_from(Revision::prague);
    config.osaka_time = block_from(Revision::osaka);
    config.amsterdam_time = block_from(Revision::amsterdam);
    if (revision >= Revision::paris) config.terminal_total_difficulty = Uint256{};
    if (revision >= Revision::osaka)
        config.blob_schedule = {{0, 6, 9, 5'007'716}};
    else if (revision >= Revision::cancun)
        config.blob_schedule = {{0, 3, 6, 3'338'477}};
    config.deposit_contract_address = address_from_low64(0xdeb051);
    return config;
}

/// Header number 100 of a chain of `revision`, half full.
inline BlockHeader parent_at(Revision revision) {
    BlockHeader parent;
    parent.number = 100;
    parent.timestamp = 1'000;
    parent.gas_limit = 30'000'000;
    parent.gas_used = 15'000'000;
    if (revision < Revision::paris) parent.difficulty = Uint256{10'000'000};
    if (revision >= Revision::london) parent.base_fee_per_gas = Uint256{1'000'000'000};
    if (revision >= Revision::shanghai) parent.withdrawals_root = kEmptyTrieRoot;
    if (revision >= Revision::cancun) {
        parent.blob_gas_used = 0;
        parent.excess_blob_gas = 0;
        parent.parent_beacon_block_root = Hash{};
    }
    if (revision >= Revision::prague) parent.requests_hash = kEmptyRequestsHash;
    if (revision >= Revision::amsterdam) {
        parent.block_access_list_hash = kEmptyListHash;
        parent.slot_number = 7;
    }
    return parent;
}

/// A valid child without transactions.
inline BlockHeader child_of(const BlockHeader& parent, const ChainConfig& config, bool is_merged) {
    BlockHeader header = parent;
    header.parent_hash = header_hash(parent);
    header.number = parent.number + 1;
    header.timestamp = parent.timestamp + 12;
    header.gas_used = 0;
    header.difficulty =
        is_merged ? Uint256{} : next_difficulty(parent, header.number, header.timestamp, config);
    if (header.base_fee_per_gas.has_value())
        header.base_fee_per_gas = next_base_fee(parent, config);
    return header;
}

class MapState final : public MutableState, public heddle::test::StateMaps {
public:
    std::optional<Account> account(const Address& address) const noexcept override {
        return StateMaps::account(address);
    }
    Uint256 storage(const Address& address, const Uint256& slot) const noexcept override {
        return StateMaps::storage(address, slot);
    }
    bool has_storage(const Address& address) const noexcept override {
        return StateMaps::has_storage(address);
    }
    BytesView code(const Hash& code_hash) const noexcept override {
        return StateMaps::code(code_hash);
    }
    void apply(const StateDiff& diff) override { StateMaps::change(diff); }
};

/// For code that asks for no hash.
class NoBlockHashes final : public BlockHashes {
public:
    Hash block_hash(std::uint64_t) const noexcept override { return {}; }
};

}  // namespace heddle::vm::test
