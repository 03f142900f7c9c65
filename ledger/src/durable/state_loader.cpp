// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/state_loader.hpp"

#include <string>

#include <types/expected.hpp>
#include <types/rlp.hpp>

namespace heddle::ledger {

namespace {

constexpr std::size_t kBatchBytes = std::size_t{8} << 20;

std::unexpected<LedgerError> out_of_order(const char* what, const Hash& hash) {
    return std::unexpected(
        LedgerError{LedgerErrorCode::invalid, std::string{what} + " " + to_string(hash) +
                                                  " is not above the one before, or out of place"});
}

}  // namespace

StateLoader::StateLoader(Database& database)
    : database_(database),
      batch_(database.batch()),
      nodes_(batch_),
      slots_([this](NibblesView path, BytesView node) { nodes_.put(owner_, path, node); }),
      accounts_(
          [this](NibblesView path, BytesView node) { nodes_.put(kAccountTrie, path, node); }) {}

std::expected<void, LedgerError> StateLoader::write_if_full() {
    if (batch_.size_bytes() < kBatchBytes) return {};
    HEDDLE_CHECK(database_.write(batch_, false));
    batch_.clear();
    return {};
}

std::expected<void, LedgerError> StateLoader::add_slot(const Hash& account, const Hash& slot,
                                                       const schema::SlotEntry& entry) {
    if (slots_.leaf_count() == 0) owner_ = account;
    value_.clear();
    rlp::encode_uint256(entry.value, value_);
    if (account != owner_ || !slots_.add(slot, value_)) return out_of_order("slot", slot);
    value_.clear();
    schema::encode_slot_entry(entry.slot, entry.value, value_);
    batch_.put(Table::slots, schema::SlotKey(account, slot).view(), value_);
    return write_if_full();
}

std::expected<void, LedgerError> StateLoader::add_account(const Hash& hash, const Address& address,
                                                          const Account& account) {
    if (slots_.leaf_count() != 0 && owner_ != hash) return out_of_order("account", hash);
    const AccountRecord record{account, slots_.finish()};
    value_.clear();
    schema::encode_account_leaf(record, value_);
    if (!accounts_.add(hash, value_)) return out_of_order("account", hash);
    value_.clear();
    schema::encode_account_entry(address, record, value_);
    batch_.put(Table::accounts, hash.view(), value_);
    return write_if_full();
}

std::expected<void, LedgerError> StateLoader::add_code(const Hash& hash, BytesView code) {
    batch_.put(Table::codes, hash.view(), code);
    return write_if_full();
}

std::expected<Hash, LedgerError> StateLoader::finish() {
    if (slots_.leaf_count() != 0) return out_of_order("account", owner_);
    const Hash root = accounts_.finish();
    HEDDLE_CHECK(database_.write(batch_, false));
    batch_.clear();
    return root;
}

void store_first_block(const schema::HeaderRecord& record, BytesView chain, WriteBatch& batch) {
    const Bytes key = schema::number_key(record.header.number);
    Bytes value;
    schema::encode_header_record(record, value);
    batch.put(Table::headers, key, value);
    batch.put(Table::block_numbers, record.hash.view(), key);
    value.clear();
    schema::encode_mark({record.header.number, record.hash}, value);
    batch.put(Table::meta, schema::meta_key(schema::Meta::head), value);
    batch.put(Table::meta, schema::meta_key(schema::Meta::state_block), key);
    batch.put(Table::meta, schema::meta_key(schema::Meta::first_block), key);
    batch.put(Table::meta, schema::meta_key(schema::Meta::first_history),
              schema::number_key(record.header.number + 1));
    batch.put(Table::meta, schema::meta_key(schema::Meta::chain), chain);
}

}  // namespace heddle::ledger
