// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ledger/verify.hpp>

#include <utility>

#include <types/expected.hpp>

#include "durable/opening.hpp"
#include "tools/verifier.hpp"

namespace heddle::ledger {

void Verifier::note(std::string problem) {
    ++report_.problem_count;
    if (report_.problems.size() < options_.max_problems)
        report_.problems.push_back(std::move(problem));
}

void Verifier::note(Table table, BytesView key, const std::string& problem) {
    note(std::string{"table "} + table_name(table) + ", key " + to_hex(key) + ": " + problem);
}

void Verifier::note_block(std::uint64_t number, const std::string& problem) {
    note(block_name(number) + ": " + problem);
}

void Verifier::progress(std::string_view doing, std::uint64_t done, std::uint64_t total) const {
    if (options_.ledger.on_progress) options_.ledger.on_progress(doing, done, total);
}

void Verifier::check(const Result& result) {
    if (!result.has_value()) note(result.error().detail);
}

VerifyReport Verifier::run() {
    progress("verifying files", 0, 0);
    check(database_.verify_files());
    const auto marks = read_marks(database_);
    if (!marks.has_value()) {
        note(marks.error().detail);
        return std::move(report_);
    }
    marks_ = *marks;
    report_.head = marks_.head.number;
    report_.state_block = marks_.state_block;
    check(verify_blocks());
    const std::uint64_t before = report_.problem_count;
    check(verify_state());
    // What follows moves tries over the tables: with those wrong it says nothing more.
    if (report_.problem_count != before) return std::move(report_);
    check(verify_unwritten());
    check(verify_way_back());
    check(verify_history());
    if (options_.deep) check(verify_past_states());
    return std::move(report_);
}

std::expected<VerifyReport, LedgerError> verify(const VerifyOptions& options) {
    HEDDLE_TRY(const auto database, open_database(options.ledger.directory,
                                                  database_share(options.ledger.memory_bytes)));
    return Verifier(*database, options).run();
}

}  // namespace heddle::ledger
