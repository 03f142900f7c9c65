// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <types/expected.hpp>

#include "durable/chain_state.hpp"
#include "durable/trie_tables.hpp"
#include "tools/state_walk.hpp"
#include "tools/verifier.hpp"
#include "trie/stored_branch.hpp"
#include "trie/trie_store.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

namespace {

/// Bounds of verify_way_back(), whichever is reached first, or the end of the memory for tries.
constexpr std::uint64_t kBlocksBack = 64;
constexpr std::size_t kValuesBack = 200'000;
/// States that verify_past_states() computes.
constexpr std::uint64_t kPastStates = 8;

ChainStateOptions state_options(const MaintenanceOptions& options) {
    ChainStateOptions result;
    result.memory_bytes = options.memory_bytes - database_share(options.memory_bytes);
    result.threads = thread_count(options.threads);
    return result;
}

/// The leaves of a walk, during which no tries are in memory.
std::size_t walk_share(const MaintenanceOptions& options) {
    return (options.memory_bytes - database_share(options.memory_bytes)) / 2;
}

std::string root_difference(const Hash& found, const Hash& claimed) {
    return "the state root is " + to_string(found) + ", the header says " + to_string(claimed);
}

}  // namespace

Verifier::Result Verifier::verify_state() {
    HEDDLE_TRY(const auto record, require_header(database_, marks_.state_block));
    const TrieTables tables(database_);
    StateWalkOptions walk;
    walk.threads = thread_count(options_.ledger.threads);
    walk.memory_bytes = walk_share(options_.ledger);
    KeyCensus& census = censuses_->trie_nodes;
    walk.on_node = [&](const Hash& owner, NibblesView path,
                       BytesView node) -> std::expected<std::optional<std::string>, LedgerError> {
        HEDDLE_TRY(const auto stored, tables.read_node(owner, path));
        if (stored.has_value()) census.found(trie_node_key(owner, path));
        const auto named = [&](const char* problem) {
            return std::string{"table "} + table_name(Table::trie_nodes) + ", key " +
                   to_hex(trie_node_key(owner, path)) + ": " + problem;
        };
        if (stored.has_value() && equal(*stored, node)) return std::nullopt;
        // Of smaller ones nobody relies on what is there, if it is a node at all.
        const bool may_be_behind =
            decode_stored_branch(node).value().leaf_count() < kAlwaysStoredLeafCount;
        if (!stored.has_value())
            return may_be_behind ? std::nullopt : std::optional(named("is missing"));
        if (!decode_stored_branch(*stored).has_value()) return named("does not decode");
        if (may_be_behind) return std::nullopt;
        return named("is not the node that the leaves below it make");
    };
    walk.on_progress = [&](const StateWalkCounts& counts) {
        progress("verifying accounts and slots", counts.accounts + counts.slots, 0);
    };
    const OnProblem problem = [&](std::string text) { note(std::move(text)); };
    StateWalkCounts counts;
    HEDDLE_TRY(const Hash root, walk_state(database_, walk, problem, counts));
    report_.accounts = counts.accounts;
    report_.slots = counts.slots;
    report_.trie_nodes = counts.trie_nodes;
    ++report_.states;
    if (root != record.header.state_root)
        note_block(marks_.state_block, root_difference(root, record.header.state_root));

    const auto count_node = [&](Verifier&, const Cursor& cursor) -> Result {
        census.stands(cursor.key());
        return {};
    };
    HEDDLE_TRY([[maybe_unused]] const std::uint64_t nodes,
               visit_all(Table::trie_nodes, count_node));
    HEDDLE_CHECK(name_strays(
        Table::trie_nodes, census, "is no branch that the leaves make",
        [&](const Cursor& cursor) { return is_key_of_branch(database_, cursor.key()); }));
    return verify_codes();
}

Verifier::Result Verifier::verify_codes() {
    const auto check_code = [](Verifier& piece, const Cursor& cursor) -> Result {
        if (!equal(keccak256(cursor.value()).view(), cursor.key()))
            piece.note(Table::codes, cursor.key(), "is not the hash of the code");
        return {};
    };
    HEDDLE_TRY(report_.codes, visit_all(Table::codes, check_code));
    return {};
}

Verifier::Result Verifier::verify_unwritten() {
    if (marks_.state_block == marks_.head.number) return {};
    HEDDLE_TRY(const auto base, require_header(database_, marks_.state_block));
    ChainState state(database_, state_options(options_.ledger), base.header.state_root);
    state.set_persisted(marks_.state_block);
    for (std::uint64_t number = marks_.state_block + 1; number <= marks_.head.number; ++number) {
        HEDDLE_TRY(const auto record, require_header(database_, number));
        HEDDLE_TRY(auto changes, read_changes(database_, number));
        if (!changes.has_value())
            return missing_record("the list of changes of " + block_name(number));
        for (const AccountUpdate& update : changes->accounts) {
            HEDDLE_TRY(const bool is_same, was_before(update, state.recent()));
            if (!is_same)
                note(Table::changes, schema::number_key(number),
                     "account " + to_string(update.address) +
                         " was not what the changes say it was before");
            if (!update.after.has_value() || !update.after->account.has_code()) continue;
            const Hash& code = update.after->account.code_hash;
            HEDDLE_TRY(const auto stored, database_.get(Table::codes, code.view()));
            if (!stored.has_value())
                note(Table::codes, code.view(),
                     "is missing: it is the code of account " + to_string(update.address));
        }
        HEDDLE_TRY(const Hash root, state.move_tries(forward_diff(*changes)));
        if (root != record.header.state_root)
            note_block(number, root_difference(root, record.header.state_root));
        state.follow(std::make_shared<const BlockChanges>(*std::move(changes)), number);
        ++report_.states;
        progress("bringing the state forward", number - marks_.state_block,
                 marks_.head.number - marks_.state_block);
    }
    return {};
}

