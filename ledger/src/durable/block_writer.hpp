// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings committed blocks into the database, in the background and in order. Whether a block is
// right has been decided before; what readers see meanwhile is DurableState's business.
//
// Two kinds of batches, each atomic, written by one thread, in this order; others help it to make
// them:
//   1. blocks: all that have queued up, with bodies, receipts, changes; moves the head;
//   2. checkpoint: after a block that brought trie nodes along, the flat tables, the history and
//      the nodes of all blocks since the last checkpoint, merged; moves the state block.
// It begins when there is something to write. With a linger it begins when that is over, somebody
// waits for it, or half of the queue is full: then it wakes, and makes a batch, for many blocks.
//
// A crash between them leaves the state behind the head, and opening brings it forward with the
// changes stored. The log keeps the order: what a loss of power takes is always a tail.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <expected>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <ledger/durable_ledger.hpp>
#include <types/block.hpp>
#include <types/object.hpp>

#include "durable/recent_changes.hpp"
#include "durable/stored_form.hpp"
#include "storage/database.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

struct BlockWriterOptions {
    SyncPolicy sync;
    std::uint64_t history_blocks = 0;
    std::uint64_t access_list_blocks = 0;
    std::size_t max_queued_blocks = 256;
    std::size_t max_queued_bytes = std::size_t{64} << 20;
    /// That make records of blocks and states, the writing one included.
    unsigned threads = 1;
    /// The ledger's folder, which somebody may remove. Empty: nobody does.
    std::filesystem::path directory{};
};

/// Thread safety: push() from one thread at a time, everything else from any.
class BlockWriter {
public:
    struct Events {
        /// Blocks up to this one survive a loss of power.
        std::function<void(std::uint64_t)> on_durable;
        /// The flat tables and trie nodes are those after this block.
        std::function<void(std::uint64_t)> on_state_persisted;
        /// Nothing more will be written.
        std::function<void(const LedgerError&)> on_failure;
    };

    /// @param recent       Blocks above the state block, those already stored included.
    /// @param head         Last block stored.
    /// @param state_block  Last checkpoint.
    BlockWriter(Database& database, BlockWriterOptions options, Events events,
                RecentChanges& recent, std::uint64_t head, std::uint64_t state_block,
                std::uint64_t first_history);
    BlockWriter(const BlockWriter&) = delete;
    BlockWriter& operator=(const BlockWriter&) = delete;
    /// Writes what is queued.
    ~BlockWriter();

    /// Waits while the queue is full, or what is being written takes more than two queues would.
    /// Errors: that of an earlier write; the block is then kept for readers and never written.
    /// @param trie_nodes  The nodes that differ from those of the last checkpoint; makes a
    ///                    checkpoint of the block.
    [[nodiscard]] std::expected<void, LedgerError> push(
        SharedBlock block, std::optional<WriteBatch> trie_nodes = std::nullopt);
    /// Waits until push() would not.
    /// Errors: that of an earlier write.
    [[nodiscard]] std::expected<void, LedgerError> wait_for_room();
    /// Makes a checkpoint of the last block pushed.
    [[nodiscard]] std::expected<void, LedgerError> push_checkpoint(WriteBatch trie_nodes);
    /// The block where it is not in the database yet; null otherwise.
    [[nodiscard]] SharedBlock find(std::uint64_t number) const;
    /// As above, by the block's hash.
    [[nodiscard]] SharedBlock find(const Hash& hash) const;
    /// As above, by a transaction of it.
    [[nodiscard]] std::optional<TransactionLocation> find_transaction(const Hash& hash) const;
    /// Waits until the block survives a loss of power.
    [[nodiscard]] std::expected<void, LedgerError> wait_durable(std::uint64_t number);
    /// Waits until the block is in the database, where the end of the process cannot take it back.
    [[nodiscard]] std::expected<void, LedgerError> wait_written(std::uint64_t number);
    /// Waits until all that was pushed is in the database and no checkpoint is under way.
    /// Errors: that of the write that failed.
    [[nodiscard]] std::expected<void, LedgerError> wait_idle();
    /// Blocks above `number` have been taken out of the database, and where the state was that of
    /// such a block it is that of this one now. After wait_idle(), by whoever pushes.
    void rewind(std::uint64_t number);
    /// A write beside the queue has failed: nothing more is written. As rewind().
    void fail(const LedgerError& error);
    /// Whether a checkpoint is queued or being written.
    [[nodiscard]] bool has_checkpoint_under_way() const;
    /// Waits until no checkpoint is.
    [[nodiscard]] std::expected<void, LedgerError> wait_checkpoint();

