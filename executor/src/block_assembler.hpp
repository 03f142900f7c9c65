// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Restores what a block is from what its transactions did: receipts in order, cumulative gas,
// bloom; and compares it with what the header claims, or fills the header in.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/hash.hpp>
#include <types/ordered_root.hpp>
#include <types/receipt.hpp>

#include <vm/validate.hpp>

#include <executor/executor.hpp>

namespace heddle::executor {

class BlockAssembler {
public:
    /// `needs_receipts_root`: whether check() will compare it, or fill() fill it in.
    void begin(const BlockEnv& env, std::size_t transaction_count, bool needs_receipts_root);
    /// From here to the next begin() add() leaves hashing to hash_leaf(), and receipts stay where
    /// they are up to the number given to begin() or reserve().
    void leave_hashing() noexcept { leaves_hashing_ = true; }
    /// While nobody hashes.
    void reserve(std::size_t transaction_count);

    /// What is left of the block's limits for the next transaction.
    [[nodiscard]] vm::BlockGas left() const noexcept;
    /// Adds the next transaction's receipt. `post_state`: before Byzantium, where it is known.
    void add(Receipt&& receipt, const std::optional<Hash>& post_state);

    /// The leaves of receipts [begin, end), which were added. Needed of all before check() or
    /// fill(). Thread safety: for different receipts at once, also while others are added.
    void hash_leaves(std::uint32_t begin, std::uint32_t end, OrderedLeaf& leaf);
    [[nodiscard]] bool needs_receipts_root() const noexcept { return needs_receipts_root_; }

    [[nodiscard]] std::span<const Receipt> receipts() const noexcept { return receipts_; }
    [[nodiscard]] std::uint64_t gas_used() const noexcept { return gas_used_; }
    [[nodiscard]] std::vector<Receipt> take_receipts() noexcept { return std::move(receipts_); }

    /// Compares gas used, bloom, receipts root and requests with the header's.
    [[nodiscard]] std::expected<void, BlockError> check(const BlockHeader& header,
                                                        std::span<const Bytes> requests) const;
    /// Fills in the same fields.
    void fill(BlockHeader& header, std::span<const Bytes> requests) const;

private:
    [[nodiscard]] Hash receipts_root() const;

    Revision revision_ = kLatestRevision;
    vm::BlockGas limit_;
    std::uint64_t gas_used_ = 0;
    std::uint64_t blob_gas_used_ = 0;
    std::vector<Receipt> receipts_;
    LogsBloom bloom_;
    bool needs_receipts_root_ = true;
    bool leaves_hashing_ = false;
    std::vector<NodeReference> leaves_;  // of the receipts
    OrderedLeaf leaf_;
};

}  // namespace heddle::executor
