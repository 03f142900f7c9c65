// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <types/expected.hpp>

#include "durable/historical_tries.hpp"
#include "durable/ledger_impl.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

/// Values that may have changed between a block and the head for the tries to be moved there and
/// back while the next commit waits: some ten milliseconds of it on a large state.
constexpr std::size_t kNearValues = 2'048;
/// The share of the ledger's memory that the tries of a past block may have, and what they always
/// may.
constexpr std::size_t kPastShare = 8;
constexpr std::size_t kLeastPastBytes = std::size_t{32} << 20;

std::unexpected<LedgerError> unavailable(std::string what) {
    return std::unexpected(LedgerError{LedgerErrorCode::unavailable, std::move(what)});
}

}  // namespace

std::expected<BlockChanges, LedgerError> DurableLedger::Impl::changes_since(
    std::uint64_t number) const {
    HEDDLE_CHECK(state->check_tries());
    const std::uint64_t last = head.header.number;
    if (number > last || last - number > kProofBlocks)
        return unavailable("the tries of block " + std::to_string(number) +
                           "; there are those of the last " + std::to_string(kProofBlocks) +
                           " blocks up to " + std::to_string(last));
    std::vector<SharedBlock> unwritten;
    std::vector<std::unique_ptr<BlockChanges>> written;
    std::vector<const BlockChanges*> blocks;
    for (std::uint64_t next = number + 1; next <= last; ++next) {
        // In this order: a block moves from the writer to the database, never back.
        if (SharedBlock block = writer->find(next)) {
            blocks.push_back(block->changes.get());
            unwritten.push_back(std::move(block));
            continue;
        }
        HEDDLE_TRY(auto changes, read_changes(*database, next));
        if (!changes.has_value())
            return unavailable("the changes of block " + std::to_string(next));
        written.push_back(std::make_unique<BlockChanges>(*std::move(changes)));
        blocks.push_back(written.back().get());
    }
    if (staged.has_value()) blocks.push_back(&staged->changes);
    if (foreseen.has_value()) blocks.push_back(&foreseen->changes);
    return merge(blocks);
}

bool DurableLedger::is_near(std::uint64_t number, std::size_t values) const {
    const Impl& self = *impl_;
    const std::uint64_t last = self.head.header.number;
    if (number > last) return true;  // and refused as soon
    if (last - number > kProofBlocks) return false;
    const auto count = [&](const BlockChanges& changes) {
        values += count_values(changes);
        return values <= kNearValues;
    };
    if (self.staged.has_value() && !count(self.staged->changes)) return false;
    if (self.foreseen.has_value() && !count(self.foreseen->changes)) return false;
    for (std::uint64_t next = last; next > number; --next) {
        if (const SharedBlock block = self.writer->find(next)) {
            if (!count(*block->changes)) return false;
            continue;
        }
        const auto changes = read_changes(*self.database, next);
        if (!changes.has_value() || !changes->has_value() || !count(**changes)) return false;
    }
    return values <= kNearValues;
}

std::expected<std::unique_ptr<PastTries>, LedgerError> DurableLedger::tries_at(std::uint64_t number,
                                                                               GoOn go_on) const {
    Impl& self = *impl_;
    Impl::PastView view;
    HistoricalTries::Origin origin;
    {
        const std::shared_lock standing{self.rewinding};
        HEDDLE_TRY(view, self.view_of(number));
        HEDDLE_TRY(const Hash root, self.committed_root(number));
        // The tables may show a block that is not the head yet.
        HEDDLE_TRY(const Hash state_root, self.committed_root(view.state_block));
        origin = {number, root, view.state_block, state_root, view.recent};
    }
    const DatabaseSnapshot& snapshot = *view.snapshot;
    auto state = std::make_unique<HistoricalState>(
        *self.database, std::move(view.snapshot), std::move(view.recent), self.state->flat(),
        number, view.state_block, self.options.on_read_failure);
    auto tries = std::make_unique<HistoricalTries>(*self.database, std::move(state), snapshot,
                                                   std::move(origin));
    tries->set_limits(std::move(go_on),
                      std::max(kLeastPastBytes, self.options.memory_bytes / kPastShare));
    HEDDLE_CHECK(tries->move());
    return tries;
}

// What fails while the tries are away from the head leaves them nowhere: no block can follow, and
// the state says so to whoever moves or asks them next.

std::expected<Hash, LedgerError> DurableLedger::Impl::move_back(const BlockChanges& since,
                                                                std::uint64_t number) {
    HEDDLE_TRY(const Hash root, root_of(number));
    HEDDLE_CHECK(state->go_to(backward_diff(since), number, root));
    return root;
}

std::expected<void, LedgerError> DurableLedger::Impl::move_forward(const BlockChanges& since) {
    const bool is_ahead = staged.has_value() || foreseen.has_value();
    return state->go_to(forward_diff(since), head.header.number + (is_ahead ? 1 : 0), tries_root());
}

std::expected<Hash, LedgerError> DurableLedger::Impl::root_of(std::uint64_t number) const {
    if (number == head.header.number) return head.header.state_root;
    return committed_root(number);
}

