// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ledger/verify.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <types/expected.hpp>

#include "durable/opening.hpp"
#include "tools/verifier.hpp"

namespace heddle::ledger {

namespace {

/// Pieces for each thread in one round, so that a long one holds up few.
constexpr std::size_t kPiecesPerThread = 4;
/// Pieces of a table whose keys are hashes: one for each value of their first four bits.
constexpr std::size_t kTablePieces = 16;

}  // namespace

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

Verifier::Result Verifier::check(const Result& result) {
    if (result.has_value() || result.error().code != LedgerErrorCode::corrupt) return result;
    note(result.error().detail);
    return {};
}

std::size_t Verifier::round_size() const noexcept {
    return kPiecesPerThread * thread_count(options_.ledger.threads);
}

Verifier::Result Verifier::in_pieces(std::size_t count,
                                     const std::function<Result(Verifier&, std::size_t)>& piece) {
    for (std::size_t first = 0; first < count; first += round_size()) {
        const std::size_t size = std::min(round_size(), count - first);
        std::vector<Verifier> pieces;
        pieces.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            pieces.push_back(Verifier(*this, marks_));
        }
        std::vector<Result> results(size);
        crew_.for_each(size, [&](std::size_t i) { results[i] = piece(pieces[i], first + i); });
        for (std::size_t i = 0; i < size; ++i) {
            take_over(std::move(pieces[i]));
            HEDDLE_CHECK(results[i]);
        }
    }
    return {};
}

void Verifier::take_over(Verifier&& piece) {
    VerifyReport& found = piece.report_;
    report_.blocks += found.blocks;
    report_.transactions += found.transactions;
    report_.codes += found.codes;
    report_.changes += found.changes;
    headers_ += piece.headers_;
    if (piece.last_header_.has_value()) last_header_ = std::move(piece.last_header_);
    for (std::string& problem : found.problems)
        if (report_.problems.size() < options_.max_problems)
            report_.problems.push_back(std::move(problem));
    report_.problem_count += found.problem_count;
}

std::expected<std::uint64_t, LedgerError> Verifier::visit_all(
    Table table, const std::function<Result(Verifier&, const Cursor&)>& visit) {
    std::vector<std::uint64_t> records(kTablePieces);
    const auto visit_piece = [&](Verifier& verifier, std::size_t i) -> Result {
        const auto begin = static_cast<std::uint8_t>(i * 256 / kTablePieces);
        const std::size_t end = (i + 1) * 256 / kTablePieces;
        Cursor cursor = database_.cursor(table);
        // A key without bytes, which none should be, is the first piece's.
        cursor.seek(i == 0 ? BytesView{} : BytesView{&begin, 1});
        for (; cursor.valid(); cursor.next()) {
            if (!cursor.key().empty() && cursor.key().front() >= end) break;
            ++records[i];
            HEDDLE_CHECK(visit(verifier, cursor));
        }
        return cursor.error();
    };
    HEDDLE_CHECK(in_pieces(kTablePieces, visit_piece));
    return std::accumulate(records.begin(), records.end(), std::uint64_t{0});
}

Verifier::Result Verifier::name_strays(
    Table table, const KeyCensus& census, const std::string& problem,
    const std::function<std::expected<bool, LedgerError>(const Cursor&)>& is_in_place) {
    if (census.is_even()) return {};
    const auto visit = [&](Verifier& piece, const Cursor& cursor) -> Result {
        if (census.is_even(cursor.key())) return {};
        HEDDLE_TRY(const bool is_good, is_in_place(cursor));
        if (!is_good) piece.note(table, cursor.key(), problem);
        return {};
    };
    HEDDLE_TRY([[maybe_unused]] const std::uint64_t records, visit_all(table, visit));
    return {};
}

Verifier::Result Verifier::verify_marks() {
    Cursor cursor = database_.cursor(Table::meta);
    for (cursor.seek({}); cursor.valid(); cursor.next())
        if (const auto problem = key_problem(Table::meta, cursor.key(), marks_))
            note(Table::meta, cursor.key(), *problem);
    return cursor.error();
}

VerifyReport Verifier::run() {
    if (auto ended = run_parts(); !ended.has_value()) report_.failure = std::move(ended).error();
    return std::move(report_);
}

Verifier::Result Verifier::run_parts() {
    progress("verifying files", 0, 0);
    HEDDLE_CHECK(check(database_.verify_files()));
    auto marks = read_marks(database_);
    if (!marks.has_value()) return check(std::unexpected(std::move(marks).error()));
    marks_ = *marks;
    report_.head = marks_.head.number;
    report_.state_block = marks_.state_block;
    HEDDLE_CHECK(check(verify_marks()));
    HEDDLE_CHECK(check(verify_blocks()));
    const std::uint64_t before = report_.problem_count;
    HEDDLE_CHECK(check(verify_state()));
    // What follows moves tries over the tables: with those wrong it says nothing more.
    if (report_.problem_count != before) return {};
    HEDDLE_CHECK(check(verify_unwritten()));
    HEDDLE_CHECK(check(verify_way_back()));
    HEDDLE_CHECK(check(verify_history()));
    if (options_.deep) return check(verify_past_states());
    return {};
}

std::expected<VerifyReport, LedgerError> verify(const VerifyOptions& options) {
    HEDDLE_TRY(const auto database, open_database(options.ledger.directory,
                                                  database_share(options.ledger.memory_bytes)));
    WorkerCrew crew(thread_count(options.ledger.threads));
    return Verifier(*database, options, crew).run();
}

}  // namespace heddle::ledger
