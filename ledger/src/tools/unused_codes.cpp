// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/unused_codes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <types/expected.hpp>

#include "durable/records.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

/// First byte of an account's key in the table `history`.
constexpr std::uint8_t kPastAccount = 0;
constexpr std::size_t kStepCodes = 10'000;

std::unexpected<LedgerError> undecodable(Table table, BytesView key) {
    return std::unexpected(
        LedgerError{LedgerErrorCode::corrupt, std::string{"table "} + table_name(table) + ", key " +
                                                  to_hex(key) + ": the value does not decode"});
}

class UnusedCodes {
public:
    explicit UnusedCodes(Database& database) : database_(database) {}

    std::expected<void, LedgerError> list() {
        Cursor cursor = database_.cursor(Table::codes);
        for (cursor.seek({}); cursor.valid(); cursor.next()) {
            if (cursor.key().size() != sizeof(Hash)) return undecodable(Table::codes, cursor.key());
            std::ranges::copy(cursor.key(), codes_.emplace_back().bytes.begin());
        }
        is_used_.resize(codes_.size());
        return cursor.error();
    }

    /// Of the state in the tables.
    std::expected<void, LedgerError> keep_those_of_accounts() {
        Cursor cursor = database_.cursor(Table::accounts);
        for (cursor.seek({}); cursor.valid(); cursor.next()) {
            const auto entry = schema::decode_account_entry(cursor.value());
            if (!entry.has_value()) return undecodable(Table::accounts, cursor.key());
            keep(entry->record);
        }
        return cursor.error();
    }

    /// Of the states below it.
    std::expected<void, LedgerError> keep_those_of_history() {
        Cursor cursor = database_.cursor(Table::history);
        for (cursor.seek(Bytes{kPastAccount}); cursor.has_prefix(Bytes{kPastAccount});
             cursor.next()) {
            const auto past = schema::decode_past_account(cursor.value());
            if (!past.has_value()) return undecodable(Table::history, cursor.key());
            if (past->has_value()) keep(**past);
        }
        return cursor.error();
    }

    /// Of the states above it, which the tables do not have yet.
    std::expected<void, LedgerError> keep_those_of_changes(std::uint64_t first,
                                                           std::uint64_t last) {
        for (std::uint64_t number = first; number <= last; ++number) {
            HEDDLE_TRY(const auto changes, read_changes(database_, number));
            if (!changes.has_value())
                return missing_record("the list of changes of " + block_name(number));
            for (const AccountUpdate& update : changes->accounts)
                if (update.after.has_value()) keep(*update.after);
        }
        return {};
    }

    std::expected<std::uint64_t, LedgerError> erase() {
        std::uint64_t count = 0;
        WriteBatch batch = database_.batch();
        std::size_t in_step = 0;
        for (std::size_t i = 0; i < codes_.size(); ++i) {
            if (is_used_[i]) continue;
            batch.erase(Table::codes, codes_[i].view());
            ++count;
            if (++in_step < kStepCodes) continue;
            HEDDLE_CHECK(database_.write(batch, false));
            batch.clear();
            in_step = 0;
        }
        HEDDLE_CHECK(database_.write(batch, true));
        return count;
    }

private:
    void keep(const AccountRecord& record) {
        if (!record.account.has_code()) return;
        const auto place = std::ranges::lower_bound(codes_, record.account.code_hash);
        if (place != codes_.end() && *place == record.account.code_hash)
            is_used_[static_cast<std::size_t>(place - codes_.begin())] = true;
    }

    Database& database_;
    std::vector<Hash> codes_;  // ascending
    std::vector<bool> is_used_;
};

}  // namespace

std::expected<std::uint64_t, LedgerError> drop_unused_codes(Database& database,
                                                            const Marks& marks) {
    UnusedCodes codes(database);
    HEDDLE_CHECK(codes.list());
    HEDDLE_CHECK(codes.keep_those_of_accounts());
    HEDDLE_CHECK(codes.keep_those_of_history());
    HEDDLE_CHECK(codes.keep_those_of_changes(marks.state_block + 1, marks.head.number));
    return codes.erase();
}

}  // namespace heddle::ledger
