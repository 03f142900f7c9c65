// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <types/counted.hpp>
#include <types/expected.hpp>

#include "tools/verifier.hpp"

namespace heddle::ledger {

namespace {

/// Newest blocks whose history is always followed.
constexpr std::uint64_t kNewestBlocks = 256;
constexpr std::uint64_t kBlocksPerPiece = 8;

}  // namespace

/// Follows every change from its block to the next change of the value, or to the flat tables.
Verifier::Result Verifier::verify_history() {
    const std::uint64_t last = marks_.state_block;
    std::uint64_t first = marks_.first_history;
    if (!options_.deep && last - first + 1 > kNewestBlocks) first = last - kNewestBlocks + 1;
    const std::uint64_t round = kBlocksPerPiece * round_size();
    for (std::uint64_t number = first; number <= last; number += round) {
        const std::uint64_t end = std::min(last + 1, number + round);
        HEDDLE_CHECK(in_pieces((end - number + kBlocksPerPiece - 1) / kBlocksPerPiece,
                               [&](Verifier& piece, std::size_t i) {
                                   const std::uint64_t begin = number + i * kBlocksPerPiece;
                                   return piece.verify_changes_of(
                                       begin, std::min(end, begin + kBlocksPerPiece) - 1);
                               }));
        progress("following changes", end - first, last - first + 1);
    }
    if (!options_.deep) return {};
    return verify_history_keys();
}

Verifier::Result Verifier::verify_history_keys() {
    std::uint64_t entries = 0;
    KeyCensus& census = censuses_->history;
    Cursor cursor = database_.cursor(Table::history);
    for (cursor.seek({}); cursor.valid(); cursor.next()) {
        ++entries;
        census.stands(cursor.key());
    }
    HEDDLE_CHECK(cursor.error());
    if (entries != report_.changes)
        note("table history: " + counted(entries, "entry", "entries") + " for " +
             counted(report_.changes, "change"));
    return name_strays(Table::history, census, "is no change of its block",
                       [&](const Cursor& at) { return is_change(at.key()); });
}

std::expected<bool, LedgerError> Verifier::is_change(BytesView history_key) const {
    if (key_problem(Table::history, history_key, marks_)) return false;
    const BytesView key = history_key.subspan(1, history_key.size() - 1 - sizeof(std::uint64_t));
    const auto number = schema::decode_number_key(history_key.last(sizeof(std::uint64_t)));
    HEDDLE_TRY(const auto changes, read_changes(database_, *number));
    if (!changes.has_value()) return false;
    for (const AccountUpdate& update : changes->accounts) {
        const Hash account = schema::hash_of(update.address);
        if (!equal(account.view(), key.first(sizeof(Hash)))) continue;
        if (key.size() == sizeof(Hash)) return true;
        return std::ranges::any_of(update.slots, [&](const SlotUpdate& slot) {
            return equal(schema::hash_of_slot(slot.slot).view(), key.last(sizeof(Hash)));
        });
    }
    return false;
}

Verifier::Result Verifier::verify_changes_of(std::uint64_t first, std::uint64_t last) {
    Cursor cursor = database_.cursor(Table::history);
    for (std::uint64_t number = first; number <= last; ++number) {
        HEDDLE_TRY(const auto changes, read_changes(database_, number));
        if (!changes.has_value())
            note(Table::changes, schema::number_key(number), "is missing");
        else
            HEDDLE_CHECK(verify_changes(number, *changes, cursor));
    }
    return cursor.error();
}

Verifier::Result Verifier::verify_changes(std::uint64_t number, const BlockChanges& changes,
                                          Cursor& cursor) {
    Bytes before;
    Bytes after;
    for (const AccountUpdate& update : changes.accounts) {
        HEDDLE_CHECK(verify_code_before(update));
        const Hash account = schema::hash_of(update.address);
        before.clear();
        after.clear();
        schema::encode_past_account(update.before, before);
        schema::encode_past_account(update.after, after);
        HEDDLE_CHECK(verify_value(number, account.view(), before, after, cursor));
        for (const SlotUpdate& slot : update.slots) {
            const schema::SlotKey key(account, schema::hash_of_slot(slot.slot));
            before.clear();
            after.clear();
            schema::encode_past_slot(slot.before, before);
            schema::encode_past_slot(slot.after, after);
            HEDDLE_CHECK(verify_value(number, key.view(), before, after, cursor));
        }
    }
    return {};
}

Verifier::Result Verifier::verify_code_before(const AccountUpdate& update) {
    if (!update.before.has_value() || !update.before->account.has_code()) return {};
    const Hash& code = update.before->account.code_hash;
    if (update.after.has_value() && update.after->account.code_hash == code) return {};
    HEDDLE_TRY(const auto stored, database_.get(Table::codes, code.view()));
    if (!stored.has_value())
        note(Table::codes, code.view(),
             "is missing: it was the code of account " + to_string(update.address));
    return {};
}

Verifier::Result Verifier::verify_value(std::uint64_t number, BytesView key, BytesView before,
                                        BytesView after, Cursor& cursor) {
    ++report_.changes;
    const Bytes at = schema::history_key(key, number);
    cursor.seek(at);
    HEDDLE_CHECK(cursor.error());
    if (!cursor.valid() || !equal(cursor.key(), at)) {
        note(Table::history, at, "is missing: a change of " + block_name(number));
        return {};
    }
    censuses_->history.found(at);
    if (!equal(cursor.value(), before))
        note(Table::history, at,
             "is not what the changes of " + block_name(number) + " say was before");
    cursor.next();
    if (cursor.has_prefix(BytesView(at).first(at.size() - sizeof number))) {
        if (!equal(cursor.value(), after))
            note(Table::history, cursor.key(),
                 "is not what the value was after " + block_name(number));
        return {};
    }
    HEDDLE_CHECK(cursor.error());
    HEDDLE_TRY(const Bytes flat, flat_value(key));
    if (!equal(flat, after))
        note(key.size() == sizeof(Hash) ? Table::accounts : Table::slots, key,
             "is not what the value was after " + block_name(number) + ", which changed it last");
    return {};
}

std::expected<Bytes, LedgerError> Verifier::flat_value(BytesView key) const {
    Bytes value;
    if (key.size() == sizeof(Hash)) {
        HEDDLE_TRY(const auto bytes, database_.get(Table::accounts, key));
        if (!bytes.has_value()) return value;
        const auto entry = schema::decode_account_entry(*bytes);
        if (!entry.has_value()) return damaged_record("table accounts: key " + to_hex(key));
        schema::encode_past_account(entry->record, value);
        return value;
    }
    HEDDLE_TRY(const auto bytes, database_.get(Table::slots, key));
    const auto entry = bytes.has_value() ? schema::decode_slot_entry(*bytes) : std::nullopt;
    if (bytes.has_value() && !entry.has_value())
        return damaged_record("table slots: key " + to_hex(key));
    schema::encode_past_slot(entry.has_value() ? entry->value : Uint256{}, value);
    return value;
}

}  // namespace heddle::ledger
