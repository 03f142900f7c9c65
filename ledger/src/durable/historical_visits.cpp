// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A fixed state in the order of its tries: the flat tables as they were, and on top of them what
// they did not show yet.
#include <algorithm>
#include <map>
#include <utility>

#include <types/expected.hpp>

#include "durable/historical_state.hpp"
#include "durable/records.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

Hash last_hash(BytesView key) noexcept {
    Hash hash;
    std::ranges::copy(key.last(sizeof hash.bytes), hash.bytes.begin());
    return hash;
}

std::unexpected<LedgerError> without_order() {
    return std::unexpected(LedgerError{LedgerErrorCode::unavailable,
                                       "the accounts and slots of this state in their order"});
}

/// Of a cursor over accounts.
std::expected<VisitedAccount, LedgerError> read_account(const PastCursor& cursor) {
    VisitedAccount visited{{last_hash(cursor.key()), std::nullopt}, std::nullopt, kEmptyTrieRoot};
    std::optional<AccountRecord> record;
    if (const auto present = cursor.present()) {
        auto entry = schema::decode_account_entry(*present);
        if (!entry.has_value()) return damaged_record("account " + to_hex(cursor.key()));
        visited.key.address = entry->address;
        record = std::move(entry->record);
    }
    if (cursor.is_past()) {
        auto past = schema::decode_past_account(cursor.value());
        if (!past.has_value()) return damaged_record("the past of account " + to_hex(cursor.key()));
        record = *std::move(past);
    }
    if (record.has_value()) {
        visited.account = record->account;
        visited.storage_root = record->storage_root;
    }
    return visited;
}

/// Of a cursor over slots.
std::expected<VisitedSlot, LedgerError> read_slot(const PastCursor& cursor) {
    VisitedSlot visited{last_hash(cursor.key()), std::nullopt, {}};
    if (const auto present = cursor.present()) {
        const auto entry = schema::decode_slot_entry(*present);
        if (!entry.has_value()) return damaged_record("slot " + to_hex(cursor.key()));
        visited.slot = entry->slot;
        visited.value = entry->value;
    }
    if (cursor.is_past()) {
        const auto past = schema::decode_past_slot(cursor.value());
        if (!past.has_value()) return damaged_record("the past of slot " + to_hex(cursor.key()));
        visited.value = *past;
    }
    return visited;
}

/// Visits what `read` gives of the cursor's values under `prefix` and what is on top of them, each
/// hash once. `top` ascends from where the cursor stands.
template <typename Visited, typename Read, typename Visit>
std::expected<void, LedgerError> visit_both(PastCursor& cursor, BytesView prefix,
                                            const std::map<Hash, Visited>& top, Read read,
                                            const Visit& visit) {
    auto next = top.begin();
    for (;;) {
        const bool is_stored = cursor.has_prefix(prefix);
        // Before what is on top is told as if nothing lay between.
        if (!is_stored) HEDDLE_CHECK(cursor.error());
        if (is_stored && cursor.key().size() != prefix.size() + sizeof(Hash))
            return damaged_record("key " + to_hex(cursor.key()) + " of the state");
        if (!is_stored && next == top.end()) return {};
        const bool is_on_top =
            next != top.end() && (!is_stored || next->first <= last_hash(cursor.key()));
        if (is_on_top) {
            if (is_stored && next->first == last_hash(cursor.key())) cursor.next();
            if (!visit((next++)->second)) return {};
            continue;
        }
        const auto visited = read(cursor);
        if (!visited.has_value()) return std::unexpected(visited.error());
        if (!visit(*visited)) return {};
        cursor.next();
    }
}

}  // namespace

std::expected<void, LedgerError> PastState::visit_accounts(const Hash&, const VisitAccount&) const {
    return without_order();
}
std::expected<void, LedgerError> PastState::visit_slots(const AccountKey&, const Hash&,
                                                        const VisitSlot&) const {
    return without_order();
}

PastCursor HistoricalState::cursor_at(Table table, std::uint64_t number) const {
    return {database_, table, number < state_block_ ? std::optional{number} : std::nullopt,
            snapshot_.get()};
}

std::expected<void, LedgerError> HistoricalState::visit_accounts(const Hash& from,
                                                                 const VisitAccount& visit) const {
    const std::uint64_t number = number_.load(std::memory_order_acquire);
    std::map<Hash, VisitedAccount> recent;
    for (const RecentChanges::Entry& entry : recent_) {  // the newest first, which counts
        if (entry.number > number) continue;
        for (const AccountUpdate& update : entry.changes->accounts) {
            VisitedAccount visited{
                {schema::hash_of(update.address), update.address}, std::nullopt, kEmptyTrieRoot};
            if (visited.key.hash < from) continue;
            if (update.after.has_value()) {
                visited.account = update.after->account;
                visited.storage_root = update.after->storage_root;
            }
            recent.try_emplace(visited.key.hash, std::move(visited));
        }
    }
    PastCursor cursor = cursor_at(Table::accounts, number);
    cursor.seek(from.view());
    return visit_both(cursor, {}, recent, read_account, visit);
}

std::expected<void, LedgerError> HistoricalState::visit_slots(const AccountKey& account,
                                                              const Hash& from,
                                                              const VisitSlot& visit) const {
    const std::uint64_t number = number_.load(std::memory_order_acquire);
    std::map<Hash, VisitedSlot> recent;
    for (const RecentChanges::Entry& entry : recent_) {
        // Whoever is among them is there, or has just been: then the address is known.
        if (entry.number > number || !account.address.has_value()) continue;
        const AccountUpdate* const update = entry.changes->find(*account.address);
        if (update == nullptr) continue;
        for (const SlotUpdate& slot : update->slots) {
            const Hash hash = schema::hash_of_slot(slot.slot);
            if (hash >= from) recent.try_emplace(hash, VisitedSlot{hash, slot.slot, slot.after});
        }
    }
    PastCursor cursor = cursor_at(Table::slots, number);
    cursor.seek(schema::SlotKey(account.hash, from).view());
    return visit_both(cursor, account.hash.view(), recent, read_slot, visit);
}

}  // namespace heddle::ledger
