// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which rules hold at which block: fork activation, blob schedules, and the constants that differ
// from chain to chain. A genesis file in geth's format says them; nothing here reads one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <types/address.hpp>
#include <types/revision.hpp>
#include <types/uint256.hpp>

namespace heddle {

/// Blob parameters from one activation time on (EIP-7840, EIP-7892).
struct BlobParameters {
    std::uint64_t activation_time = 0;  // seconds
    std::uint64_t target = 0;           // blobs per block
    std::uint64_t max = 0;              // blobs per block
    std::uint64_t base_fee_update_fraction = 0;
    friend bool operator==(const BlobParameters&, const BlobParameters&) = default;
};

struct ChainConfig {
    std::uint64_t chain_id = 1;

    // Activation by block number; nullopt: never.
    std::optional<std::uint64_t> homestead_block;
    std::optional<std::uint64_t> dao_fork_block;
    bool dao_fork_support = false;
    std::optional<std::uint64_t> tangerine_whistle_block;  // eip150Block
    std::optional<std::uint64_t> spurious_dragon_block;    // eip155Block, eip158Block
    std::optional<std::uint64_t> byzantium_block;
    std::optional<std::uint64_t> constantinople_block;
    std::optional<std::uint64_t> petersburg_block;
    std::optional<std::uint64_t> istanbul_block;
    std::optional<std::uint64_t> muir_glacier_block;  // EIP-2384
    std::optional<std::uint64_t> berlin_block;
    std::optional<std::uint64_t> london_block;
    std::optional<std::uint64_t> arrow_glacier_block;  // EIP-4345
    std::optional<std::uint64_t> gray_glacier_block;   // EIP-5133
    std::optional<std::uint64_t> merge_netsplit_block;

    /// Paris by total difficulty (EIP-3675); nullopt: never. Zero: from genesis.
    std::optional<Uint256> terminal_total_difficulty;
    /// Block of the merge where it is known (mainnet 15,537,394): decides without total difficulty.
    std::optional<std::uint64_t> merge_block;

    // Activation by timestamp in seconds; nullopt: never.
    std::optional<std::uint64_t> shanghai_time;
    std::optional<std::uint64_t> cancun_time;
    std::optional<std::uint64_t> prague_time;
    std::optional<std::uint64_t> osaka_time;
    std::optional<std::uint64_t> amsterdam_time;

    /// Sorted by activation_time: forks that set or keep blob parameters (EIP-7892).
    std::vector<BlobParameters> blob_schedule;

    /// EIP-6110.
    Address deposit_contract_address;

    /// Whether access lists (EIP-2930) are declarations: an access that is cold where it happens
    /// and was not listed fails its transaction. Not a rule of any public chain; needs Berlin.
    bool strict_access_lists = false;

    /// Whether a block may have its parent's timestamp, so that a chain which seals many times a
    /// second does not run ahead of the clock. Not a rule of any public chain; needs proof of stake
    /// from genesis on, for proof of work reckons with time.
    bool equal_timestamps = false;

    /// Whether an account with code may send transactions, against EIP-3607, and whether code may
    /// be of any size, against EIP-170 and 3860. For development chains only: a node says so each
    /// time it starts, and no chain file keeps it.
    bool code_may_send = false;
    bool any_code_size = false;

    /// The least timestamp, in seconds, of a block whose parent has this one.
    [[nodiscard]] std::uint64_t earliest_timestamp(std::uint64_t parent) const noexcept {
        return equal_timestamps ? parent : parent + 1;
    }
    /// Revision in force. `is_merged`: whether the block is a proof-of-stake block.
    [[nodiscard]] Revision revision(std::uint64_t number, std::uint64_t timestamp,
                                    bool is_merged) const noexcept;
    /// Blob parameters in force; nullptr before Cancun.
    [[nodiscard]] const BlobParameters* blob_parameters(std::uint64_t timestamp) const noexcept;

    friend bool operator==(const ChainConfig&, const ChainConfig&) = default;
};

/// Built-in configurations.
[[nodiscard]] const ChainConfig& mainnet_config();
[[nodiscard]] const ChainConfig& sepolia_config();

}  // namespace heddle
