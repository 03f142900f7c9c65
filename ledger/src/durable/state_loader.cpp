// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/state_loader.hpp"

#include <utility>

#include <types/expected.hpp>

namespace heddle::ledger {

namespace {

constexpr std::size_t kBatchBytes = std::size_t{8} << 20;

}  // namespace

StateLoader::StateLoader(Database& database) : database_(database), batch_(database.batch()) {}

std::expected<void, LedgerError> StateLoader::write_if_full() {
    if (batch_.size_bytes() < kBatchBytes) return {};
    HEDDLE_CHECK(database_.write(batch_, false));
    batch_.clear();
    return {};
}

std::expected<void, LedgerError> StateLoader::add_slot(const Hash& account, const Hash& slot,
                                                       const schema::SlotEntry& entry) {
    value_.clear();
    schema::encode_slot_entry(entry.slot, entry.value, value_);
    batch_.put(Table::slots, schema::SlotKey(account, slot).view(), value_);
    Bytes leaf;
    rlp::encode_uint256(entry.value, leaf);
    slots_.emplace_back(slot, std::move(leaf));
    return write_if_full();
}

Hash StateLoader::root_of(std::vector<std::pair<Hash, Bytes>>& leaves) {
    std::vector<TrieItem> items;
    for (const auto& [key, value] : leaves)
        items.push_back({key.view(), value});
    const Hash root = trie_root(items);
    leaves.clear();
    return root;
}

std::expected<void, LedgerError> StateLoader::add_account(const Hash& hash, const Address& address,
                                                          const Account& account) {
    const AccountRecord record{account, root_of(slots_)};
    value_.clear();
    schema::encode_account_entry(address, record, value_);
    batch_.put(Table::accounts, hash.view(), value_);
    Bytes leaf;
    rlp::encode_uint64(account.nonce, leaf);
    rlp::encode_uint256(account.balance, leaf);
    rlp::encode_hash(record.storage_root, leaf);
    rlp::encode_hash(account.code_hash, leaf);
    rlp::wrap_list(0, leaf);
    accounts_.emplace_back(hash, std::move(leaf));
    return write_if_full();
}

std::expected<void, LedgerError> StateLoader::add_code(const Hash& hash, BytesView code) {
    batch_.put(Table::codes, hash.view(), code);
    return write_if_full();
}

std::expected<Hash, LedgerError> StateLoader::finish() {
    HEDDLE_CHECK(database_.write(batch_, false));
    batch_.clear();
    return root_of(accounts_);
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
