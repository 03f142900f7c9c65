// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be said of a block without executing it: header validation of every fork, difficulty,
// base fee, blob fee, ommers, roots of the body. Executing it is block_execution.hpp's business.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include <types/ancestor.hpp>
#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/chain_config.hpp>
#include <types/ordered_root.hpp>
#include <types/receipt.hpp>

namespace heddle::vm {

/// Blocks before a block, its parent first; at least kAncestorsForOmmers of them where the chain
/// has as many and the block has ommers.
using Ancestors = std::span<const Ancestor>;

/// Whether a block is a proof-of-stake block (EIP-3675): by number where the configuration knows
/// the block of the merge, else by the total difficulty up to and including its parent, else
/// (nullopt) by its own difficulty being zero.
[[nodiscard]] bool is_merged(const BlockHeader& header,
                             const std::optional<Uint256>& parent_total_difficulty,
                             const ChainConfig& config) noexcept;

/// Checks a header against its parent (YP 4.3.4 and later EIPs). Not checked: the proof-of-work
/// seal, and that `parent` is the block that `header.parent_hash` names. `is_merged`: whether the
/// block is a proof-of-stake block.
/// Errors: the first broken rule, with claimed and computed value. Thread safety: pure.
[[nodiscard]] std::expected<void, BlockError> validate_header(const BlockHeader& header,
                                                              const BlockHeader& parent,
                                                              const ChainConfig& config,
                                                              bool is_merged);
/// Checks the ommers: at most two, no ancestors, none included before, each a valid child of an
/// ancestor two to seven generations back (YP 11.1).
[[nodiscard]] std::expected<void, BlockError> validate_ommers(
    const BlockHeader& header, const std::vector<BlockHeader>& ommers, Ancestors ancestors,
    const ChainConfig& config);
/// What can be said of ommers without ancestors: their hash, how many they are, how old, and that
/// they differ.
[[nodiscard]] std::expected<void, BlockError> validate_ommers_alone(
    const BlockHeader& header, const std::vector<BlockHeader>& ommers);
/// Checks what the header says of transactions and withdrawals: their roots and the blob gas; and
/// ommers, where there are any, as far as validate_ommers_alone() does. Blob gas above the limit is
/// left to the transaction that exceeds it, see validate(). `transaction_leaves`: the OrderedLeaves
/// of the transactions where they are known, for root_of_leaves(); else empty.
[[nodiscard]] std::expected<void, BlockError> validate_body_roots(
    const Block& block, const ChainConfig& config, bool is_merged,
    std::span<const OrderedLeaf> transaction_leaves = {});
/// All that can be said of a body without executing it: size (EIP-7934), ommers, roots, blob gas.
/// `encoded_size_bytes`: of the block's RLP; 0: it is computed where it matters.
[[nodiscard]] std::expected<void, BlockError> validate_body(
    const Block& block, Ancestors ancestors, const ChainConfig& config, bool is_merged,
    std::size_t encoded_size_bytes = 0, std::span<const OrderedLeaf> transaction_leaves = {});

[[nodiscard]] Hash transactions_root(std::span<const Transaction> transactions);
[[nodiscard]] Hash receipts_root(std::span<const Receipt> receipts);
/// EIP-4895.
[[nodiscard]] Hash withdrawals_root(std::span<const Withdrawal> withdrawals);
/// Blob gas of all transactions (EIP-4844).
[[nodiscard]] std::uint64_t blob_gas_used(std::span<const Transaction> transactions) noexcept;

/// What the EVM sees of a block.
[[nodiscard]] BlockEnv make_block_env(const BlockHeader& header, const ChainConfig& config,
                                      bool is_merged) noexcept;

/// Difficulty of a block before the merge (YP 4.3.4, eq. 41 ff.; EIP-2, 100, 649, 1234, 2384, 3554,
/// 4345, 5133).
[[nodiscard]] Uint256 next_difficulty(const BlockHeader& parent, std::uint64_t number,
                                      std::uint64_t timestamp, const ChainConfig& config) noexcept;
/// Base fee in wei (EIP-1559).
[[nodiscard]] Uint256 next_base_fee(const BlockHeader& parent, const ChainConfig& config) noexcept;
/// Gas limit bounds (YP 4.3.4; EIP-1559 doubles the parent's at the London block).
[[nodiscard]] std::expected<void, BlockError> validate_gas_limit(const BlockHeader& header,
                                                                 const BlockHeader& parent,
                                                                 const ChainConfig& config);
/// Excess blob gas (EIP-4844, 7691, 7918); 0 where the configuration has no blobs at `timestamp`.
[[nodiscard]] std::uint64_t next_excess_blob_gas(const BlockHeader& parent, std::uint64_t timestamp,
                                                 const ChainConfig& config) noexcept;
/// Price per blob gas in wei (EIP-4844); saturates at 2^256 - 1.
[[nodiscard]] Uint256 blob_base_fee(std::uint64_t excess_blob_gas,
                                    std::uint64_t base_fee_update_fraction) noexcept;

}  // namespace heddle::vm
