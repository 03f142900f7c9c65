// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Putting a block together on some state: transactions are executed as they are chosen, one after
// the other, and what each of them touched is recorded. Which ones to choose, and what becomes of
// the block, is the caller's business. The state root is not computed here.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/chain_config.hpp>
#include <types/object.hpp>
#include <types/receipt.hpp>
#include <types/state_diff.hpp>
#include <types/transaction_error.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include "overlay_state.hpp"

namespace heddle::node {

/// Thread safety: one thread at a time. What the constructor borrows outlives it.
class BlockBuilder {
public:
    /// @param base        The state that the block starts from; it stays as it is until finish().
    /// @param code_cache  Shared analysed code; null: a private cache.
    BlockBuilder(const ChainConfig& config, const StateView& base, const BlockHashes& block_hashes,
                 std::shared_ptr<vm::CodeCache> code_cache = nullptr);
    BlockBuilder(const BlockBuilder&) = delete;
    BlockBuilder& operator=(const BlockBuilder&) = delete;

    /// Begins a block; what an unfinished one had is dropped.
    /// @param header  Complete but for what execution and the transactions give.
    /// @param env     What transactions see of it.
    /// Errors: a system call at its beginning fails.
    [[nodiscard]] std::expected<void, BlockError> begin(BlockHeader header, const BlockEnv& env,
                                                        std::vector<Withdrawal> withdrawals);

    [[nodiscard]] const BlockEnv& env() const noexcept { return env_; }
    [[nodiscard]] std::uint64_t gas_used() const noexcept { return header_.gas_used; }
    [[nodiscard]] std::uint64_t gas_left() const noexcept {
        return header_.gas_limit - header_.gas_used;
    }
    [[nodiscard]] std::uint64_t blob_gas_left() const noexcept {
        return env_.max_blob_gas_per_block - blob_gas_used_;
    }
    [[nodiscard]] const StateView& state() const noexcept { return overlay_; }

    /// Executes and appends. On error the block is as before.
    [[nodiscard]] std::expected<void, TransactionError> add(Transaction tx);

    struct Built {
        Block block;  // its header lacks the state root only
        std::vector<Receipt> receipts;
        std::vector<ObjectSet> object_sets;
        std::vector<Bytes> requests;  // EIP-7685
        StateDiff diff;               // of the whole block
    };
    /// What has been chosen so far, for somebody who executes the block himself.
    struct Chosen {
        std::vector<Transaction> transactions;
        std::vector<ObjectSet> object_sets;
    };
    [[nodiscard]] Chosen take_chosen();
    /// Ends the block. Errors: a system call at its end fails, or deposits are malformed.
    [[nodiscard]] std::expected<Built, BlockError> finish();

private:
    const ChainConfig& config_;
    const BlockHashes& block_hashes_;
    vm::Evm evm_;
    vm::Outcome outcome_;
    // The open block.
    OverlayState overlay_;
    BlockHeader header_;
    BlockEnv env_;
    std::uint64_t blob_gas_used_ = 0;
    std::vector<Withdrawal> withdrawals_;
    Chosen chosen_;
    std::vector<Receipt> receipts_;
};

}  // namespace heddle::node
