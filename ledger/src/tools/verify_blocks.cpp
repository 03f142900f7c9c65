// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <types/block_access_list.hpp>
#include <types/counted.hpp>
#include <types/expected.hpp>
#include <types/object_codec.hpp>
#include <types/sender_recovery.hpp>
#include <types/transaction_hashes.hpp>

#include "durable/records.hpp"
#include "tools/block_check.hpp"
#include "tools/list_check.hpp"
#include "tools/verifier.hpp"

namespace heddle::ledger {

namespace {

constexpr std::size_t kBlocksPerPiece = 32;

}  // namespace

/// A ledger that began with a snapshot has that of block 0, to which no other one links.
Verifier::Result Verifier::verify_genesis_header() {
    if (marks_.first_header == 0 || marks_.first_header == marks_.first_block) return {};
    HEDDLE_TRY(const auto genesis, database_.get(Table::headers, schema::number_key(0)));
    if (!genesis.has_value()) note_block(0, "the header is missing");
    return {};
}

Verifier::Result Verifier::verify_blocks() {
    HEDDLE_CHECK(verify_genesis_header());
    const auto key_of = [](const Cursor& cursor) {
        return Bytes(cursor.key().begin(), cursor.key().end());
    };
    Cursor cursor = database_.cursor(Table::headers);
    cursor.seek({});
    bool is_first = true;
    while (cursor.valid()) {
        std::vector<Bytes> bounds;
        while (cursor.valid() && bounds.size() < round_size()) {
            bounds.push_back(key_of(cursor));
            for (std::size_t i = 0; i < kBlocksPerPiece && cursor.valid(); ++i)
                cursor.next();
        }
        bounds.push_back(cursor.valid() ? key_of(cursor) : Bytes{});
        // The first piece has what stands before the first header, too.
        if (is_first) bounds.front().clear();
        is_first = false;
        HEDDLE_CHECK(in_pieces(bounds.size() - 1, [&](Verifier& piece, std::size_t i) {
            return piece.verify_blocks_between(bounds[i], bounds[i + 1]);
        }));
        progress("verifying blocks", report_.blocks, marks_.head.number - marks_.first_block + 1);
    }
    HEDDLE_CHECK(cursor.error());
    if (!last_header_.has_value() || last_header_->header.number != marks_.head.number ||
        last_header_->hash != marks_.head.hash)
        note("table meta: the head is " + block_name(marks_.head.number) + ", hash " +
             to_string(marks_.head.hash) + ", which is not the last header");
    return verify_places();
}

std::expected<std::optional<schema::HeaderRecord>, LedgerError> Verifier::header_before(
    BytesView key) const {
    const auto number = schema::decode_number_key(key);
    if (!number.has_value() || *number == 0) return std::nullopt;
    HEDDLE_TRY(const auto stored, database_.get(Table::headers, schema::number_key(*number - 1)));
    if (!stored.has_value()) return std::nullopt;
    auto record = schema::decode_header_record(*stored);
    if (!record.has_value() || record->header.number != *number - 1) return std::nullopt;
    return *std::move(record);
}

Verifier::Result Verifier::verify_blocks_between(BytesView begin, BytesView end) {
    HEDDLE_TRY(last_header_, header_before(begin));
    BlockRecords records = records_from(begin);
    const auto is_inside = [end](const Cursor& cursor) {
        return cursor.valid() &&
               (end.empty() || std::ranges::lexicographical_compare(cursor.key(), end));
    };
    Cursor cursor = database_.cursor(Table::headers);
    for (cursor.seek(begin); is_inside(cursor); cursor.next()) {
        const auto number = schema::decode_number_key(cursor.key());
        auto record = schema::decode_header_record(cursor.value());
        if (!number.has_value() || !record.has_value() || record->header.number != *number) {
            note(Table::headers, cursor.key(),
                 "does not decode, or is the header of another block");
            continue;
        }
        if (const auto problem = key_problem(Table::headers, cursor.key(), marks_))
            note(Table::headers, cursor.key(), *problem);
        ++headers_;
        const bool follows = last_header_.has_value() && last_header_->header.number + 1 == *number;
        if (!follows && *number > marks_.first_header)
            note_block(*number - 1, "the header is missing");
        if (follows)
            if (const auto problem = check_parent(*record, *last_header_))
                note_block(*number, *problem);
        HEDDLE_CHECK(verify_header(*record));
        if (*number >= marks_.first_block && *number <= marks_.head.number)
            HEDDLE_CHECK(verify_block(*record, records));
        last_header_ = std::move(record);
    }
    HEDDLE_CHECK(cursor.error());
    for (RecordsByNumber* const table :
         {&records.bodies, &records.receipts, &records.senders, &records.object_sets,
          &records.access_lists, &records.changes})
        HEDDLE_CHECK(table->finish(end));
    return {};
}

Verifier::BlockRecords Verifier::records_from(BytesView begin) {
    const auto records = [&](Table table) {
        return RecordsByNumber(database_, table, begin, [this, table](BytesView key) {
            note(table, key, key_problem(table, key, marks_).value_or("is of no header"));
        });
    };
    return {records(Table::bodies),      records(Table::receipts),     records(Table::senders),
            records(Table::object_sets), records(Table::access_lists), records(Table::changes)};
}

Verifier::Result Verifier::verify_header(const schema::HeaderRecord& record) {
    const std::uint64_t number = record.header.number;
    if (const auto problem = check_header(record)) note_block(number, *problem);
    HEDDLE_TRY(const auto stored, database_.get(Table::block_numbers, record.hash.view()));
    if (stored.has_value()) censuses_->block_numbers.found(record.hash.view());
    if (!stored.has_value())
        note(Table::block_numbers, record.hash.view(), "is missing: " + block_name(number));
    else if (schema::decode_number_key(*stored) != number)
        note(Table::block_numbers, record.hash.view(),
             "is not the number " + std::to_string(number));
    return {};
}

Verifier::Result Verifier::verify_block(const schema::HeaderRecord& record, BlockRecords& records) {
    const std::uint64_t number = record.header.number;
    const Bytes key = schema::number_key(number);
    HEDDLE_TRY(const auto body, records.bodies.take(number));
    HEDDLE_TRY(const auto receipts, records.receipts.take(number));
    HEDDLE_TRY(const auto senders, records.senders.take(number));
    HEDDLE_TRY(const auto sets, records.object_sets.take(number));
    HEDDLE_TRY(const auto list, records.access_lists.take(number));
    // Whether those that must be there are is seen where they are followed.
    if (number >= marks_.first_history) HEDDLE_CHECK(records.changes.take(number));
    if (!body.has_value() || !receipts.has_value() || !senders.has_value()) {
        const Table missing = !body.has_value()       ? Table::bodies
                              : !receipts.has_value() ? Table::receipts
                                                      : Table::senders;
        note(missing, key, "is missing: " + block_name(number));
        return {};
    }
    ++report_.blocks;
    const StoredBlockCheck checked = check_stored_block(record.header, *body, *receipts);
    if (checked.problem.has_value()) note_block(number, *checked.problem);
    if (!checked.transactions.has_value()) return {};
    const std::size_t count = *checked.transactions;
    const bool has_senders = senders->size() == count * sizeof(Address);
    if (!has_senders) note_block(number, "another number of senders than of transactions");
    if (sets.has_value()) {
        const auto decoded = decode_object_sets(*sets);
        if (!decoded.has_value() || decoded->size() != count)
            note(Table::object_sets, key,
                 "does not decode, or has another number of sets than " + block_name(number) +
                     " has transactions");
    }
    if (list.has_value()) HEDDLE_CHECK(verify_access_list(record.header, *list, count));
    return visit_transactions(
        *body, [&](std::size_t first, std::span<Transaction> transactions) -> Result {
            if (has_senders)
                (void)schema::decode_senders(
                    BytesView(*senders).subspan(first * sizeof(Address),
                                                transactions.size() * sizeof(Address)),
                    transactions);
            return verify_transactions(number, first, transactions);
        });
}

/// One that is not kept is no fault: lists go after a while, and before Amsterdam few are made.
Verifier::Result Verifier::verify_access_list(const BlockHeader& header, BytesView encoded,
                                              std::size_t transaction_count) {
    const Bytes key = schema::number_key(header.number);
    const bool is_claimed = header.block_access_list_hash.has_value();
    if (is_claimed && *header.block_access_list_hash != keccak256(encoded)) {
        note(Table::access_lists, key,
             "has another hash than the header of " + block_name(header.number) + " says");
        return {};
    }
    const auto list = decode_block_access_list(encoded);
    if (!list.has_value()) {
        note(Table::access_lists, key, to_string(list.error()));
        return {};
    }
    // What an item costs at least is a rule of blocks that claim lists.
    const std::uint64_t gas_limit =
        is_claimed ? header.gas_limit : std::numeric_limits<std::uint64_t>::max();
    if (const auto checked = check_form(*list, transaction_count, gas_limit);
        !checked.has_value()) {
        note(Table::access_lists, key, to_string(checked.error()));
        return {};
    }
    if (is_claimed) return {};
    HEDDLE_TRY(const auto changes, read_changes(database_, header.number));
    if (!changes.has_value()) return {};
    if (const auto problem = check_changes(*list, *changes))
        note(Table::access_lists, key, *problem);
    return {};
}

void Verifier::verify_senders(std::uint64_t number, std::span<const Transaction> transactions) {
    std::vector<SignedMessage> messages;
    messages.reserve(transactions.size());
    for (const Transaction& tx : transactions)
        messages.push_back({signing_hash(tx), tx.y_parity, tx.r, tx.s});
    std::vector<std::optional<Address>> signers(messages.size());
    recover_signers(messages, signers);
    for (std::size_t i = 0; i < signers.size(); ++i) {
        const Transaction& tx = transactions[i];
        if (!tx.sender.has_value() || signers[i] == tx.sender) continue;
        note_block(number, "transaction " + to_string(transaction_hash(tx)) +
                               " has another sender than " + to_string(*tx.sender));
    }
}

Verifier::Result Verifier::verify_transactions(std::uint64_t number, std::size_t first,
                                               std::span<const Transaction> transactions) {
    std::vector<Bytes> keys;
    for (const Hash& hash : transaction_hashes(transactions)) {
        keys.emplace_back(hash.bytes.begin(), hash.bytes.end());
    }
    if (options_.senders) verify_senders(number, transactions);
    HEDDLE_TRY(const auto places, database_.get_all(Table::transactions, keys));
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto index = static_cast<std::uint32_t>(first + i);
        const schema::TransactionPlace wanted{number, index};
        if (places[i].has_value()) censuses_->transactions.found(keys[i]);
        if (!places[i].has_value())
            note(Table::transactions, keys[i], "is missing: in " + block_name(number));
        else if (schema::decode_place(*places[i]) != wanted)
            note(Table::transactions, keys[i],
                 "is not the place of transaction " + std::to_string(index) + " of " +
                     block_name(number));
    }
    report_.transactions += places.size();
    return {};
}

