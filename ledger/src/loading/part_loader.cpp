// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "loading/part_loader.hpp"

#include <string>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/rlp.hpp>

#include "storage/byte_codec.hpp"

namespace heddle::ledger {

namespace {

constexpr std::size_t kBatchBytes = std::size_t{8} << 20;
/// A file is read by way of an index and filters that are cached in parts; larger ones mean fewer.
constexpr std::size_t kFileBytes = std::size_t{64} << 20;

std::unexpected<LedgerError> invalid(std::string detail) {
    return std::unexpected(LedgerError{LedgerErrorCode::invalid, std::move(detail)});
}

}  // namespace

NodeWriter::NodeWriter(Database& database) : database_(database), batch_(database.batch()) {}

void NodeWriter::put(const Hash& owner, NibblesView path, BytesView node) {
    const std::lock_guard lock(mutex_);
    if (!written_.has_value()) return;
    TrieBatch(batch_).put(owner, path, node);
    if (batch_.size_bytes() < kBatchBytes) return;
    written_ = database_.write(batch_, false);
    batch_.clear();
}

std::expected<void, LedgerError> NodeWriter::finish() {
    const std::lock_guard lock(mutex_);
    HEDDLE_CHECK(written_);
    written_ = database_.write(batch_, false);
    batch_.clear();
    return written_;
}

std::expected<void, LedgerError> PartLoader::Files::put(BytesView key, BytesView value) {
    if (files_.empty() || files_.back().size_bytes() >= kFileBytes) {
        if (!files_.empty()) HEDDLE_CHECK(files_.back().finish());
        HEDDLE_TRY(TableFile file, database_.new_file(table_));
        files_.push_back(std::move(file));
    }
    return files_.back().put(key, value);
}

std::expected<std::vector<TableFile>, LedgerError> PartLoader::Files::finish() {
    if (!files_.empty()) HEDDLE_CHECK(files_.back().finish());
    return std::move(files_);
}

PartLoader::PartLoader(Database& database, NodeWriter& nodes, TrieSpan span)
    : span_(span),
      account_files_(database, Table::accounts),
      slot_files_(database, Table::slots),
      slots_([this, &nodes](NibblesView path, BytesView node) { nodes.put(owner_, path, node); }),
      accounts_([&nodes](NibblesView path, BytesView node) { nodes.put(kAccountTrie, path, node); },
                kStoredLeafCount, best_keccak_path(), span) {}

std::expected<void, LedgerError> PartLoader::take(const StateRecord& record) {
    return record.is_account() ? take_account(record) : take_slot(record);
}

std::expected<void, LedgerError> PartLoader::take_slot(const StateRecord& record) {
    const Hash account = record.account_hash();
    const Hash slot = record.slot_hash();
    ByteReader reader(record.payload());
    const Uint256 number = reader.word();
    const Uint256 value = reader.word();
    HEDDLE_ASSERT(reader.is_done());
    if (owner_ != account) {
        owner_ = account;
        last_slot_.reset();
    }
    if (last_slot_ == slot) {
        // The record of the account, which comes after its slots, knows whose it is.
        if (!twice_.has_value()) twice_ = number;
        return {};
    }
    last_slot_ = slot;
    // No value, but it has come so far to be found out where the slot is there once more.
    if (value.is_zero()) return {};
    value_.clear();
    rlp::encode_uint256(value, value_);
    HEDDLE_ASSERT(slots_.add(slot, value_));
    return slot_files_.put(schema::SlotKey(account, slot).view(), record.payload());
}

std::expected<void, LedgerError> PartLoader::take_account(const StateRecord& record) {
    const Hash hash = record.account_hash();
    auto entry = schema::decode_account_entry(record.payload());
    HEDDLE_ASSERT(entry.has_value() && (slots_.leaf_count() == 0 || owner_ == hash));
    // Before its slots: those of an address that is there twice may well be the same.
    if (last_account_ == hash)
        return invalid("address " + to_string(entry->address) + " occurs twice");
    if (twice_.has_value())
        return invalid("slot " + to_hex(*twice_) + " of address " + to_string(entry->address) +
                       " occurs twice");
    last_account_ = hash;
    entry->record.storage_root = slots_.finish();
    value_.clear();
    schema::encode_account_leaf(entry->record, value_);
    HEDDLE_ASSERT(accounts_.add(hash, value_));
    value_.clear();
    schema::encode_account_entry(entry->address, entry->record, value_);
    return account_files_.put(hash.view(), value_);
}

std::expected<LoadedPart, LedgerError> PartLoader::finish() {
    HEDDLE_ASSERT(slots_.leaf_count() == 0);
    LoadedPart loaded;
    if (span_ == TrieSpan::whole)
        loaded.trie = accounts_.finish();
    else
        loaded.trie = accounts_.finish_part();
    HEDDLE_TRY(loaded.accounts, account_files_.finish());
    HEDDLE_TRY(loaded.slots, slot_files_.finish());
    return loaded;
}

}  // namespace heddle::ledger
