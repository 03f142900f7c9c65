// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/table_keys.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <types/expected.hpp>

#include "durable/trie_tables.hpp"
#include "storage/schema.hpp"
#include "trie/node_rlp.hpp"
#include "trie/trie_store.hpp"

namespace heddle::ledger {

namespace {

std::optional<std::string> meta_problem(BytesView key) {
    constexpr auto kLast = static_cast<std::uint8_t>(schema::Meta::archive);
    if (key.size() != 1 || key[0] > kLast) return "there is no such mark";
    if (key[0] == static_cast<std::uint8_t>(schema::Meta::restore))
        return "this mark is of a ledger that is not finished";
    return std::nullopt;
}

/// @param first, last  The blocks that there may be.
std::optional<std::string> number_problem(BytesView key, std::uint64_t first, std::uint64_t last) {
    const auto number = schema::decode_number_key(key);
    if (!number.has_value()) return "is not the number of a block";
    if (*number < first) return "there is no such block, the first is " + std::to_string(first);
    if (*number > last) return "there is no such block, the last is " + std::to_string(last);
    return std::nullopt;
}

std::optional<std::string> header_problem(BytesView key, const Marks& marks) {
    if (schema::decode_number_key(key) == 0) return std::nullopt;
    return number_problem(key, marks.first_header, marks.head.number);
}

std::optional<std::string> history_problem(BytesView key, const Marks& marks) {
    constexpr std::size_t kAround = 1 + sizeof(std::uint64_t);
    const bool is_account = key.size() == kAround + sizeof(Hash) && key[0] == 0;
    const bool is_slot = key.size() == kAround + 2 * sizeof(Hash) && key[0] == 1;
    if (!is_account && !is_slot) return "is not of an account or a slot, and a block";
    return number_problem(key.last(sizeof(std::uint64_t)), marks.first_history, marks.state_block);
}

bool is_below(BytesView a, BytesView b) noexcept {
    return std::ranges::lexicographical_compare(a, b);
}

}  // namespace

std::optional<std::string> key_problem(Table table, BytesView key, const Marks& marks) {
    switch (table) {
        case Table::meta:
            return meta_problem(key);
        case Table::headers:
            return header_problem(key, marks);
        case Table::bodies:
        case Table::receipts:
        case Table::senders:
        case Table::object_sets:
        case Table::access_lists:
            return number_problem(key, marks.first_block, marks.head.number);
        case Table::changes:
            return number_problem(key, marks.first_history, marks.head.number);
        case Table::history:
            return history_problem(key, marks);
        case Table::block_numbers:
        case Table::transactions:
        case Table::accounts:
        case Table::slots:
        case Table::codes:
        case Table::trie_nodes:
            return std::nullopt;
    }
    return std::nullopt;
}

// --- RecordsByNumber ----------------------------------------------------------------------------

RecordsByNumber::RecordsByNumber(const Database& database, Table table, BytesView begin,
                                 OnStray on_stray)
    : cursor_(database.cursor(table)), on_stray_(std::move(on_stray)) {
    cursor_.seek(begin);
}

std::expected<std::optional<BytesView>, LedgerError> RecordsByNumber::take(std::uint64_t number) {
    const Bytes key = schema::number_key(number);
    HEDDLE_CHECK(finish(key));
    if (!cursor_.valid() || !equal(cursor_.key(), key)) return std::nullopt;
    is_taken_ = true;
    return cursor_.value();
}

std::expected<void, LedgerError> RecordsByNumber::finish(BytesView end) {
    for (; cursor_.valid() && (end.empty() || is_below(cursor_.key(), end)); cursor_.next())
        if (!std::exchange(is_taken_, false)) on_stray_(cursor_.key());
    return cursor_.error();
}

// --- KeyCensus ----------------------------------------------------------------------------------

namespace {

/// Not against anybody: keys that meet cost a look at more of them.
std::uint64_t hash_of_key(BytesView key) noexcept {
    std::uint64_t hash = key.size();
    while (!key.empty()) {
        std::uint64_t word = 0;
        const std::size_t size = std::min(key.size(), sizeof word);
        std::memcpy(&word, key.data(), size);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
        key = key.subspan(size);
    }
    return hash;
}

}  // namespace

void KeyCensus::add(BytesView key, std::uint64_t factor) noexcept {
    // The group is chosen by the lowest bits, which say nothing within it: one, so that each
    // counts, is in their place.
    const std::uint64_t hash = hash_of_key(key);
    sums_[hash % kGroups].fetch_add(factor * (hash / kGroups + 1), std::memory_order_relaxed);
}

bool KeyCensus::is_even(BytesView key) const noexcept {
    return sums_[hash_of_key(key) % kGroups].load(std::memory_order_relaxed) == 0;
}

bool KeyCensus::is_even() const noexcept {
    return std::ranges::all_of(
        sums_, [](const auto& sum) { return sum.load(std::memory_order_relaxed) == 0; });
}

// --- Branches -----------------------------------------------------------------------------------

namespace {

struct NodePlace {
    Hash owner;
    NibblePath path;
};

/// nullopt: no encoder wrote it.
std::optional<NodePlace> decode_node_key(BytesView key) {
    NodePlace place;
    const std::size_t before = key.empty() || key[0] == 0 ? 1 : 1 + sizeof(Hash);
    if (key.size() < before + 1) return std::nullopt;
    if (before != 1) std::ranges::copy(key.subspan(1, sizeof(Hash)), place.owner.bytes.begin());
    const BytesView packed = key.subspan(before, key.size() - before - 1);
    const std::size_t nibbles = key.back();
    if (nibbles >= kKeyNibbles || packed.size() != (nibbles + 1) / 2) return std::nullopt;
    place.path = path_of(packed.data(), 0, nibbles);
    // One encoding only: the tag, and what fills the last byte.
    if (!equal(trie_node_key(place.owner, place.path.view()), key)) return std::nullopt;
    return place;
}

/// Counts the leaves below a path, up to `most`.
std::expected<std::uint32_t, LedgerError> count_leaves(LeafReader& leaves, const Hash& owner,
                                                       NibblesView path, std::uint32_t most) {
    std::uint32_t count = 0;
    HEDDLE_CHECK(
        leaves.for_each_leaf(owner, path, [&](const Hash&, BytesView) { return ++count < most; }));
    return count;
}

}  // namespace

std::expected<bool, LedgerError> is_key_of_branch(const Database& database, BytesView key) {
    const auto place = decode_node_key(key);
    if (!place.has_value()) return false;
    const TrieTables tables(database);
    const auto leaves = tables.leaves();
    HEDDLE_TRY(const std::uint32_t below,
               count_leaves(*leaves, place->owner, place->path.view(), kStoredLeafCount));
    if (below < kStoredLeafCount) return false;
    if (place->path.size == 0) return true;
    // Something hangs at the path where there is a branch above it, which has other children.
    NibblePath other = place->path;
    std::uint8_t& last = other.nibbles[other.size - 1];
    const std::uint8_t own = last;
    for (last = 0; last < 16; ++last) {
        if (last == own) continue;
        HEDDLE_TRY(const std::uint32_t beside,
                   count_leaves(*leaves, place->owner, other.view(), 1));
        if (beside != 0) return true;
    }
    return false;
}

}  // namespace heddle::ledger