    [[nodiscard]] std::uint64_t durable() const;
    [[nodiscard]] std::uint64_t state_block() const;
    /// Of the blocks whose changes are kept. It moves up before they are dropped.
    [[nodiscard]] std::uint64_t first_history() const;
    /// As DurableLedger says. It counts from the next checkpoint on.
    void hold_states_from(std::uint64_t number) noexcept;
    struct Backlog {
        std::size_t blocks = 0;
        std::size_t bytes = 0;  // about; trie nodes for a checkpoint included
    };
    /// What has been pushed and is not in the database yet.
    [[nodiscard]] Backlog backlog() const;
    /// Time spent writing, in nanoseconds.
    [[nodiscard]] std::uint64_t busy_ns() const noexcept;

private:
    void run();
    struct Item {
        SharedBlock block;  // null: a checkpoint of the block before
        std::optional<WriteBatch> trie_nodes;
        std::size_t size_bytes = 0;
    };

    [[nodiscard]] std::expected<void, LedgerError> push(Item item);
    [[nodiscard]] std::expected<void, LedgerError> write(std::vector<Item>& items);
    [[nodiscard]] std::expected<void, LedgerError> write_blocks(const std::vector<Item>& items);
    /// Everything of the blocks but the mark of the head.
    void store_blocks(std::span<const SharedBlock> blocks, std::size_t size_bytes,
                      WriteBatch& batch);
    [[nodiscard]] std::expected<void, LedgerError> write_checkpoint(std::uint64_t number,
                                                                    WriteBatch& batch);
    [[nodiscard]] std::expected<void, LedgerError> sync_if_due();
    /// Drops the changes and the history of the oldest blocks, as many as goes with what a
    /// checkpoint of block `number` adds.
    /// @return the first block whose changes are kept, after it.
    [[nodiscard]] std::expected<std::uint64_t, LedgerError> prune_history(
        std::uint64_t number, std::span<const RecentChanges::Entry> added, WriteBatch& batch) const;
    [[nodiscard]] bool is_sync_due(std::uint64_t unsynced) const;
    // Under the lock.
    [[nodiscard]] bool is_sync_wanted() const;
    [[nodiscard]] bool has_room() const;
    /// Whether what is queued may wait for more.
    [[nodiscard]] bool may_linger() const;
    /// Waits until `is_reached`, or a failure.
    template <class Condition>
    void wait_for(std::unique_lock<std::mutex>& lock, const Condition& is_reached);

    Database& database_;
    const BlockWriterOptions options_;
    const Events events_;
    RecentChanges& recent_;

    mutable std::mutex mutex_;
    std::condition_variable has_work_;
    std::condition_variable has_progress_;
    std::deque<Item> queue_;
    std::deque<SharedBlock> unwritten_;  // those queued, and before them those being written
    std::size_t queued_bytes_ = 0;
    std::size_t writing_bytes_ = 0;  // of what was taken out of the queue and is there still
    std::chrono::steady_clock::time_point oldest_queued_;
    unsigned waiting_ = 0;  // threads in wait_for()
    bool is_stopping_ = false;
    std::uint64_t wanted_durable_ = 0;  // somebody waits for this block to be durable
    std::uint64_t rewinds_ = 0;         // what was written before them says nothing of after
    unsigned checkpoints_under_way_ = 0;
    std::optional<LedgerError> failure_;
    std::uint64_t written_;
    std::uint64_t durable_;
    std::uint64_t state_block_;
    std::uint64_t first_history_;

    std::atomic<std::uint64_t> busy_ns_ = 0;
    /// The state after this block is not dropped, nor those after it. Nothing else is published by
    /// it, hence relaxed: an older one keeps more.
    std::atomic<std::uint64_t> held_from_ = UINT64_MAX;

    // The writing thread's.
    WorkerCrew crew_;
    std::vector<RecordRoom> rooms_;  // one for each of the crew
    std::chrono::steady_clock::time_point oldest_unsynced_;
    std::thread thread_;
};

}  // namespace heddle::ledger
