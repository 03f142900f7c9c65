// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain as everything outside execution sees it: committed blocks, the state after each, and
// what the next block would look like. Blocks get in through ChainApplication only.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include <ledger/durable_ledger.hpp>
#include <types/block.hpp>
#include <types/block_sink.hpp>
#include <types/chain_config.hpp>
#include <types/state_view.hpp>
#include <vm/evm.hpp>

#include "chain/amended_state.hpp"
#include "chain/block_cache.hpp"
#include "chain/feed.hpp"
#include "chain/forked_state.hpp"

namespace heddle::node {

/// What a chain keeps in memory beside its ledger, in bytes.
struct ChainMemory {
    std::size_t code = std::size_t{64} << 20;    // analysed code of calls and traces
    std::size_t served = std::size_t{48} << 20;  // blocks that were asked about lately
};

/// Blocks `first` to `last`.
struct BlockSpan {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

/// Thread safety: any, where nothing else is said. Reads wait for nobody; the ledger outlives it.
class Chain {
public:
    /// @param sync  That of the ledger: blocks are acknowledged when they are durable where each of
    ///              them is synced, else when they are written.
    Chain(ledger::DurableLedger& ledger, ChainConfig config, ledger::SyncPolicy sync = {},
          const ChainMemory& memory = {});
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    [[nodiscard]] const ChainConfig& config() const noexcept { return config_; }
    /// Committed state after the head, as it moves, for execution and admission. Good as long as
    /// the chain.
    [[nodiscard]] const StateView& state() const noexcept {
        return amended_ ? static_cast<const StateView&>(*amended_) : own_state();
    }
    /// For what is not about the head. What the ledger allows one caller at a time goes through
    /// this class.
    [[nodiscard]] const ledger::DurableLedger& ledger() const noexcept { return ledger_; }
    [[nodiscard]] const BlockHashes& block_hashes() const noexcept {
        if (fork_) return *fork_;
        return amended_ ? static_cast<const BlockHashes&>(rewindable_hashes_) : ledger_;
    }
    /// Analysed code for machines outside the stream; any number of them may share it.
    [[nodiscard]] const std::shared_ptr<vm::CodeCache>& code_cache() const noexcept {
        return code_cache_;
    }

    /// The newest block that is acknowledged: the end of the process cannot take it back, nor the
    /// loss of this machine where others are to have it first (hold_back()).
    [[nodiscard]] ledger::StoredHeader head() const;
    /// The same with its body and receipts.
    [[nodiscard]] SharedBlock head_block() const;
    /// The newest block that is kept: the head, or ahead of it by those that are held back. What
    /// comes next is built on it.
    [[nodiscard]] ledger::StoredHeader kept_head() const;
    [[nodiscard]] SharedBlock kept_head_block() const;

    /// The number of the first block there is: that of the ledger, or 0 where the blocks below are
    /// those of the chain that this one forks.
    [[nodiscard]] std::uint64_t first_block() const noexcept {
        return fork_ ? 0 : ledger_.first_block();
    }

    // As the ledger has them, up to the head; what lies below its first block, as the source of a
    // fork has it.
    template <typename T>
    using Found = ledger::DurableLedger::Found<T>;
    [[nodiscard]] Found<ledger::StoredHeader> header(std::uint64_t number) const;
    [[nodiscard]] Found<ledger::StoredBlock> block(std::uint64_t number) const;
    [[nodiscard]] Found<std::uint64_t> block_number(const Hash& hash) const;
    [[nodiscard]] Found<ledger::TransactionLocation> find_transaction(const Hash& hash) const;
    /// Also one that is held back.
    [[nodiscard]] Found<ledger::StoredBlock> kept_block(std::uint64_t number) const;
    [[nodiscard]] Found<ledger::StoredHeader> kept_header(std::uint64_t number) const;

    /// The state after block `number`, fixed. Errors: unavailable, io_error.
    [[nodiscard]] std::expected<std::unique_ptr<ledger::PastState>, ledger::LedgerError> state_at(
        std::uint64_t number) const;

    /// The same, shared by all who ask for the head's: made once for each head.
    [[nodiscard]] std::expected<std::shared_ptr<const ledger::PastState>, ledger::LedgerError>
    shared_state_at(std::uint64_t number) const;
    /// Block `number` where only its own content is asked for, and not its transactions' hashes:
    /// they take as long as reading it. Null: there is none, or the caller's ReadScope postpones
    /// it.
    [[nodiscard]] std::expected<SharedBlock, ledger::LedgerError> stored_block(
        std::uint64_t number) const;
    /// Block `number` as it is answered about; those used last are kept. Null: as above.
    [[nodiscard]] std::expected<SharedServedBlock, ledger::LedgerError> served_block(
        std::uint64_t number) const;
    /// Memory of those, in bytes.
    [[nodiscard]] std::size_t served_bytes() const { return served_.bytes(); }

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

