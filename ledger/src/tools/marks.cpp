// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/marks.hpp"

#include <types/expected.hpp>

namespace heddle::ledger {

namespace {

std::expected<std::uint64_t, LedgerError> require_number(const Database& database, schema::Meta key,
                                                         const char* what) {
    HEDDLE_TRY(const auto number, read_number(database, key));
    if (!number.has_value()) return missing_record(what);
    return *number;
}

std::unexpected<LedgerError> contradiction(const std::string& detail) {
    return std::unexpected(LedgerError{LedgerErrorCode::corrupt, "table meta: " + detail});
}

}  // namespace

std::string block_name(std::uint64_t number) {
    return "block " + std::to_string(number);
}

std::expected<Marks, LedgerError> read_marks(const Database& database) {
    Marks marks;
    HEDDLE_TRY(const auto head, read_head(database));
    if (!head.has_value()) return missing_record("the head");
    marks.head = *head;
    HEDDLE_TRY(marks.state_block, require_number(database, schema::Meta::state_block,
                                                 "the number of the state's block"));
    HEDDLE_TRY(marks.first_block, require_number(database, schema::Meta::first_block,
                                                 "the number of the first block"));
    HEDDLE_TRY(marks.first_history, require_number(database, schema::Meta::first_history,
                                                   "the number of the first history block"));
    if (marks.first_block > marks.head.number)
        return contradiction("the first block, " + std::to_string(marks.first_block) +
                             ", is above the head, " + std::to_string(marks.head.number));
    HEDDLE_TRY(marks.first_header, read_first_header(database, marks.first_block));
    if (marks.state_block > marks.head.number)
        return contradiction("the state's block, " + std::to_string(marks.state_block) +
                             ", is above the head, " + std::to_string(marks.head.number));
    if (marks.first_history == 0 || marks.first_history > marks.state_block + 1)
        return contradiction("the history begins at block " + std::to_string(marks.first_history) +
                             ", but the state is that of block " +
                             std::to_string(marks.state_block));
    return marks;
}

std::expected<schema::HeaderRecord, LedgerError> require_header(const Database& database,
                                                                std::uint64_t number) {
    HEDDLE_TRY(auto record, read_header(database, number));
    if (!record.has_value()) return missing_record("the header of " + block_name(number));
    return *std::move(record);
}

}  // namespace heddle::ledger