std::expected<Hash, LedgerError> DurableLedger::Impl::committed_root(std::uint64_t number) const {
    if (const SharedBlock block = writer->find(number))
        return block->stored->block.header.state_root;
    HEDDLE_TRY(const auto record, read_header(*database, number));
    if (!record.has_value()) return missing_record("the header of block " + std::to_string(number));
    return record->header.state_root;
}

Hash DurableLedger::state_root_with(const StateDiff& diff) {
    const auto root = state_root_with(impl_->head.header.number, diff);
    if (!root.has_value()) fail_read(impl_->options.on_read_failure, root.error());
    return *root;
}

std::expected<Hash, LedgerError> DurableLedger::state_root_with(std::uint64_t number,
                                                                const StateDiff& diff) {
    Impl& self = *impl_;
    HEDDLE_TRY(const BlockChanges since, self.changes_since(number));
    HEDDLE_TRY(const BlockChanges changes, self.state->changes_of(diff, since));
    HEDDLE_TRY(const Hash past, self.move_back(since, number));
    HEDDLE_TRY(const Hash root, self.state->move_tries(diff));
    HEDDLE_CHECK(self.state->go_to(backward_diff(changes), number, past));
    HEDDLE_CHECK(self.move_forward(since));
    return root;
}

std::expected<AccountProof, LedgerError> DurableLedger::Impl::prove(
    const BlockChanges& since, const Address& address, const std::vector<Uint256>& slots) {
    AccountProof proof;
    HEDDLE_TRY(proof.nodes, state->prove_account(schema::hash_of(address)));
    if (const auto record = state->record_before(since, address)) {
        proof.account = record->account;
        proof.storage_root = record->storage_root;
    }
    for (const Uint256& slot : slots) {
        AccountProof::Slot& entry = proof.slots.emplace_back();
        entry.slot = slot;
        if (proof.storage_root == kEmptyTrieRoot) continue;
        entry.value = state->storage_before(since, address, slot);
        HEDDLE_TRY(entry.nodes, state->prove_storage(address, schema::hash_of_slot(slot)));
    }
    return proof;
}

std::expected<AccountProof, LedgerError> DurableLedger::prove(std::uint64_t number,
                                                              const Address& address,
                                                              const std::vector<Uint256>& slots) {
    Impl& self = *impl_;
    HEDDLE_TRY(const BlockChanges since, self.changes_since(number));
    if (since.accounts.empty()) return self.prove(since, address, slots);
    HEDDLE_CHECK(self.move_back(since, number));
    // Whatever becomes of the proof, the tries go back to where they were.
    auto proof = self.prove(since, address, slots);
    HEDDLE_CHECK(self.move_forward(since));
    return proof;
}

std::expected<std::set<Bytes>, LedgerError> DurableLedger::Impl::nodes_to(
    std::span<const TrieKey> keys) {
    std::set<Bytes> nodes;
    for (const TrieKey& key : keys) {
        HEDDLE_TRY(auto way, key.owner.has_value() ? state->prove_storage(*key.owner, key.key)
                                                   : state->prove_account(key.key));
        nodes.insert(std::make_move_iterator(way.begin()), std::make_move_iterator(way.end()));
    }
    return nodes;
}

std::expected<std::set<Bytes>, LedgerError> DurableLedger::trie_nodes(
    std::uint64_t number, std::span<const TrieKey> keys) {
    Impl& self = *impl_;
    HEDDLE_TRY(const BlockChanges since, self.changes_since(number));
    if (since.accounts.empty()) return self.nodes_to(keys);
    HEDDLE_CHECK(self.move_back(since, number));
    // Whatever becomes of the nodes, the tries go back to where they were.
    auto nodes = self.nodes_to(keys);
    HEDDLE_CHECK(self.move_forward(since));
    return nodes;
}

std::expected<void, LedgerError> DurableLedger::visit_state(const StateVisitor& visitor) {
    // So that the tables show the head's state.
    HEDDLE_CHECK(impl_->checkpoint_now());
    Cursor accounts = impl_->database->cursor(Table::accounts);
    Cursor slots = impl_->database->cursor(Table::slots);
    for (accounts.seek({}); accounts.valid(); accounts.next()) {
        const auto account = schema::decode_account_entry(accounts.value());
        if (!account.has_value()) return damaged_record("an account");
        if (!visitor.on_account(account->address, account->record.account)) return {};
        if (account->record.storage_root == kEmptyTrieRoot) continue;
        const Hash prefix = schema::hash_of(account->address);
        for (slots.seek(prefix.view()); slots.has_prefix(prefix.view()); slots.next()) {
            const auto slot = schema::decode_slot_entry(slots.value());
            if (!slot.has_value())
                return damaged_record("a slot of account " + to_string(account->address));
            if (!visitor.on_slot(slot->slot, slot->value)) return {};
        }
        HEDDLE_CHECK(slots.error());
    }
    return accounts.error();
}

}  // namespace heddle::ledger
