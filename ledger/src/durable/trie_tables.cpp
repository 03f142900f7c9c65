// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/trie_tables.hpp"

#include <algorithm>
#include <optional>

#include <types/rlp.hpp>

#include "storage/byte_codec.hpp"
#include "storage/schema.hpp"
#include "trie/nibbles.hpp"

namespace heddle::ledger {

namespace {

constexpr std::uint8_t kAccountTag = 0;
constexpr std::uint8_t kStorageTag = 1;

void append_packed(NibblesView path, Bytes& out) {
    for (std::size_t i = 0; i + 1 < path.size(); i += 2)
        out.push_back(static_cast<std::uint8_t>(path[i] << 4 | path[i + 1]));
    if (path.size() % 2 != 0) out.push_back(static_cast<std::uint8_t>(path.back() << 4));
}

/// Whether the key, after `skip` bytes, begins with these nibbles.
bool begins_with(BytesView key, std::size_t skip, NibblesView nibbles) noexcept {
    for (std::size_t i = 0; i < nibbles.size(); ++i) {
        const std::uint8_t byte = key[skip + i / 2];
        if (nibbles[i] != (i % 2 == 0 ? byte >> 4 : byte & 0x0f)) return false;
    }
    return true;
}

LedgerError damaged_leaf(const char* what, BytesView key) {
    return {LedgerErrorCode::corrupt, std::string{what} + " " + to_hex(key) + " does not decode"};
}

/// Puts the leaf's value in the trie into `leaf`. @return whether the record decodes.
bool make_leaf_value(Table table, BytesView record, Bytes& leaf) {
    leaf.clear();
    if (table == Table::slots) {
        const auto entry = schema::decode_slot_entry(record);
        if (!entry.has_value()) return false;
        rlp::encode_uint256(entry->value, leaf);
        return true;
    }
    const auto entry = schema::decode_account_entry(record);
    if (!entry.has_value()) return false;
    schema::encode_account_leaf(entry->record, leaf);
    return true;
}

class TableLeaves final : public LeafReader {
public:
    TableLeaves(const Database& database, const DatabaseSnapshot* snapshot) noexcept
        : database_(database), snapshot_(snapshot) {}

    [[nodiscard]] std::expected<void, LedgerError> for_each_leaf(const Hash& owner,
                                                                 NibblesView prefix,
                                                                 const LeafVisitor& visit) override;

private:
    const Database& database_;
    const DatabaseSnapshot* const snapshot_;
    std::optional<Cursor> accounts_;
    std::optional<Cursor> slots_;
    Bytes from_;  // kept for their memory
    Bytes value_;
};

std::expected<void, LedgerError> TableLeaves::for_each_leaf(const Hash& owner, NibblesView prefix,
                                                            const LeafVisitor& visit) {
    const bool is_account_trie = owner == kAccountTrie;
    const Table table = is_account_trie ? Table::accounts : Table::slots;
    from_.clear();
    if (!is_account_trie) append(owner.view(), from_);
    const std::size_t skip = from_.size();
    append_packed(prefix, from_);
    std::optional<Cursor>& held = is_account_trie ? accounts_ : slots_;
    if (!held.has_value()) held.emplace(database_.cursor(table, snapshot_));
    Cursor& cursor = *held;
    for (cursor.seek(from_); cursor.valid(); cursor.next()) {
        const BytesView key = cursor.key();
        if (key.size() != skip + sizeof(Hash)) return std::unexpected(damaged_leaf("key", key));
        if (!cursor.has_prefix(BytesView(from_).first(skip)) || !begins_with(key, skip, prefix))
            break;
        if (!make_leaf_value(table, cursor.value(), value_))
            return std::unexpected(damaged_leaf("record", key));
        Hash hash;
        std::ranges::copy(key.subspan(skip), hash.bytes.begin());
        if (!visit(hash, value_)) break;
    }
    if (const auto error = cursor.error(); !error.has_value())
        return std::unexpected(error.error());
    return {};
}

}  // namespace

Bytes trie_node_prefix(const Hash& owner) {
    Bytes prefix;
    if (owner == kAccountTrie) return {kAccountTag};
    prefix.push_back(kStorageTag);
    append(owner.view(), prefix);
    return prefix;
}

Bytes trie_node_key(const Hash& owner, NibblesView path) {
    Bytes key = trie_node_prefix(owner);
    append_packed(path, key);
    key.push_back(static_cast<std::uint8_t>(path.size()));
    return key;
}

std::expected<std::optional<Bytes>, LedgerError> TrieTables::read_node(const Hash& owner,
                                                                       NibblesView path) const {
    return database_.get(Table::trie_nodes, trie_node_key(owner, path), snapshot_);
}

std::unique_ptr<LeafReader> TrieTables::leaves() const {
    return std::make_unique<TableLeaves>(database_, snapshot_);
}

void TrieBatch::put(const Hash& owner, NibblesView path, BytesView node) {
    batch_.put(Table::trie_nodes, trie_node_key(owner, path), node);
}

void TrieBatch::erase(const Hash& owner, NibblesView path) {
    batch_.erase(Table::trie_nodes, trie_node_key(owner, path));
}

void TrieBatch::erase_all(const Hash& owner) {
    const Bytes begin = trie_node_prefix(owner);
    Bytes end = begin;
    // No prefix consists of 0xff bytes only: each begins with a tag.
    while (end.back() == 0xff)
        end.pop_back();
    ++end.back();
    batch_.erase_range(Table::trie_nodes, begin, end);
}

}  // namespace heddle::ledger
