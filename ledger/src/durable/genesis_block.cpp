// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/genesis_block.hpp"

#include <algorithm>
#include <vector>

#include <types/expected.hpp>
#include <types/ordered_root.hpp>
#include <types/rlp.hpp>

#include "durable/state_loader.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

template <typename T>
struct Hashed {
    Hash hash;
    const T* item;
};

/// By hash, the order of the tables and tries.
template <typename T, typename HashOf>
std::vector<Hashed<T>> sort_by_hash(const std::vector<T>& items, HashOf hash_of) {
    std::vector<Hashed<T>> sorted;
    sorted.reserve(items.size());
    for (const T& item : items)
        sorted.push_back({hash_of(item), &item});
    std::ranges::sort(sorted, {}, &Hashed<T>::hash);
    return sorted;
}

std::expected<void, LedgerError> load(StateLoader& loader, const GenesisAccount& account,
                                      const Hash& hash) {
    const auto slots = sort_by_hash(
        account.storage, [](const auto& slot) { return schema::hash_of_slot(slot.first); });
    for (const auto& slot : slots)
        if (!slot.item->second.is_zero())
            HEDDLE_CHECK(loader.add_slot(hash, slot.hash, {slot.item->first, slot.item->second}));
    Account fields{.nonce = account.nonce, .balance = account.balance};
    if (!account.code.empty()) {
        fields.code_hash = keccak256(account.code);
        HEDDLE_CHECK(loader.add_code(fields.code_hash, account.code));
    }
    return loader.add_account(hash, account.address, fields);
}

}  // namespace

std::expected<void, LedgerError> store_genesis(Database& database, const Genesis& genesis,
                                               BytesView chain) {
    StateLoader loader(database);
    const auto accounts = sort_by_hash(genesis.alloc, [](const GenesisAccount& account) {
        return schema::hash_of(account.address);
    });
    for (const auto& account : accounts)
        HEDDLE_CHECK(load(loader, *account.item, account.hash));
    HEDDLE_TRY(const Hash root, loader.finish());
    HEDDLE_CHECK(store_genesis_block(database, genesis.header, root, chain));
    return {};
}

std::expected<Hash, LedgerError> store_genesis_block(Database& database, const BlockHeader& header,
                                                     const Hash& state_root, BytesView chain) {
    schema::HeaderRecord record{
        .hash = {}, .total_difficulty = header.difficulty, .header = header};
    record.header.state_root = state_root;
    record.hash = header_hash(record.header);

    WriteBatch batch = database.batch();
    store_first_block(record, chain, batch);
    Block block;
    block.header = record.header;
    if (record.header.withdrawals_root.has_value()) block.withdrawals.emplace();
    Bytes body;
    encode_body(block, body);
    const Bytes key = schema::number_key(record.header.number);
    batch.put(Table::bodies, key, body);
    batch.put(Table::receipts, key, {});
    batch.put(Table::senders, key, {});
    HEDDLE_CHECK(database.write(batch, false));
    return record.hash;
}

}  // namespace heddle::ledger
