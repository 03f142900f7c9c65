// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/plain_root.hpp"

#include <algorithm>
#include <map>
#include <ranges>

#include <types/expected.hpp>
#include <types/rlp.hpp>

#include "durable/records.hpp"
#include "storage/schema.hpp"
#include "trie/trie_builder.hpp"

namespace heddle::ledger {

namespace {

/// Hashed key to the leaf's value; empty: there is none.
using Leaves = std::map<Hash, Bytes>;

/// Builds the trie of the table's leaves under `prefix`, those in `changed` in their place.
/// @param leaf_of  Makes a leaf's value of a record; empty: it does not decode.
template <typename LeafOf>
std::expected<Hash, LedgerError> merged_root(const Database& database, Table table,
                                             BytesView prefix, const Leaves& changed,
                                             LeafOf leaf_of) {
    TrieBuilder builder([](NibblesView, BytesView) {});
    const auto add = [&](const Hash& key, BytesView value) {
        return value.empty() || builder.add(key, value);
    };
    auto next = changed.begin();
    Cursor cursor = database.cursor(table);
    for (cursor.seek(prefix); cursor.has_prefix(prefix); cursor.next()) {
        Hash key;
        const BytesView tail = cursor.key().subspan(prefix.size());
        if (tail.size() != key.bytes.size()) return damaged_record("a key of the flat state");
        std::ranges::copy(tail, key.bytes.begin());
        bool is_in_order = true;
        for (; next != changed.end() && next->first < key; ++next)
            is_in_order = is_in_order && add(next->first, next->second);
        if (next != changed.end() && next->first == key) continue;
        const Bytes leaf = leaf_of(cursor.value());
        if (leaf.empty() || !is_in_order || !add(key, leaf))
            return damaged_record("the record " + to_hex(cursor.key()) + " of the flat state");
    }
    HEDDLE_CHECK(cursor.error());
    for (; next != changed.end(); ++next)
        if (!add(next->first, next->second)) return damaged_record("the flat state");
    return builder.finish();
}

std::expected<Hash, LedgerError> storage_root(const Database& database, const Hash& owner,
                                              const AccountUpdate& update) {
    Leaves changed;
    for (const SlotUpdate& slot : update.slots) {
        Bytes& leaf = changed[schema::hash_of_slot(slot.slot)];
        if (!slot.after.is_zero()) rlp::encode_uint256(slot.after, leaf);
    }
    return merged_root(database, Table::slots, owner.view(), changed, [](BytesView record) {
        Bytes leaf;
        if (const auto entry = schema::decode_slot_entry(record))
            rlp::encode_uint256(entry->value, leaf);
        return leaf;
    });
}

}  // namespace

std::expected<Hash, LedgerError> plain_root(const Database& database, const BlockChanges& changes) {
    Leaves changed;
    for (const AccountUpdate& update : changes.accounts) {
        const Hash key = schema::hash_of(update.address);
        Bytes& leaf = changed[key];
        if (!update.after.has_value()) continue;
        AccountRecord record = *update.after;
        HEDDLE_TRY(record.storage_root, storage_root(database, key, update));
        schema::encode_account_leaf(record, leaf);
    }
    return merged_root(database, Table::accounts, {}, changed, [](BytesView record) {
        Bytes leaf;
        if (const auto entry = schema::decode_account_entry(record))
            schema::encode_account_leaf(entry->record, leaf);
        return leaf;
    });
}

std::string summarize(const BlockChanges& changes) {
    constexpr std::size_t kShownAccounts = 8;
    constexpr std::size_t kShownSlots = 4;
    std::size_t slots = 0;
    for (const AccountUpdate& update : changes.accounts)
        slots += update.slots.size();
    std::string text = "the block changed " + std::to_string(changes.accounts.size()) +
                       " accounts and " + std::to_string(slots) + " slots";
    const char* separator = ": ";
    for (const AccountUpdate& update :
         changes.accounts | std::views::take(std::ptrdiff_t{kShownAccounts})) {
        text.append(separator).append(to_string(update.address));
        separator = ", ";
        const char* slot_separator = " slots ";
        for (const SlotUpdate& slot :
             update.slots | std::views::take(std::ptrdiff_t{kShownSlots})) {
            text.append(slot_separator).append(to_hex(slot.slot));
            slot_separator = " ";
        }
        if (update.slots.size() > kShownSlots) text.append(" …");
    }
    if (changes.accounts.size() > kShownAccounts) text.append(", …");
    return text;
}

}  // namespace heddle::ledger