    /// The state root of kept_head() with `diff` on top; nothing is kept. Keeps the next commit
    /// waiting meanwhile: for whoever builds a block on it. Others ask BlockTries. A read that
    /// fails ends the process, as those of the state do.
    [[nodiscard]] Hash state_root_with(const StateDiff& diff);

    /// Told of each block once it is the head, from the committing thread, or from the one that
    /// calls show_up_to().
    [[nodiscard]] Feed<SharedBlock>& heads() noexcept { return heads_; }
    /// Told of each block once it is kept, from the committing thread.
    [[nodiscard]] Feed<SharedBlock>& kept() noexcept { return kept_; }
    /// Told of each block once it is made, before the wait for the disk, from the committing
    /// thread: if it is ever kept, it is this one.
    [[nodiscard]] Feed<SharedBlock>& made() noexcept { return made_; }

    /// From now on a block that is kept becomes the head when show_up_to() says so, and no sooner.
    /// @param shown  What is the head until then; those above it are held back. Before anybody
    ///               reads. Errors: where that block or the state after it is not there.
    [[nodiscard]] std::expected<void, ledger::LedgerError> hold_back(std::uint64_t shown);
    /// Makes kept blocks up to this one the head, one after the other. One caller at a time.
    void show_up_to(std::uint64_t number);

    // For a chain that forks another one (ADR 28).

    /// Everything below the ledger's first block is `base`'s, and so are all values that no block
    /// since has written. Before become_development().
    /// @param base       Outlives it; the ledger begins at the block after its last one.
    /// @param first_own  What that first block has written.
    void fork_from(const ForkBase& base, const StateDiff& first_own);
    /// Null: it forks none.
    [[nodiscard]] const ForkBase* fork_base() const noexcept {
        return fork_ ? &fork_->base() : nullptr;
    }

    // For development chains (ADR 26); what changes something, as the next part.

    /// What the user of a development chain decides about the next block.
    using Preview = std::function<BlockHeader(const ledger::StoredHeader& head)>;
    /// Makes amend() and rewind() possible. Before anybody else uses the chain.
    /// @param preview  The header of the block that would be sealed now; from any thread.
    void become_development(Preview preview);
    /// What was set on the state after each block, by its number, ascending.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, StateDiff>> amendments() const;
    /// What amendments() has told in an earlier run. Before anybody else uses the chain.
    void restore_amendment(std::uint64_t number, const StateDiff& diff);
    /// The header of the block that would be sealed on this head now, as far as is known; nullopt:
    /// nobody says.
    [[nodiscard]] std::optional<BlockHeader> preview(const ledger::StoredHeader& head) const {
        if (!preview_) return std::nullopt;
        return preview_(head);
    }
    /// Sets values of the state after the head, outside of transactions. The next block has them
    /// among its changes; until then they are in memory only.
    void amend(const StateDiff& diff);
    /// What was set on top of the head's state; null: nothing.
    [[nodiscard]] SharedOverlay amendment() const;
    /// The same of the state after block `number`.
    [[nodiscard]] SharedOverlay amendment(std::uint64_t number) const;
    /// Makes block `number` the head again, with these values set on top of its state.
    /// Errors: as DurableLedger::rewind().
    [[nodiscard]] std::expected<void, ledger::LedgerError> rewind(std::uint64_t number,
                                                                  SharedOverlay amendment);
    /// As DurableLedger::visit_state(): without what was set.
    [[nodiscard]] std::expected<void, ledger::LedgerError> visit_state(
        const ledger::DurableLedger::StateVisitor& visitor);
    /// Counts up when blocks are taken back: what is kept of blocks by their numbers from before is
    /// worth nothing.
    [[nodiscard]] std::uint64_t rewind_count() const noexcept {
        return rewind_count_.load(std::memory_order_acquire);
    }
    /// Told of blocks before they are taken back, while they can still be read, from the thread
    /// that does it. Should that fail, nothing follows.
    [[nodiscard]] Feed<BlockSpan>& taking_back() noexcept { return taking_back_; }
    /// Told of the head each time that blocks were taken back, from the thread that did it.
    [[nodiscard]] Feed<SharedBlock>& rewinds() noexcept { return rewinds_; }

