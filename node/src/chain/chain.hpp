// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain as everything outside execution sees it: committed blocks, the state after each, and
// what the next block would look like. Blocks get in through ChainApplication only.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include <ledger/durable_ledger.hpp>
#include <types/block.hpp>
#include <types/block_sink.hpp>
#include <types/chain_config.hpp>
#include <types/state_view.hpp>
#include <vm/evm.hpp>

#include "chain/feed.hpp"

namespace heddle::node {

/// A committed block with its receipts; shared by the chain and whoever was told of it.
using SharedBlock = std::shared_ptr<const ledger::StoredBlock>;

/// Thread safety: any, where nothing else is said. Reads wait for nobody; the ledger outlives it.
class Chain {
public:
    Chain(ledger::DurableLedger& ledger, ChainConfig config);
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    [[nodiscard]] const ChainConfig& config() const noexcept { return config_; }
    /// For reading. What the ledger allows one caller at a time goes through this class.
    [[nodiscard]] const ledger::DurableLedger& ledger() const noexcept { return ledger_; }
    [[nodiscard]] const BlockHashes& block_hashes() const noexcept { return ledger_; }
    /// Analysed code for machines outside the stream; any number of them may share it.
    [[nodiscard]] const std::shared_ptr<vm::CodeCache>& code_cache() const noexcept {
        return code_cache_;
    }

    [[nodiscard]] ledger::StoredHeader head() const { return ledger_.head(); }
    /// The newest block, with its receipts.
    [[nodiscard]] SharedBlock head_block() const;

    /// The state after block `number`, fixed. Errors: unavailable, io_error.
    [[nodiscard]] std::expected<std::unique_ptr<ledger::PastState>, ledger::LedgerError> state_at(
        std::uint64_t number) const {
        return ledger_.state_at(number);
    }

    /// What the transactions of this block see of it.
    [[nodiscard]] BlockEnv env_of(const ledger::StoredHeader& block) const;
    /// The header of a block that somebody would build on `parent`, as far as the rules fix it:
    /// parent hash, number, gas limit (the parent's), base fee, excess blob gas; the beneficiary is
    /// zero, fields of the fork are there.
    /// @param timestamp  In seconds; above the parent's.
    [[nodiscard]] BlockHeader next_header(const ledger::StoredHeader& parent,
                                          std::uint64_t timestamp) const;
    /// What the transactions of a block with this header on `parent` would see.
    [[nodiscard]] BlockEnv env_of_next(const BlockHeader& header,
                                       const ledger::StoredHeader& parent) const;

    /// A proof against the state root of block `number`. Keeps the next commit waiting meanwhile.
    /// Errors: unavailable where the block is too far below the head.
    [[nodiscard]] std::expected<ledger::AccountProof, ledger::LedgerError> prove(
        std::uint64_t number, const Address& address, const std::vector<Uint256>& slots);
    /// The state root of block `number` with `diff` on top; nothing is kept. As prove().
    [[nodiscard]] std::expected<Hash, ledger::LedgerError> state_root_with(std::uint64_t number,
                                                                           const StateDiff& diff);

    /// Told of each block once it is committed, from the committing thread.
    [[nodiscard]] Feed<SharedBlock>& heads() noexcept { return heads_; }

    /// Makes the block the head and tells of it. For ChainApplication; one caller at a time.
    /// Errors: as BlockSink::commit().
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block);

private:
    ledger::DurableLedger& ledger_;
    const ChainConfig config_;
    const std::shared_ptr<vm::CodeCache> code_cache_;  // with machines in flight
    std::mutex writing_;  // held around what the ledger allows one caller at a time
    mutable std::shared_mutex head_mutex_;
    SharedBlock head_block_;  // guarded by head_mutex_
    Feed<SharedBlock> heads_;
};

}  // namespace heddle::node