/// The other way: nothing stands in the indexes that is in no block.
Verifier::Result Verifier::verify_places() {
    KeyCensus& hashes = censuses_->block_numbers;
    const auto count_hash = [&](Verifier&, const Cursor& cursor) -> Result {
        hashes.stands(cursor.key());
        return {};
    };
    HEDDLE_TRY(const std::uint64_t numbers, visit_all(Table::block_numbers, count_hash));
    if (numbers != headers_)
        note("table block_numbers: " + counted(numbers, "entry", "entries") + " for " +
             counted(headers_, "header"));
    const auto is_hash = [&](const Cursor& cursor) -> std::expected<bool, LedgerError> {
        const auto number = schema::decode_number_key(cursor.value());
        if (!number.has_value()) return false;
        HEDDLE_TRY(const auto header, read_header(database_, *number));
        return header.has_value() && equal(header->hash.view(), cursor.key());
    };
    HEDDLE_CHECK(name_strays(Table::block_numbers, hashes, "is the hash of no header", is_hash));

    KeyCensus& transactions = censuses_->transactions;
    const auto count_place = [&](Verifier&, const Cursor& cursor) -> Result {
        transactions.stands(cursor.key());
        return {};
    };
    HEDDLE_TRY(const std::uint64_t places, visit_all(Table::transactions, count_place));
    const auto is_place = [&](const Cursor& cursor) -> std::expected<bool, LedgerError> {
        const auto place = schema::decode_place(cursor.value());
        if (!place.has_value()) return false;
        return is_transaction(cursor.key(), *place);
    };
    HEDDLE_CHECK(name_strays(Table::transactions, transactions, "is not in any block", is_place));
    if (places != report_.transactions)
        note("table transactions: " + counted(places, "entry", "entries") + " for " +
             counted(report_.transactions, "transaction"));
    return {};
}

std::expected<bool, LedgerError> Verifier::is_transaction(
    BytesView hash, const schema::TransactionPlace& place) const {
    const Bytes key = schema::number_key(place.number);
    if (key_problem(Table::bodies, key, marks_)) return false;
    HEDDLE_TRY(const auto record, read_header(database_, place.number));
    HEDDLE_TRY(const auto body, database_.get(Table::bodies, key));
    if (!record.has_value() || !body.has_value()) return false;
    if (!check_stored_block(record->header, *body, {}).transactions.has_value()) return false;
    bool is_there = false;
    const auto look = [&](std::size_t first, std::span<Transaction> some) -> Result {
        if (place.index >= first && place.index - first < some.size())
            is_there = equal(transaction_hash(some[place.index - first]).view(), hash);
        return {};
    };
    HEDDLE_CHECK(visit_transactions(*body, look));
    return is_there;
}

}  // namespace heddle::ledger