    // For ChainApplication; one caller at a time.
    /// Holds the block, of which readers see nothing; @return its state root.
    /// Errors: as BlockSink::commit().
    [[nodiscard]] std::expected<Hash, BlockError> stage(FinishedBlock block);
    /// Drops the block that is held, if there is one.
    void unstage();
    /// As BlockSink::foresee(). Development chains and forks, whose ledgers have other changes than
    /// their blocks, do without.
    void foresee(const Hash& parent, const StateDiff& diff);
    /// Makes the block that is held the head of the ledger, and its state the one that is read.
    void show();
    /// The ledger's folder goes with the process: no block waits for it from now on. Before the
    /// first one.
    void acknowledge_at_once() noexcept { acknowledges_at_once_ = true; }
    /// Waits for the disk as far as the sync policy says, makes the block that was shown the head,
    /// and tells of it. Errors: storage_failed.
    [[nodiscard]] std::expected<void, BlockError> acknowledge();
    /// show(), then acknowledge().
    [[nodiscard]] std::expected<void, BlockError> publish();
    /// stage(), then publish().
    [[nodiscard]] std::expected<void, BlockError> commit(FinishedBlock block);
    /// As DurableLedger::begin_snapshot(): of the head; while no block is held.
    [[nodiscard]] std::expected<std::unique_ptr<ledger::SnapshotWriter>, ledger::LedgerError>
    begin_snapshot();

private:
    friend class BlockTries;
    /// Blocks may be gone whose hashes are asked for: by calls and traces, whose results are of no
    /// use then. What is executed on the head asks for none of these.
    class RewindableHashes final : public BlockHashes {
    public:
        explicit RewindableHashes(const ledger::DurableLedger& ledger) : ledger_(ledger) {}
        [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
            return ledger_.find_block_hash(number).value_or(Hash{});
        }

    private:
        const ledger::DurableLedger& ledger_;
    };

    [[nodiscard]] static ledger::LedgerError no_root_of_fork(std::uint64_t number);
    /// The newest state without what was set on top of it.
    [[nodiscard]] const StateView& own_state() const noexcept {
        return fork_ ? static_cast<const StateView&>(*fork_) : ledger_.state();
    }
    /// A block below the head, from where it is kept. Null: there is none.
    [[nodiscard]] std::expected<SharedBlock, ledger::LedgerError> read_block(
        std::uint64_t number) const;
    [[nodiscard]] bool is_below_fork(std::uint64_t number) const noexcept {
        return fork_ && number <= fork_->base().number();
    }
    /// The state after a block of its own, without what was set on top of it.
    [[nodiscard]] std::expected<std::unique_ptr<ledger::PastState>, ledger::LedgerError>
    own_state_at(std::uint64_t number) const;
    /// As the sync policy says.
    [[nodiscard]] std::expected<void, ledger::LedgerError> wait_kept(std::uint64_t number);
    /// Calls `move`, which moves the ledger, and changes the marks of a fork in the same step.
    void move_ledger(const std::function<void()>& move,
                     const std::function<void(ForkMarks&)>& change);
    /// What was set on top of that state. With head_mutex_.
    [[nodiscard]] SharedOverlay amendment_of(std::uint64_t number) const;
    /// A diff made on the state after block `number` as it is read, as the ledger takes it.
    [[nodiscard]] StateDiff with_amendment(std::uint64_t number, StateDiff diff) const;

    ledger::DurableLedger& ledger_;
    const ChainConfig config_;
    const bool waits_until_durable_;
    bool acknowledges_at_once_ = false;
    const std::shared_ptr<vm::CodeCache> code_cache_;  // with machines in flight
    std::mutex writing_;  // held around what the ledger allows one caller at a time
    mutable std::shared_mutex head_mutex_;
    SharedBlock head_block_;  // guarded by head_mutex_, as the next three
    SharedBlock kept_head_;
    std::deque<SharedBlock> held_;  // kept and not shown, ascending
    bool holds_back_ = false;
    /// The state after head_block_, once somebody has asked for it; guarded by head_mutex_. With
    /// those who are reading it.
    mutable std::shared_ptr<const ledger::PastState> head_state_;
    /// Counts up when the state after a block becomes another one; guarded by head_mutex_.
    std::uint64_t state_version_ = 0;
    mutable BlockCache served_;
    Feed<SharedBlock> heads_;
    Feed<SharedBlock> kept_;
    Feed<SharedBlock> made_;

    // Of forks.
    std::unique_ptr<ForkedState> fork_;  // null: it is none
    StateDiff staged_changes_;           // of the block that is held; guarded by writing_

    // Of development chains.
    const RewindableHashes rewindable_hashes_;
    std::unique_ptr<AmendedState> amended_;  // null: this is none
    Preview preview_;
    /// By number of the block on whose state they lie, so that the block after it can be executed
    /// again; guarded by head_mutex_.
    std::map<std::uint64_t, std::shared_ptr<StateOverlay>> amendments_;
    std::atomic<std::uint64_t> rewind_count_ = 0;
    Feed<BlockSpan> taking_back_;
    Feed<SharedBlock> rewinds_;
};

}  // namespace heddle::node
