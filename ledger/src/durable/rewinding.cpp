// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Taking blocks back while the ledger is open. What `rollback` does to a closed one, and beside it
// what is in memory: tries, cached values, and the marks of the writer.
#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <types/expected.hpp>

#include "durable/ledger_impl.hpp"
#include "durable/stored_form.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

/// Bounds of one step, whichever is reached first.
constexpr std::uint64_t kStepBlocks = 64;
constexpr std::size_t kStepBytes = std::size_t{8} << 20;

}  // namespace

std::expected<BlockChanges, LedgerError> DurableLedger::Impl::take_back(std::uint64_t number,
                                                                        WriteBatch& batch) {
    const std::string name = "block " + std::to_string(number);
    HEDDLE_TRY(const auto record, read_header(*database, number));
    HEDDLE_TRY(const auto block, read_block(*database, number));
    HEDDLE_TRY(auto changes, read_changes(*database, number));
    if (!record.has_value() || !block.has_value()) return missing_record(name);
    if (!changes.has_value()) return missing_record("the list of changes of " + name);
    erase_block(*block, record->hash, batch);
    // Of later blocks it has not been stored yet.
    if (number <= writer->state_block()) erase_history(number, *changes, batch);
    return inverse(*std::move(changes));
}

std::expected<void, LedgerError> DurableLedger::Impl::step_back(std::uint64_t number) {
    WriteBatch batch = database->batch();
    std::vector<BlockChanges> inverses;
    std::uint64_t next = head.header.number;
    for (std::uint64_t left = kStepBlocks;
         next > number && left != 0 && batch.size_bytes() < kStepBytes; --next, --left) {
        HEDDLE_TRY(BlockChanges changes, take_back(next, batch));
        inverses.push_back(std::move(changes));
    }
    std::vector<const BlockChanges*> blocks;
    blocks.reserve(inverses.size());
    for (const BlockChanges& changes : inverses)
        blocks.push_back(&changes);
    const BlockChanges back = merge(blocks);

    HEDDLE_TRY(const auto record, read_header(*database, next));
    if (!record.has_value()) return missing_record("the header of block " + std::to_string(next));
    HEDDLE_CHECK(state->go_to(forward_diff(back), next, record->header.state_root));
    const bool is_in_tables = writer->state_block() > next;
    if (is_in_tables) {
        state->collect_nodes(batch);
        store_state(back, batch);
        batch.put(Table::meta, schema::meta_key(schema::Meta::state_block),
                  schema::number_key(next));
    }
    Bytes mark;
    schema::encode_mark({next, record->hash}, mark);
    batch.put(Table::meta, schema::meta_key(schema::Meta::head), mark);
    HEDDLE_CHECK(database->write(batch, false));

    writer->rewind(next);
    state->go_back(back, next);
    if (is_in_tables) state->set_persisted(next);
    // No checkpoint is under way, and a long way back would fill the memory with tries.
    state->trim();
    last_checkpoint = std::min(last_checkpoint, next);
    const std::unique_lock lock{head_mutex};
    const std::uint64_t taken = head.header.number - next;
    hashes.resize(hashes.size() - std::min<std::uint64_t>(taken, hashes.size()));
    if (hashes.empty()) hashes.push_back(record->hash);
    head = to_header(*record);
    head_block.reset();
    return {};
}

std::expected<void, LedgerError> DurableLedger::rewind(std::uint64_t number) {
    Impl& self = *impl_;
    unstage();
    const std::uint64_t last = self.head.header.number;
    if (number > last)
        return std::unexpected(LedgerError{
            LedgerErrorCode::invalid, "to take blocks back to block " + std::to_string(number) +
                                          "; the last one is " + std::to_string(last)});
    if (number == last) return {};
    HEDDLE_CHECK(self.writer->wait_idle());
    const std::uint64_t first = std::max(self.first_block, self.writer->first_history() - 1);
    if (number < first)
        return std::unexpected(LedgerError{
            LedgerErrorCode::unavailable, "to take blocks back to block " + std::to_string(number) +
                                              "; the changes to take back are kept down to block " +
                                              std::to_string(first)});
    const std::unique_lock standing{self.rewinding};
    while (self.head.header.number > number) {
        const auto done = self.step_back(number);
        if (done.has_value()) continue;
        // The tries may be where nothing else is: no block can follow.
        self.writer->fail(done.error());
        return done;
    }
    return {};
}

}  // namespace heddle::ledger
