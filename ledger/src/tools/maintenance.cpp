// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ledger/maintenance.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <types/expected.hpp>

#include <ledger/durable_ledger.hpp>

#include "durable/opening.hpp"
#include "durable/stored_form.hpp"
#include "tools/marks.hpp"
#include "tools/unused_codes.hpp"

namespace heddle::ledger {

namespace {

/// Bounds of one step of pruning.
constexpr std::uint64_t kStepBlocks = 64;
constexpr std::size_t kStepBytes = std::size_t{8} << 20;

/// Brings the tables to the state of the head, so that no change is needed to get there.
std::expected<void, LedgerError> settle(const MaintenanceOptions& options) {
    DurableLedgerOptions opening;
    opening.directory = options.directory;
    opening.memory_bytes = options.memory_bytes;
    opening.threads = options.threads;
    opening.history_blocks = kArchive;
    HEDDLE_TRY(const auto ledger, DurableLedger::open(std::move(opening)));
    return ledger->close();
}

/// One step. @return the first block whose changes are still kept.
std::expected<std::uint64_t, LedgerError> drop_history(Database& database, std::uint64_t first,
                                                       std::uint64_t keep_from) {
    WriteBatch batch = database.batch();
    for (std::uint64_t left = kStepBlocks;
         first < keep_from && left != 0 && batch.size_bytes() < kStepBytes; ++first, --left) {
        HEDDLE_TRY(const auto changes, read_changes(database, first));
        if (!changes.has_value()) continue;
        erase_history(first, *changes, batch);
        batch.erase(Table::changes, schema::number_key(first));
    }
    batch.put(Table::meta, schema::meta_key(schema::Meta::first_history),
              schema::number_key(first));
    HEDDLE_CHECK(database.write(batch, false));
    return first;
}

/// Access lists have a retention of their own, and may reach further back than the changes, or not
/// as far.
std::expected<std::uint64_t, LedgerError> drop_access_lists(Database& database,
                                                            std::uint64_t keep_from) {
    std::uint64_t dropped = 0;
    const Bytes end = schema::number_key(keep_from);
    Cursor cursor = database.cursor(Table::access_lists);
    cursor.seek({});
    const auto is_left = [&] {
        return cursor.valid() && std::ranges::lexicographical_compare(cursor.key(), end);
    };
    while (is_left()) {
        WriteBatch batch = database.batch();
        for (std::uint64_t left = kStepBlocks; is_left() && left != 0; --left, cursor.next()) {
            batch.erase(Table::access_lists, cursor.key());
            ++dropped;
        }
        HEDDLE_CHECK(database.write(batch, false));
    }
    HEDDLE_CHECK(cursor.error());
    return dropped;
}

std::string_view holdings(Table table) noexcept {
    switch (table) {
        case Table::meta:
            return "marks";
        case Table::headers:
            return "headers, all of them";
        case Table::block_numbers:
            return "numbers of blocks by hash";
        case Table::bodies:
            return "transactions, ommers, withdrawals";
        case Table::receipts:
            return "receipts with their logs";
        case Table::senders:
            return "20 bytes for each transaction";
        case Table::object_sets:
            return "object sets that blocks came with";
        case Table::transactions:
            return "places of transactions by hash";
        case Table::accounts:
        case Table::slots:
            return "the state, by hashed keys";
        case Table::codes:
            return "code by hash";
        case Table::trie_nodes:
            return "branches of the state's tries";
        case Table::changes:
            return "what each block changed; db prune drops it";
        case Table::history:
            return "values before changes; db prune drops them";
        case Table::access_lists:
            return "access lists; db prune drops them";
    }
    return {};
}

std::expected<std::unique_ptr<Database>, LedgerError> open(const MaintenanceOptions& options) {
    return open_database(options.directory, database_share(options.memory_bytes));
}

}  // namespace

std::expected<PruneReport, LedgerError> prune(const MaintenanceOptions& options,
                                              std::uint64_t first_state) {
    HEDDLE_TRY(auto database, open(options));
    HEDDLE_TRY(Marks marks, read_marks(*database));
    if (first_state > marks.head.number)
        return std::unexpected(LedgerError{LedgerErrorCode::invalid,
                                           "dropping the states before " + block_name(first_state) +
                                               ": the head is " + block_name(marks.head.number)});
    PruneReport report;
    report.first_state = report.first_state_before = marks.first_state();
    HEDDLE_TRY(report.access_lists, drop_access_lists(*database, first_state + 1));
    if (first_state <= report.first_state) {
        HEDDLE_CHECK(database->sync());
        return report;
    }
    if (first_state > marks.state_block) {
        database.reset();
        HEDDLE_CHECK(settle(options));
        HEDDLE_TRY(database, open(options));
        HEDDLE_TRY(marks, read_marks(*database));
    }
    std::uint64_t first = marks.first_history;
    while (first <= first_state) {
        HEDDLE_TRY(first, drop_history(*database, first, first_state + 1));
        if (options.on_progress)
            options.on_progress("dropping history", first - marks.first_history,
                                first_state + 1 - marks.first_history);
    }
    HEDDLE_CHECK(database->sync());
    report.first_state = first - 1;
    return report;
}

std::expected<void, LedgerError> compact(const MaintenanceOptions& options) {
    HEDDLE_TRY(const auto database, open(options));
    HEDDLE_TRY(const Marks marks, read_marks(*database));
    HEDDLE_CHECK(drop_unused_codes(*database, marks, options.memory_bytes / 4));
    for (std::size_t i = 0; i < kTableCount; ++i) {
        HEDDLE_CHECK(database->compact(static_cast<Table>(i)));
        if (options.on_progress) options.on_progress("compacting tables", i + 1, kTableCount);
    }
    return {};
}

std::expected<LedgerStatistics, LedgerError> statistics(const MaintenanceOptions& options) {
    HEDDLE_TRY(const auto database, open(options));
    HEDDLE_TRY(const Marks marks, read_marks(*database));
    HEDDLE_TRY(const auto record, require_header(*database, marks.head.number));
    LedgerStatistics result;
    result.format = schema::kFormatVersion;
    result.head = marks.head.number;
    result.head_hash = marks.head.hash;
    result.state_root = record.header.state_root;
    result.state_block = marks.state_block;
    result.first_block = marks.first_block;
    result.first_state = marks.first_state();
    for (std::size_t i = 0; i < kTableCount; ++i) {
        const auto table = static_cast<Table>(i);
        const TableStats stats = database->stats(table);
        result.tables.push_back({.name = table_name(table),
                                 .holds = holdings(table),
                                 .keys = stats.keys,
                                 .files = stats.files,
                                 .disk_bytes = stats.disk_bytes,
                                 .memory_bytes = stats.memory_bytes});
    }
    return result;
}

}  // namespace heddle::ledger
