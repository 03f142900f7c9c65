// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <types/expected.hpp>

#include <ledger/maintenance.hpp>

#include "durable/chain_state.hpp"
#include "durable/opening.hpp"
#include "durable/stored_form.hpp"
#include "tools/marks.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

namespace {

/// Bounds of one step, whichever is reached first.
constexpr std::uint64_t kStepBlocks = 64;
constexpr std::size_t kStepBytes = std::size_t{8} << 20;
constexpr std::size_t kStepValues = 100'000;

/// Takes blocks back from the head down, step by step.
/// Invariant: after each step the database is a whole ledger whose head is marks_.head.
class Rollback {
public:
    Rollback(Database& database, const MaintenanceOptions& options, const Marks& marks)
        : database_(database), options_(options), marks_(marks), from_(marks.head.number) {}

    std::expected<Hash, LedgerError> run(std::uint64_t to) {
        // Above the state's block there is nothing but the blocks themselves.
        while (marks_.head.number > std::max(to, marks_.state_block)) {
            HEDDLE_CHECK(drop_blocks(std::max(to, marks_.state_block)));
            report(to);
        }
        if (marks_.head.number > to) {
            HEDDLE_CHECK(open_state());
            while (marks_.head.number > to) {
                HEDDLE_CHECK(take_back(to));
                report(to);
            }
        }
        HEDDLE_CHECK(database_.sync());
        return marks_.head.hash;
    }

private:
    void report(std::uint64_t to) const {
        if (options_.on_progress)
            options_.on_progress("taking blocks back", from_ - marks_.head.number, from_ - to);
    }

    std::expected<BlockChanges, LedgerError> changes_of(std::uint64_t number) const {
        HEDDLE_TRY(auto changes, read_changes(database_, number));
        if (!changes.has_value())
            return missing_record("the list of changes of " + block_name(number));
        return *std::move(changes);
    }

    /// Appends the removal of the block itself.
    std::expected<void, LedgerError> erase_block(std::uint64_t number, WriteBatch& batch) const {
        HEDDLE_TRY(const auto record, require_header(database_, number));
        HEDDLE_TRY(const auto block, read_block(database_, number));
        if (!block.has_value()) return missing_record("the body of " + block_name(number));
        ledger::erase_block(*block, record.hash, batch);
        return {};
    }

    /// Appends the new head and makes the step.
    std::expected<void, LedgerError> write(std::uint64_t head, WriteBatch& batch) {
        HEDDLE_TRY(const auto record, require_header(database_, head));
        Marks next = marks_;
        next.head = {head, record.hash};
        next.state_block = std::min(next.state_block, head);
        Bytes mark;
        schema::encode_mark(next.head, mark);
        batch.put(Table::meta, schema::meta_key(schema::Meta::head), mark);
        batch.put(Table::meta, schema::meta_key(schema::Meta::state_block),
                  schema::number_key(next.state_block));
        HEDDLE_CHECK(database_.write(batch, false));
        marks_ = next;
        return {};
    }

    /// One step among the blocks whose state is not in the tables.
    std::expected<void, LedgerError> drop_blocks(std::uint64_t to) {
        WriteBatch batch = database_.batch();
        std::uint64_t head = marks_.head.number;
        for (std::uint64_t left = kStepBlocks;
             head > to && left != 0 && batch.size_bytes() < kStepBytes; --head, --left)
            HEDDLE_CHECK(erase_block(head, batch));
        return write(head, batch);
    }

    std::expected<void, LedgerError> open_state() {
        HEDDLE_TRY(const auto record, require_header(database_, marks_.state_block));
        ChainStateOptions state_options;
        state_options.memory_bytes = options_.memory_bytes - database_share(options_.memory_bytes);
        state_options.threads = thread_count(options_.threads);
        state_ = std::make_unique<ChainState>(database_, state_options, record.header.state_root);
        state_->set_persisted(marks_.state_block);
        applied_ = marks_.state_block;
        return {};
    }

    /// One step among the blocks whose state is in the tables: head and state go back together.
    std::expected<void, LedgerError> take_back(std::uint64_t to) {
        WriteBatch batch = database_.batch();
        std::vector<BlockChanges> inverses;
        std::size_t values = 0;
        std::uint64_t head = marks_.head.number;
        for (std::uint64_t left = kStepBlocks;
             head > to && left != 0 && batch.size_bytes() < kStepBytes && values < kStepValues;
             --head, --left) {
            HEDDLE_TRY(BlockChanges changes, changes_of(head));
            HEDDLE_CHECK(erase_block(head, batch));
            erase_history(head, changes, batch);
            values += count_values(changes);
            inverses.push_back(inverse(std::move(changes)));
        }
        std::vector<const BlockChanges*> blocks;
        blocks.reserve(inverses.size());
        for (const BlockChanges& changes : inverses)
            blocks.push_back(&changes);
        const auto back = std::make_shared<const BlockChanges>(merge(blocks));

        HEDDLE_TRY(const auto record, require_header(database_, head));
        HEDDLE_CHECK(state_->go_to(forward_diff(*back), head, record.header.state_root));
        // To the state behind it, the way back is one more block.
        state_->follow(back, ++applied_);
        state_->collect_nodes(
            batch, head == to ? ChainState::Collect::everything : ChainState::Collect::changes);
        store_state(*back, batch);
        HEDDLE_CHECK(write(head, batch));
        state_->set_persisted(applied_);
        state_->recent().drop_through(applied_);
        state_->trim();
        return {};
    }

    Database& database_;
    const MaintenanceOptions& options_;
    Marks marks_;
    const std::uint64_t from_;
    std::unique_ptr<ChainState> state_;
    std::uint64_t applied_ = 0;
};

}  // namespace

std::expected<RollbackReport, LedgerError> rollback(const MaintenanceOptions& options,
                                                    std::uint64_t to) {
    HEDDLE_TRY(const auto database,
               open_database(options.directory, database_share(options.memory_bytes)));
    HEDDLE_TRY(const Marks marks, read_marks(*database));
    if (to > marks.head.number)
        return std::unexpected(LedgerError{
            LedgerErrorCode::invalid,
            "a rollback to " + block_name(to) + ": the head is " + block_name(marks.head.number)});
    if (to < marks.first_state() || to < marks.first_block)
        return std::unexpected(LedgerError{
            LedgerErrorCode::unavailable,
            "a rollback to " + block_name(to) + ": the changes to take back are kept down to " +
                block_name(std::max(marks.first_state(), marks.first_block))});
    RollbackReport report{.from = marks.head.number, .to = to, .head_hash = {}};
    HEDDLE_TRY(report.head_hash, Rollback(*database, options, marks).run(to));
    return report;
}

}  // namespace heddle::ledger
