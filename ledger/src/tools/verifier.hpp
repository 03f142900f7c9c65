// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of verify(): each looks at some tables, notes what is wrong and goes on. In
// verify_blocks.cpp, verify_state.cpp and verify_history.cpp.
//
// What is long is cut into pieces, which threads share: every piece has a Verifier of its own, and
// what these have found is put together in the order of the pieces, whatever the threads did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <types/bytes.hpp>
#include <types/transaction.hpp>

#include <ledger/verify.hpp>

#include "durable/recent_changes.hpp"
#include "storage/database.hpp"
#include "tools/marks.hpp"
#include "tools/table_keys.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

/// Thread safety: none.
class Verifier {
public:
    using Result = std::expected<void, LedgerError>;

    Verifier(const Database& database, const VerifyOptions& options, WorkerCrew& crew)
        : database_(database),
          options_(options),
          crew_(crew),
          censuses_(std::make_shared<Censuses>()) {}

    /// Everything, up to a read that fails for another reason than what is stored.
    [[nodiscard]] VerifyReport run();

private:
    /// Of tables in which a key alone does not tell whether it belongs there.
    struct Censuses {
        KeyCensus block_numbers;
        KeyCensus transactions;
        KeyCensus trie_nodes;
        KeyCensus history;
    };
    /// What the tables that are keyed by number have of blocks.
    struct BlockRecords {
        RecordsByNumber bodies;
        RecordsByNumber receipts;
        RecordsByNumber senders;
        RecordsByNumber object_sets;
        RecordsByNumber access_lists;
        RecordsByNumber changes;
    };

    /// For the same ledger and report, a piece of it.
    Verifier(const Verifier& whole, const Marks& marks)
        : database_(whole.database_),
          options_(whole.options_),
          crew_(whole.crew_),
          marks_(marks),
          censuses_(whole.censuses_) {}

    void note(std::string problem);
    void note(Table table, BytesView key, const std::string& problem);
    void note_block(std::uint64_t number, const std::string& problem);
    void progress(std::string_view doing, std::uint64_t done, std::uint64_t total) const;
    /// All parts, one after another. Errors: of reading.
    [[nodiscard]] Result run_parts();
    /// Notes what a part could not go on for, if it is damage. Errors: `result`, where it is not.
    [[nodiscard]] Result check(const Result& result);

    /// Runs `piece(verifier, i)` for every i below `count`, some at a time, and takes over what the
    /// verifiers have found. Errors: the first that a piece ended with; later ones may not run.
    [[nodiscard]] Result in_pieces(std::size_t count,
                                   const std::function<Result(Verifier&, std::size_t)>& piece);
    void take_over(Verifier&& piece);
    /// How many pieces run before what they found is taken over.
    [[nodiscard]] std::size_t round_size() const noexcept;
    /// Visits every record of a table whose keys begin with hashes, in pieces by their first bits.
    /// @return how many there are.
    [[nodiscard]] std::expected<std::uint64_t, LedgerError> visit_all(
        Table table, const std::function<Result(Verifier&, const Cursor&)>& visit);
    /// Notes what the marks of a ledger are not.
    [[nodiscard]] Result verify_marks();
    /// Notes the records of a table that nothing has led to, where its census tells of some.
    /// @param is_in_place  Whether something leads to a key: asked about few.
    [[nodiscard]] Result name_strays(
        Table table, const KeyCensus& census, const std::string& problem,
        const std::function<std::expected<bool, LedgerError>(const Cursor&)>& is_in_place);

    [[nodiscard]] Result verify_genesis_header();
    [[nodiscard]] Result verify_blocks();
    /// The blocks whose headers stand from key `begin` on below key `end`; empty: from the first,
    /// to the last.
    [[nodiscard]] Result verify_blocks_between(BytesView begin, BytesView end);
    [[nodiscard]] BlockRecords records_from(BytesView begin);
    /// The one before a header, if it is there.
    [[nodiscard]] std::expected<std::optional<schema::HeaderRecord>, LedgerError> header_before(
        BytesView key) const;
    [[nodiscard]] Result verify_header(const schema::HeaderRecord& record);
    [[nodiscard]] Result verify_block(const schema::HeaderRecord& record, BlockRecords& records);
    [[nodiscard]] Result verify_access_list(const BlockHeader& header, BytesView encoded,
                                            std::size_t transaction_count);
    /// Some of a block, from transaction `first` on.
    [[nodiscard]] Result verify_transactions(std::uint64_t number, std::size_t first,
                                             std::span<const Transaction> transactions);
    /// That those stored are those who have signed; of many together, which is cheaper.
    void verify_senders(std::uint64_t number, std::span<const Transaction> transactions);
    [[nodiscard]] Result verify_places();
    /// Whether that block has, at that place, the transaction with this hash.
    [[nodiscard]] std::expected<bool, LedgerError> is_transaction(
        BytesView hash, const schema::TransactionPlace& place) const;

    [[nodiscard]] Result verify_state();
    /// From the state block to the head.
    [[nodiscard]] Result verify_unwritten();
    /// Whether what an update says was before is what the blocks since the state block, and below
    /// them the tables, have.
    [[nodiscard]] std::expected<bool, LedgerError> was_before(const AccountUpdate& update,
                                                              const RecentChanges& since) const;
    /// From the state block back, some blocks, and to it again.
    [[nodiscard]] Result verify_way_back();
    /// States in the past, from their leaves.
    [[nodiscard]] Result verify_past_states();

    [[nodiscard]] Result verify_codes();

    [[nodiscard]] Result verify_history();
    /// Nothing stands there that is no change of a block.
    [[nodiscard]] Result verify_history_keys();
    [[nodiscard]] std::expected<bool, LedgerError> is_change(BytesView history_key) const;
    /// The changes of blocks [first, last].
    [[nodiscard]] Result verify_changes_of(std::uint64_t first, std::uint64_t last);
    [[nodiscard]] Result verify_changes(std::uint64_t number, const BlockChanges& changes,
                                        Cursor& cursor);
    /// Code that a block has taken from an account is of states of the past.
    [[nodiscard]] Result verify_code_before(const AccountUpdate& update);
    [[nodiscard]] Result verify_value(std::uint64_t number, BytesView key, BytesView before,
                                      BytesView after, Cursor& cursor);
    /// The value in the flat tables as the history would have it.
    [[nodiscard]] std::expected<Bytes, LedgerError> flat_value(BytesView key) const;

    const Database& database_;
    const VerifyOptions& options_;
    WorkerCrew& crew_;  // used by the thread that runs the whole only
    Marks marks_;
    VerifyReport report_;
    std::uint64_t headers_ = 0;
    std::optional<schema::HeaderRecord> last_header_;
    std::shared_ptr<Censuses> censuses_;  // shared by all pieces
};

}  // namespace heddle::ledger