std::expected<bool, LedgerError> Verifier::was_before(const AccountUpdate& update,
                                                      const RecentChanges& since) const {
    // Not by way of the flat state, where a read that fails ends the process.
    const Hash account = schema::hash_of(update.address);
    std::optional<Bytes> now;
    Bytes before;
    const auto is_same = [&](BytesView key) -> std::expected<bool, LedgerError> {
        if (now.has_value()) return *now == before;
        HEDDLE_TRY(const Bytes flat, flat_value(key));
        return flat == before;
    };
    since.visit_after(0, [&](const BlockChanges& changes) {
        const AccountUpdate* const later = changes.find(update.address);
        if (later != nullptr) schema::encode_past_account(later->after, now.emplace());
        return false;
    });
    schema::encode_past_account(update.before, before);
    HEDDLE_TRY(bool is_good, is_same(account.view()));
    for (std::size_t i = 0; i < update.slots.size() && is_good; ++i) {
        const SlotUpdate& slot = update.slots[i];
        now.reset();
        since.visit_after(0, [&](const BlockChanges& changes) {
            const AccountUpdate* const later = changes.find(update.address);
            const SlotUpdate* const found =
                later == nullptr ? nullptr : find_slot(*later, slot.slot);
            if (found != nullptr) schema::encode_past_slot(found->after, now.emplace());
            return false;
        });
        before.clear();
        schema::encode_past_slot(slot.before, before);
        const schema::SlotKey key(account, schema::hash_of_slot(slot.slot));
        HEDDLE_TRY(is_good, is_same(key.view()));
    }
    return is_good;
}

Verifier::Result Verifier::verify_way_back() {
    HEDDLE_TRY(const auto base, require_header(database_, marks_.state_block));
    ChainState state(database_, state_options(options_.ledger), base.header.state_root);
    const auto changes_of = [&](std::uint64_t number) -> std::expected<BlockChanges, LedgerError> {
        HEDDLE_TRY(auto changes, read_changes(database_, number));
        if (!changes.has_value())
            return missing_record("the list of changes of " + block_name(number));
        return *std::move(changes);
    };
    std::size_t values = 0;
    std::uint64_t number = marks_.state_block;
    const auto goes_on = [&] {
        // Nothing is stored here, so all that changes has to stay in memory.
        return number >= marks_.first_history && marks_.state_block - number < kBlocksBack &&
               values < kValuesBack && state.has_room();
    };
    for (; goes_on(); --number) {
        HEDDLE_TRY(const auto record, require_header(database_, number - 1));
        HEDDLE_TRY(const BlockChanges changes, changes_of(number));
        HEDDLE_TRY(const Hash root, state.move_tries(backward_diff(changes)));
        ++report_.states;
        if (root != record.header.state_root) {
            note_block(number, "taking it back leads to state root " + to_string(root) +
                                   ", the header of the block before says " +
                                   to_string(record.header.state_root));
            return {};
        }
        values += count_values(changes);
        progress("taking blocks back", marks_.state_block + 1 - number, 0);
    }
    while (number != marks_.state_block) {
        HEDDLE_TRY(const auto record, require_header(database_, ++number));
        HEDDLE_TRY(const BlockChanges changes, changes_of(number));
        HEDDLE_TRY(const Hash root, state.move_tries(forward_diff(changes)));
        if (root != record.header.state_root)
            note_block(number, "its changes lead to state root " + to_string(root) +
                                   ", the header says " + to_string(record.header.state_root));
    }
    return {};
}

Verifier::Result Verifier::verify_past_states() {
    const std::uint64_t first = marks_.first_state();
    const std::uint64_t span = marks_.state_block - first;
    const std::uint64_t count = std::min(span, kPastStates);
    const OnProblem problem = [&](std::string text) { note(std::move(text)); };
    for (std::uint64_t i = 0; i < count; ++i) {
        StateWalkOptions walk;
        walk.number = first + span / count * i;
        walk.threads = thread_count(options_.ledger.threads);
        walk.memory_bytes = walk_share(options_.ledger);
        HEDDLE_TRY(const auto record, require_header(database_, *walk.number));
        walk.on_progress = [&](const StateWalkCounts& counts) {
            progress("verifying an earlier state", counts.accounts + counts.slots, 0);
        };
        StateWalkCounts counts;
        HEDDLE_TRY(const Hash root, walk_state(database_, walk, problem, counts));
        ++report_.states;
        if (root != record.header.state_root)
            note_block(*walk.number, root_difference(root, record.header.state_root));
    }
    return {};
}

}  // namespace heddle::ledger
