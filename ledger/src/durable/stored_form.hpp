// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which records a block, the state and the history become; of a checkpoint, state_records.hpp. What
// their bytes are is schema.hpp's business, when they are written the writer's.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <ledger/durable_ledger.hpp>
#include <types/keccak_batch.hpp>
#include <types/object.hpp>
#include <types/state_diff.hpp>

#include "durable/recent_changes.hpp"
#include "storage/database.hpp"
#include "storage/sorted_writes.hpp"

namespace heddle::ledger {

/// A committed block on its way. Readers share it until it is in the database.
class PendingBlock {
public:
    SharedStoredBlock stored;
    std::vector<ObjectSet> object_sets;
    Bytes access_list;  // RLP; empty: the block has none (EIP-7928)
    std::vector<CodeChange> codes;
    RecentChanges::Shared changes;

    [[nodiscard]] std::uint64_t number() const noexcept { return stored->block.header.number; }
    /// About; for the bound of the queue.
    [[nodiscard]] std::size_t size_bytes() const noexcept;
    /// encode_object_sets() of `object_sets`, empty where there are none. Made once, by who asks
    /// first: the writer, or a stream to other nodes. Thread-safe.
    [[nodiscard]] const Bytes& encoded_object_sets() const;

private:
    mutable std::once_flag encoding_;
    mutable Bytes encoded_object_sets_;
};
using SharedBlock = std::shared_ptr<const PendingBlock>;

/// Room for records while they are made, kept from block to block: room that grew anew for each
/// would be given back to the system and cleared by it as often.
///
/// Thread safety: none; each thread that makes records has its own.
class RecordRoom {
public:
    Bytes value;
    SortedWrites places;
    KeccakBatch hasher;

    /// Gives back what one large block has left. Between blocks: what is held is not needed then.
    void trim();
};

/// What a block is stored as, in parts that can be made by different threads.
enum class BlockPart : std::uint8_t { header_and_body, receipts, hints, places, changes };
inline constexpr std::size_t kBlockParts = 5;
void store_part(const PendingBlock& block, BlockPart part, RecordRoom& room, WriteBatch& batch);
/// All parts, one after the other.
void store_block(const PendingBlock& block, RecordRoom& room, WriteBatch& batch);
/// The block is the head.
void store_head(const PendingBlock& block, WriteBatch& batch);
/// Everything that store_block() wrote but the code, and neither state nor the mark of the head.
void erase_block(const Block& block, const Hash& hash, WriteBatch& batch);
/// Adds the flat values after `changes`.
void store_state(const BlockChanges& changes, WriteBatch& batch);
/// Takes the values before the block out of the history.
void erase_history(std::uint64_t number, const BlockChanges& changes, WriteBatch& batch);

}  // namespace heddle::ledger
