// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes valid blocks out of transactions: executes them in order and seals headers whose every root
// is right. Checks what it made against the same rules that replay uses. Not a mempool and not a
// consensus engine: order, time and fees are the caller's.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <ledger/memory_state.hpp>
#include <ledger/state_root.hpp>
#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/genesis.hpp>
#include <types/transaction_error.hpp>

#include "building/block_builder.hpp"

namespace heddle::node {

using consensus_adapter::BlockPlan;

/// For chains that are merged from genesis on. Memory: the world state and one block.
/// Thread safety: none.
class ChainMaker {
public:
    /// @param code_cache  As BlockBuilder's.
    explicit ChainMaker(const Genesis& genesis,
                        std::shared_ptr<vm::CodeCache> code_cache = nullptr);
    ChainMaker(const ChainMaker&) = delete;
    ChainMaker& operator=(const ChainMaker&) = delete;

    /// The newest sealed block; at first the genesis block, state root included.
    [[nodiscard]] const BlockHeader& head() const noexcept { return head_; }
    [[nodiscard]] Hash head_hash() const noexcept { return block_hashes_.block_hash(head_.number); }
    [[nodiscard]] const StateView& state() const noexcept { return state_; }
    /// Receipts of the newest sealed block.
    [[nodiscard]] const std::vector<Receipt>& receipts() const noexcept { return receipts_; }

    /// Starts the next block: header values that follow from the parent, system calls.
    [[nodiscard]] std::expected<void, BlockError> begin_block(BlockPlan plan);
    /// The open block's rules.
    [[nodiscard]] Revision revision() const noexcept { return builder_.env().revision; }
    /// Price of gas in the open block, in wei.
    [[nodiscard]] const Uint256& base_fee_per_gas() const noexcept {
        return builder_.env().base_fee_per_gas;
    }
    /// Gas used in the open block so far.
    [[nodiscard]] std::uint64_t gas_used() const noexcept { return builder_.gas_used(); }
    /// Blobs the open block still takes.
    [[nodiscard]] std::uint64_t blobs_left() const noexcept;
    /// Executes and appends. On error the block is as before.
    [[nodiscard]] std::expected<void, TransactionError> add(Transaction tx);
    /// Ends the open block and makes it the head. After an error the maker is of no more use.
    [[nodiscard]] std::expected<Block, BlockError> seal();

private:
    class RecentHashes final : public BlockHashes {
    public:
        [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
            return ring_[number % ring_.size()];
        }
        void set(std::uint64_t number, const Hash& hash) { ring_[number % ring_.size()] = hash; }

    private:
        std::array<Hash, 257> ring_{};
    };

    ChainConfig config_;
    ledger::MemoryState state_;
    ledger::StateTrie trie_;
    RecentHashes block_hashes_;
    BlockHeader head_;
    BlockBuilder builder_;
    std::vector<Transaction> transactions_;  // of the open block
    std::vector<Receipt> receipts_;
};

}  // namespace heddle::node
