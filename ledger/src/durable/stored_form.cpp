// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/stored_form.hpp"

#include <types/held_bytes.hpp>
#include <types/object_codec.hpp>
#include <types/transaction_hashes.hpp>

#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

/// What is kept of each buffer: enough for blocks of some 1,000 transactions.
constexpr std::size_t kMostKept = std::size_t{512} << 10;

/// Calls `visit(key, before_account_or_null, before_slot_or_null)` for each value changed.
template <typename Visit>
void for_each_value(const BlockChanges& changes, Visit visit) {
    for (const AccountUpdate& update : changes.accounts) {
        const Hash address = schema::hash_of(update.address);
        visit(address.view(), &update, nullptr);
        for (const SlotUpdate& slot : update.slots)
            visit(schema::SlotKey(address, schema::hash_of_slot(slot.slot)).view(), &update, &slot);
    }
}

}  // namespace

std::size_t PendingBlock::size_bytes() const noexcept {
    std::size_t size = sizeof *this + access_list.size();
    size += held_bytes(stored->block.transactions) + held_bytes(stored->receipts);
    size += held_bytes(object_sets) + held_bytes(codes);
    return size + held_bytes(*changes);
}

const Bytes& PendingBlock::encoded_object_sets() const {
    std::call_once(encoding_, [this] {
        if (!object_sets.empty()) encode_object_sets(object_sets, encoded_object_sets_);
    });
    return encoded_object_sets_;
}

void RecordRoom::trim() {
    if (value.capacity() > kMostKept) value = Bytes{};
    if (places.held_bytes() > kMostKept) places = SortedWrites{};
    if (hasher.held_bytes() > kMostKept) hasher = KeccakBatch{};
}

void store_part(const PendingBlock& pending, BlockPart part, RecordRoom& room, WriteBatch& batch) {
    const StoredBlock& stored = *pending.stored;
    const std::vector<Transaction>& transactions = stored.block.transactions;
    const std::uint64_t number = pending.number();
    const Bytes key = schema::number_key(number);
    Bytes& value = room.value;
    value.clear();
    const auto put = [&](Table table) {
        batch.put(table, key, value);
        value.clear();
    };
    switch (part) {
        case BlockPart::header_and_body:
            schema::encode_header_record(
                {stored.hash, stored.total_difficulty, stored.block.header}, value);
            put(Table::headers);
            batch.put(Table::block_numbers, stored.hash.view(), key);
            encode_body(stored.block, value);
            put(Table::bodies);
            return;
        case BlockPart::receipts:
            schema::encode_receipts(stored.receipts, value);
            put(Table::receipts);
            schema::encode_senders(transactions, value);
            put(Table::senders);
            return;
        case BlockPart::hints:
            if (!pending.object_sets.empty())
                batch.put(Table::object_sets, key, pending.encoded_object_sets());
            if (!pending.access_list.empty())
                batch.put(Table::access_lists, key, pending.access_list);
            return;
        case BlockPart::places: {
            const std::vector<Hash> hashes = transaction_hashes(transactions, room.hasher);
            for (std::size_t i = 0; i < transactions.size(); ++i) {
                value.clear();
                schema::encode_place({number, static_cast<std::uint32_t>(i)}, value);
                room.places.put(Table::transactions, hashes[i].view(), value);
            }
            room.places.move_to(batch);
            return;
        }
        case BlockPart::changes:
            for (const CodeChange& code : pending.codes)
                batch.put(Table::codes, code.hash.view(), code.code);
            schema::encode_changes(*pending.changes, value);
            put(Table::changes);
            return;
    }
}

void store_block(const PendingBlock& block, RecordRoom& room, WriteBatch& batch) {
    for (std::size_t part = 0; part < kBlockParts; ++part)
        store_part(block, static_cast<BlockPart>(part), room, batch);
}

void store_head(const PendingBlock& block, WriteBatch& batch) {
    Bytes value;
    schema::encode_mark({block.number(), block.stored->hash}, value);
    batch.put(Table::meta, schema::meta_key(schema::Meta::head), value);
}

void erase_block(const Block& block, const Hash& hash, WriteBatch& batch) {
    for (const Hash& transaction : transaction_hashes(block.transactions))
        batch.erase(Table::transactions, transaction.view());
    batch.erase(Table::block_numbers, hash.view());
    const Bytes key = schema::number_key(block.header.number);
    for (const Table table : {Table::headers, Table::bodies, Table::receipts, Table::senders,
                              Table::object_sets, Table::access_lists, Table::changes})
        batch.erase(table, key);
}

void store_state(const BlockChanges& changes, WriteBatch& batch) {
    SortedWrites writes;
    Bytes value;
    for_each_value(changes,
                   [&](BytesView key, const AccountUpdate* account, const SlotUpdate* slot) {
                       const Table table = slot == nullptr ? Table::accounts : Table::slots;
                       value.clear();
                       if (slot != nullptr && !slot->after.is_zero())
                           schema::encode_slot_entry(slot->slot, slot->after, value);
                       else if (slot == nullptr && account->after.has_value())
                           schema::encode_account_entry(account->address, *account->after, value);
                       if (value.empty())
                           writes.erase(table, key);
                       else
                           writes.put(table, key, value);
                   });
    writes.move_to(batch);
}

void erase_history(std::uint64_t number, const BlockChanges& changes, WriteBatch& batch) {
    SortedWrites writes;
    for_each_value(changes, [&](BytesView key, const AccountUpdate*, const SlotUpdate*) {
        writes.erase(Table::history, schema::history_key(key, number));
    });
    writes.move_to(batch);
}

}  // namespace heddle::ledger
