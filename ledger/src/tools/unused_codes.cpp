// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/unused_codes.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include <types/expected.hpp>

#include "durable/records.hpp"
#include "storage/schema.hpp"
#include "tools/codes_in_use.hpp"

namespace heddle::ledger {

namespace {

constexpr std::uint8_t kPastAccount = 0;
constexpr std::size_t kStepCodes = 10'000;

std::unexpected<LedgerError> undecodable(Table table, BytesView key) {
    return std::unexpected(
        LedgerError{LedgerErrorCode::corrupt, std::string{"table "} + table_name(table) + ", key " +
                                                  to_hex(key) + ": the value does not decode"});
}

class UnusedCodes {
public:
    using Result = std::expected<void, LedgerError>;

    UnusedCodes(const Database& database, std::size_t memory_bytes)
        : database_(database), codes_(memory_bytes) {}

    /// Tells of every code that is not in use, ascending.
    /// @param add_codes  Adds those in use, once for each part of the hashes.
    Result visit(const std::function<Result()>& add_codes,
                 const std::function<Result(const Hash&)>& on_unused) {
        Cursor cursor = database_.cursor(Table::codes);
        cursor.seek({});
        do {
            HEDDLE_CHECK(add_codes());
            for (; cursor.valid(); cursor.next()) {
                Hash code;
                if (cursor.key().size() != sizeof code)
                    return undecodable(Table::codes, cursor.key());
                std::ranges::copy(cursor.key(), code.bytes.begin());
                if (!codes_.covers(code)) break;
                if (!codes_.contains(code)) HEDDLE_CHECK(on_unused(code));
            }
            HEDDLE_CHECK(cursor.error());
        } while (codes_.go_on());
        return {};
    }

    /// Of the state in the tables.
    std::expected<void, LedgerError> add_those_of_accounts() {
        Cursor cursor = database_.cursor(Table::accounts);
        for (cursor.seek({}); cursor.valid(); cursor.next()) {
            const auto entry = schema::decode_account_entry(cursor.value());
            if (!entry.has_value()) return undecodable(Table::accounts, cursor.key());
            codes_.add(entry->record.account);
        }
        return cursor.error();
    }

    /// Of the states below it.
    std::expected<void, LedgerError> add_those_of_history() {
        Cursor cursor = database_.cursor(Table::history);
        for (cursor.seek(Bytes{kPastAccount}); cursor.has_prefix(Bytes{kPastAccount});
             cursor.next()) {
            const auto past = schema::decode_past_account(cursor.value());
            if (!past.has_value()) return undecodable(Table::history, cursor.key());
            if (past->has_value()) codes_.add((*past)->account);
        }
        return cursor.error();
    }

    /// Of the states above it, which the tables do not have yet.
    std::expected<void, LedgerError> add_those_of_changes(std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t number = first; number <= last; ++number) {
            HEDDLE_TRY(const auto changes, read_changes(database_, number));
            if (!changes.has_value())
                return missing_record("the list of changes of " + block_name(number));
            for (const AccountUpdate& update : changes->accounts)
                if (update.after.has_value()) codes_.add(update.after->account);
        }
        return {};
    }

private:
    const Database& database_;
    CodesInUse codes_;
};

}  // namespace

std::expected<std::uint64_t, LedgerError> drop_unused_codes(Database& database, const Marks& marks,
                                                            std::size_t memory_bytes) {
    UnusedCodes codes(database, memory_bytes);
    const auto add_codes = [&]() -> std::expected<void, LedgerError> {
        HEDDLE_CHECK(codes.add_those_of_accounts());
        HEDDLE_CHECK(codes.add_those_of_history());
        return codes.add_those_of_changes(marks.state_block + 1, marks.head.number);
    };
    std::uint64_t count = 0;
    WriteBatch batch = database.batch();
    const auto erase = [&](const Hash& code) -> std::expected<void, LedgerError> {
        batch.erase(Table::codes, code.view());
        if (++count % kStepCodes != 0) return {};
        HEDDLE_CHECK(database.write(batch, false));
        batch.clear();
        return {};
    };
    HEDDLE_CHECK(codes.visit(add_codes, erase));
    HEDDLE_CHECK(database.write(batch, true));
    return count;
}

std::expected<std::optional<Hash>, LedgerError> find_unused_code(const Database& database,
                                                                 std::size_t memory_bytes) {
    UnusedCodes codes(database, memory_bytes);
    std::optional<Hash> first;
    HEDDLE_CHECK(codes.visit([&] { return codes.add_those_of_accounts(); },
                             [&](const Hash& code) -> std::expected<void, LedgerError> {
                                 if (!first.has_value()) first = code;
                                 return {};
                             }));
    return first;
}

}  // namespace heddle::ledger
