// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block-level rules: header validation of every fork, difficulty, base fee, blob fee, ommers,
// rewards, and what happens before the first and after the last transaction.
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
#include <types/state_diff.hpp>
#include <types/state_view.hpp>

#include <vm/evm.hpp>

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
/// Checks what the header says of transactions and withdrawals: their roots and the blob gas. Blob
/// gas above the limit is left to the transaction that exceeds it, see validate().
/// `transaction_leaves`: the OrderedLeaf of each transaction where that is known; else
/// empty.
[[nodiscard]] std::expected<void, BlockError> validate_body_roots(
    const Block& block, const ChainConfig& config, bool is_merged,
    std::span<const NodeReference> transaction_leaves = {});
/// All that can be said of a body without executing it: size (EIP-7934), ommers, roots, blob gas.
/// `encoded_size_bytes`: of the block's RLP; 0: it is computed where it matters.
[[nodiscard]] std::expected<void, BlockError> validate_body(
    const Block& block, Ancestors ancestors, const ChainConfig& config, bool is_merged,
    std::size_t encoded_size_bytes = 0, std::span<const NodeReference> transaction_leaves = {});

/// Largest RLP of a block from Osaka on, in bytes (EIP-7934).
inline constexpr std::size_t kMaxBlockBytes = 8'388'608;

[[nodiscard]] Hash transactions_root(std::span<const Transaction> transactions);
[[nodiscard]] Hash transactions_root(std::span<const Transaction> transactions,
                                     std::span<const NodeReference> leaves);
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

/// State under construction: a view that takes the diffs of what has run so far.
class MutableState : public StateView {
public:
    virtual void apply(const StateDiff& diff) = 0;
};

/// Contracts that begin_block() and end_block() call, for whoever wants to know ahead what a block
/// touches.
[[nodiscard]] std::span<const Address> begin_block_contracts(Revision revision) noexcept;
[[nodiscard]] std::span<const Address> end_block_contracts(Revision revision) noexcept;

/// Before the first transaction: the DAO fork's transfers, EIP-4788 and EIP-2935 system calls.
[[nodiscard]] std::expected<void, BlockError> begin_block(const BlockHeader& header,
                                                          const BlockEnv& env,
                                                          const ChainConfig& config,
                                                          const BlockHashes& block_hashes, Evm& evm,
                                                          MutableState& state);

/// Where block rewards go (YP 11.3).
struct OmmerReward {
    Address beneficiary;
    std::uint64_t depth = 1;  // the block's number less the ommer's: 1 to 6
};
/// Static block reward in wei (EIP-649, 1234, 3675).
[[nodiscard]] Uint256 block_reward(Revision revision) noexcept;
/// Credits `reward` and the shares for ommers. A beneficiary that does not exist comes into being,
/// before Spurious Dragon even with nothing to receive.
void apply_rewards(const Address& beneficiary, std::span<const OmmerReward> ommers,
                   const Uint256& reward, Revision revision, MutableState& state);
/// Credits withdrawals (EIP-4895).
void apply_withdrawals(std::span<const Withdrawal> withdrawals, MutableState& state);
/// Deposits from logs (EIP-6110) and the system calls of EIP-7002 and EIP-7251; to be called from
/// Prague on.
/// @return the requests in order of type, each `type || data`, empty ones left out (EIP-7685).
[[nodiscard]] std::expected<std::vector<Bytes>, BlockError> collect_requests(
    std::span<const Receipt> receipts, const BlockEnv& env, const ChainConfig& config,
    const BlockHashes& block_hashes, Evm& evm, MutableState& state);

/// After the last transaction: rewards, withdrawals, requests.
/// @return the requests as collect_requests() gives them; nothing before Prague.
[[nodiscard]] std::expected<std::vector<Bytes>, BlockError> end_block(
    const BlockHeader& header, const std::vector<BlockHeader>& ommers,
    const std::optional<std::vector<Withdrawal>>& withdrawals, std::span<const Receipt> receipts,
    const BlockEnv& env, const ChainConfig& config, const BlockHashes& block_hashes, Evm& evm,
    MutableState& state);

/// SHA-256 over the SHA-256 of each request (EIP-7685).
[[nodiscard]] Hash requests_hash(std::span<const Bytes> requests);

}  // namespace heddle::vm
