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

#include "chain/block_cache.hpp"
#include "chain/feed.hpp"

namespace heddle::node {

/// What a chain keeps in memory beside its ledger, in bytes.
struct ChainMemory {
    std::size_t code = std::size_t{64} << 20;    // analysed code of calls and traces
    std::size_t served = std::size_t{48} << 20;  // blocks that were asked about lately
};

/// Thread safety: any, where nothing else is said. Reads wait for nobody; the ledger outlives it.
class Chain {
public:
    /// @param sync  That of the ledger: blocks are acknowledged when they are durable where it
    /// syncs
    ///              each of them, else when they are written.
    Chain(ledger::DurableLedger& ledger, ChainConfig config, ledger::SyncPolicy sync = {},
          const ChainMemory& memory = {});
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    [[nodiscard]] const ChainConfig& config() const noexcept { return config_; }
    /// For what is not about the head. What the ledger allows one caller at a time goes through
    /// this class.
    [[nodiscard]] const ledger::DurableLedger& ledger() const noexcept { return ledger_; }
    [[nodiscard]] const BlockHashes& block_hashes() const noexcept { return ledger_; }
    /// Analysed code for machines outside the stream; any number of them may share it.
    [[nodiscard]] const std::shared_ptr<vm::CodeCache>& code_cache() const noexcept {
        return code_cache_;
    }

    /// The newest block that is acknowledged: the end of the process cannot take it back.
    [[nodiscard]] ledger::StoredHeader head() const;
    /// The same with its body and receipts.
    [[nodiscard]] SharedBlock head_block() const;

    // As the ledger has them, up to the head.
    template <typename T>
    using Found = ledger::DurableLedger::Found<T>;
    [[nodiscard]] Found<ledger::StoredHeader> header(std::uint64_t number) const;
    [[nodiscard]] Found<ledger::StoredBlock> block(std::uint64_t number) const;
    [[nodiscard]] Found<std::uint64_t> block_number(const Hash& hash) const;
    [[nodiscard]] Found<ledger::TransactionLocation> find_transaction(const Hash& hash) const;

    /// The state after block `number`, fixed. Errors: unavailable, io_error.
    [[nodiscard]] std::expected<std::unique_ptr<ledger::PastState>, ledger::LedgerError> state_at(
        std::uint64_t number) const {
        return ledger_.state_at(number);
    }

    /// The same, shared by all who ask for the head's: made once for each head.
    [[nodiscard]] std::expected<std::shared_ptr<const ledger::PastState>, ledger::LedgerError>
    shared_state_at(std::uint64_t number) const;
    /// Block `number` as it is answered about; those used last are kept. Null: there is none.
    [[nodiscard]] std::expected<SharedServedBlock, ledger::LedgerError> served_block(
        std::uint64_t number) const;

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

    // For ChainApplication; one caller at a time.
    /// Holds the block, of which readers see nothing; @return its state root.
    /// Errors: as BlockSink::commit().
    [[nodiscard]] std::expected<Hash, BlockError> stage(FinishedBlock block);
    /// Drops the block that is held, if there is one.
    void unstage();
    /// Makes the block that is held the head of the ledger, and its state the one that is read.
    void show();
    /// Waits for the disk as far as the sync policy says, makes the block that was shown the head,
    /// and tells of it. Errors: storage_failed.
    [[nodiscard]] std::expected<void, BlockError> acknowledge();
    /// Both at once.
    [[nodiscard]] std::expected<void, BlockError> publish();
    /// Both at once.
    [[nodiscard]] std::expected<void, BlockError> commit(FinishedBlock block);
    /// As DurableLedger::begin_snapshot(): of the head; while no block is held.
    [[nodiscard]] std::expected<std::unique_ptr<ledger::SnapshotWriter>, ledger::LedgerError>
    begin_snapshot();

private:
    ledger::DurableLedger& ledger_;
    const ChainConfig config_;
    const bool waits_until_durable_;
    const std::shared_ptr<vm::CodeCache> code_cache_;  // with machines in flight
    std::mutex writing_;  // held around what the ledger allows one caller at a time
    mutable std::shared_mutex head_mutex_;
    SharedBlock head_block_;  // guarded by head_mutex_
    /// The state after head_block_, once somebody has asked for it; guarded by head_mutex_. With
    /// those who are reading it.
    mutable std::shared_ptr<const ledger::PastState> head_state_;
    mutable BlockCache served_;
    Feed<SharedBlock> heads_;
};

}  // namespace heddle::node
