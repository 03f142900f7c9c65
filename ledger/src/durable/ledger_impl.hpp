// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is behind the DurableLedger, for the files that implement it: durable_ledger.cpp opens and
// commits, ledger_reads.cpp answers questions, ledger_proofs.cpp those that need tries.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <expected>
#include <memory>
#include <set>
#include <shared_mutex>
#include <span>

#include <ledger/durable_ledger.hpp>

#include "durable/block_writer.hpp"
#include "durable/chain_state.hpp"
#include "durable/records.hpp"
#include "storage/database.hpp"

namespace heddle::ledger {

struct DurableLedger::Impl {
    Impl(DurableLedgerOptions settings, std::unique_ptr<Database> db)
        : options(std::move(settings)), database(std::move(db)) {}

    const DurableLedgerOptions options;
    const std::unique_ptr<Database> database;
    std::unique_ptr<ChainState> state;
    Bytes chain;
    std::uint64_t first_block = 0;
    std::uint64_t first_header = 0;  // as read_first_header()
    OpenReport report;

    // Written by the committing thread under an exclusive lock.
    mutable std::shared_mutex head_mutex;
    StoredHeader head;
    /// The head, whole. Null where it has not been committed since the ledger was opened, or where
    /// blocks above it were taken back: it is in the database then.
    SharedStoredBlock head_block;
    std::deque<Hash> hashes;  // of the last blocks, the head's at the end
    /// Held exclusively while blocks are taken back, shared by those who read several things of one
    /// block.
    mutable std::shared_mutex rewinding;

    // The committing thread's.
    std::uint64_t last_checkpoint = 0;
    std::size_t bytes_since_checkpoint = 0;
    std::size_t values_since_checkpoint = 0;  // accounts and slots, one for each change
    bool is_closed = false;
    /// A block between stage() and publish(): the tries are after it, everything else before.
    struct Staged {
        FinishedBlock block;  // its header complete
        BlockChanges changes;
        std::vector<Hash> storage_roots;  // of the accounts of its diff
    };
    std::optional<Staged> staged;
    /// What the head's child is expected to change. While there is such a thing, tries are after
    /// it, everything else is before, and nothing is staged.
    struct Foreseen {
        StateDiff diff;
        BlockChanges changes;
        Hash root;
        std::vector<Hash> storage_roots;  // of the accounts of `diff`
    };
    std::optional<Foreseen> foreseen;
    LedgerStats stats;  // all but the writer's and the database's
    /// Of the tries, when they were moved last. Relaxed: for whoever asks what memory there is.
    std::atomic<std::size_t> trie_bytes = 0;

    // Last, for its thread uses everything above.
    std::unique_ptr<BlockWriter> writer;

    static std::expected<std::unique_ptr<Impl>, LedgerError> open(
        DurableLedgerOptions options, std::unique_ptr<Database> database);
    /// Before anything can be dropped.
    std::expected<void, LedgerError> treat_archive_mark();
    std::expected<void, LedgerError> load_chain();
    std::expected<void, LedgerError> bring_forward(std::uint64_t state_block);
    void start_writer(std::uint64_t state_block, std::uint64_t first_history);

    /// The tries go back to the head, if they are ahead of it. What fails is said by check_tries().
    void drop_foreseen();
    /// What `diff` does to the head's state, the tries moved there: what was foreseen, if it is
    /// the same, in place of doing it now.
    [[nodiscard]] std::expected<Foreseen, LedgerError> move_ahead(const StateDiff& diff);

    /// What of the state after block `number` is in the tables and what is not yet, at one moment.
    struct PastView {
        std::uint64_t state_block = 0;  // that the tables of the snapshot show
        std::unique_ptr<DatabaseSnapshot> snapshot;
        std::vector<RecentChanges::Entry> recent;  // the blocks above it, and perhaps some below
    };
    /// From any thread, with `rewinding` shared. Errors: unavailable, and those of the database.
    [[nodiscard]] std::expected<PastView, LedgerError> view_of(std::uint64_t number) const;

    void set_head(StoredHeader next, SharedStoredBlock block);
    // From any thread, with `rewinding` shared.
    /// As DurableLedger::header().
    [[nodiscard]] std::expected<std::optional<StoredHeader>, LedgerError> header_of(
        std::uint64_t number) const;
    /// The block where it is in memory: the head, or on its way to the database; else null.
    [[nodiscard]] SharedStoredBlock block_at_hand(std::uint64_t number) const;
    /// The block from the database, which has it if there is one.
    [[nodiscard]] std::expected<std::optional<StoredBlock>, LedgerError> written_block(
        std::uint64_t number) const;
    /// Hashes of the block's ommers; nullopt: there is a header alone, which says that it has some.
    [[nodiscard]] std::expected<std::optional<std::vector<Hash>>, LedgerError> ommers_of(
        const BlockHeader& header) const;
    /// One step of rewind(): to `number`, or to a block above it.
    std::expected<void, LedgerError> step_back(std::uint64_t number);
    /// Takes the block out of the database, and what it did out of the history.
    /// @return what takes its changes back.
    std::expected<BlockChanges, LedgerError> take_back(std::uint64_t number, WriteBatch& batch);
    void count(const BlockChanges& changes);
    /// @return what it takes in memory.
    std::size_t push(std::shared_ptr<PendingBlock> block);
    /// A block that the writer takes alone is in the database when its commit() returns: so nobody
    /// makes another one as large meanwhile, for whom this one's end is when its memory is free.
    /// The writer needs nothing for it that the committing thread has.
    void wait_for_large(std::size_t size_bytes);
    std::expected<void, LedgerError> checkpoint_now(
        ChainState::Collect what = ChainState::Collect::changes);
    /// What the blocks above `number`, one that is staged or foreseen included, changed together:
    /// what the tries differ by.
    /// Errors: unavailable more than kProofBlocks below the head, above it, and where it is pruned;
    /// what has left the tries nowhere.
    [[nodiscard]] std::expected<BlockChanges, LedgerError> changes_since(
        std::uint64_t number) const;
    /// Moves the tries to block `number` by what changes_since() says of it. @return its root.
    [[nodiscard]] std::expected<Hash, LedgerError> move_back(const BlockChanges& since,
                                                             std::uint64_t number);
    /// Moves them from there to where they were before.
    [[nodiscard]] std::expected<void, LedgerError> move_forward(const BlockChanges& since);
    /// The state root of a block up to the head; called as commit() is.
    [[nodiscard]] std::expected<Hash, LedgerError> root_of(std::uint64_t number) const;
    /// The same of any block that the writer has, the one that is about to be the head included.
    /// From any thread.
    [[nodiscard]] std::expected<Hash, LedgerError> committed_root(std::uint64_t number) const;
    /// Of the tries as they stand between calls.
    [[nodiscard]] const Hash& tries_root() const noexcept {
        if (foreseen) return foreseen->root;
        return staged ? staged->block.block.header.state_root : head.header.state_root;
    }
    /// A proof from the tries as they are: before `since`.
    [[nodiscard]] std::expected<AccountProof, LedgerError> prove(const BlockChanges& since,
                                                                 const Address& address,
                                                                 const std::vector<Uint256>& slots);
    /// DurableLedger::trie_nodes() of the tries as they are.
    [[nodiscard]] std::expected<std::set<Bytes>, LedgerError> nodes_to(
        std::span<const TrieKey> keys);
    std::string explain_mismatch(const BlockChanges& changes, const Hash& root);
};

[[nodiscard]] inline StoredHeader to_header(const schema::HeaderRecord& record) {
    return {record.header, record.hash, record.total_difficulty};
}

}  // namespace heddle::ledger
