// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/historical_state.hpp"

#include <algorithm>
#include <utility>

#include "storage/schema.hpp"

namespace heddle::ledger {

// NOLINTNEXTLINE(readability-function-size): all of a fixed state, given once
HistoricalState::HistoricalState(const Database& database,
                                 std::unique_ptr<DatabaseSnapshot> snapshot,
                                 std::vector<RecentChanges::Entry> recent,
                                 const DurableState& codes, std::uint64_t number,
                                 std::uint64_t state_block, ReadFailureHandler on_failure)
    : database_(database),
      snapshot_(std::move(snapshot)),
      codes_(codes),
      number_(number),
      state_block_(state_block),
      on_failure_(std::move(on_failure)) {
    for (RecentChanges::Entry& entry : recent)
        if (entry.number > state_block) recent_.push_back(std::move(entry));
    std::ranges::reverse(recent_);
}

std::optional<Bytes> HistoricalState::flat(Table table, BytesView key) const noexcept {
    auto bytes = database_.get(table, key, snapshot_.get());
    if (!bytes.has_value()) fail_read(on_failure_, bytes.error());
    return *std::move(bytes);
}

std::optional<Bytes> HistoricalState::past(BytesView key, std::uint64_t number) const noexcept {
    if (number >= state_block_) return std::nullopt;
    const Bytes from = schema::history_key(key, number + 1);
    Cursor cursor = database_.cursor(Table::history, snapshot_.get());
    cursor.seek(from);
    if (auto error = cursor.error(); !error.has_value()) fail_read(on_failure_, error.error());
    const BytesView prefix = BytesView{from}.first(from.size() - sizeof number);
    if (!cursor.has_prefix(prefix)) return std::nullopt;
    const BytesView value = cursor.value();
    return Bytes(value.begin(), value.end());
}

std::optional<AccountRecord> HistoricalState::record(const Address& address) const noexcept {
    const std::uint64_t number = number_.load(std::memory_order_acquire);
    for (const RecentChanges::Entry& entry : recent_) {
        if (entry.number > number) continue;
        if (const AccountUpdate* update = entry.changes->find(address)) return update->after;
    }
    const Hash key = schema::hash_of(address);
    if (const auto bytes = past(key.view(), number)) {
        const auto decoded = schema::decode_past_account(*bytes);
        if (!decoded.has_value())
            fail_decoding(on_failure_, "the past of " + name_of_account(address));
        return *decoded;
    }
    return decode_flat_account(address, flat(Table::accounts, key.view()), on_failure_);
}

std::optional<Account> HistoricalState::account(const Address& address) const noexcept {
    const auto found = record(address);
    if (!found.has_value()) return std::nullopt;
    return found->account;
}

Uint256 HistoricalState::storage(const Address& address, const Uint256& slot) const noexcept {
    const std::uint64_t number = number_.load(std::memory_order_acquire);
    for (const RecentChanges::Entry& entry : recent_) {
        if (entry.number > number) continue;
        const AccountUpdate* update = entry.changes->find(address);
        if (update == nullptr) continue;
        if (const SlotUpdate* found = find_slot(*update, slot)) return found->after;
    }
    const schema::SlotKey key(schema::hash_of(address), schema::hash_of_slot(slot));
    if (const auto bytes = past(key.view(), number)) {
        const auto decoded = schema::decode_past_slot(*bytes);
        if (!decoded.has_value())
            fail_decoding(on_failure_, "the past of " + name_of_slot(address, slot));
        return *decoded;
    }
    return decode_flat_slot(address, slot, flat(Table::slots, key.view()), on_failure_);
}

void HistoricalState::move_to(std::uint64_t number) noexcept {
    number_.store(number, std::memory_order_release);
}

bool HistoricalState::has_storage(const Address& address) const noexcept {
    const auto found = record(address);
    return found.has_value() && found->storage_root != kEmptyTrieRoot;
}

BytesView HistoricalState::code(const Hash& code_hash) const noexcept {
    return codes_.code(code_hash);
}

}  // namespace heddle::ledger
