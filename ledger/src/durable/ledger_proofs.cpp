// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "durable/ledger_impl.hpp"

namespace heddle::ledger {

namespace {

std::unexpected<LedgerError> unavailable(std::string what) {
    return std::unexpected(LedgerError{LedgerErrorCode::unavailable, std::move(what)});
}

/// What fails while the tries are away from the head leaves them nowhere, and there is no ledger to
/// go on with: it is reported as state that cannot be read.
Hash must_move(ChainState& state, const StateDiff& diff, const ReadFailureHandler& on_failure) {
    const auto root = state.move_tries(diff);
    if (!root.has_value()) fail_read(on_failure, root.error());
    return *root;
}

}  // namespace

std::expected<BlockChanges, LedgerError> DurableLedger::Impl::changes_since(
    std::uint64_t number) const {
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

std::expected<Hash, LedgerError> DurableLedger::Impl::root_of(std::uint64_t number) const {
    if (number == head.header.number) return head.header.state_root;
    if (const SharedBlock block = writer->find(number))
        return block->stored.block.header.state_root;
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
    const ReadFailureHandler& on_failure = self.options.on_read_failure;
    HEDDLE_TRY(const BlockChanges since, self.changes_since(number));
    HEDDLE_TRY(const Hash past, self.root_of(number));
    HEDDLE_TRY(const BlockChanges changes, self.state->changes_of(diff, since));
    HEDDLE_ASSERT(must_move(*self.state, backward_diff(since), on_failure) == past);
    const Hash root = must_move(*self.state, diff, on_failure);
    HEDDLE_ASSERT(must_move(*self.state, backward_diff(changes), on_failure) == past);
    HEDDLE_ASSERT(must_move(*self.state, forward_diff(since), on_failure) == self.tries_root());
    return root;
}

std::expected<AccountProof, LedgerError> DurableLedger::Impl::prove(
    const BlockChanges& since, const Address& address, const std::vector<Uint256>& slots) {
    AccountProof proof;
    HEDDLE_TRY(proof.nodes, state->prove_account(address));
    if (const auto record = state->record_before(since, address)) {
        proof.account = record->account;
        proof.storage_root = record->storage_root;
    }
    for (const Uint256& slot : slots) {
        AccountProof::Slot& entry = proof.slots.emplace_back();
        entry.slot = slot;
        if (proof.storage_root == kEmptyTrieRoot) continue;
        entry.value = state->storage_before(since, address, slot);
        HEDDLE_TRY(entry.nodes, state->prove_storage(address, slot));
    }
    return proof;
}

std::expected<AccountProof, LedgerError> DurableLedger::prove(std::uint64_t number,
                                                              const Address& address,
                                                              const std::vector<Uint256>& slots) {
    Impl& self = *impl_;
    const ReadFailureHandler& on_failure = self.options.on_read_failure;
    HEDDLE_TRY(const BlockChanges since, self.changes_since(number));
    if (since.accounts.empty()) return self.prove(since, address, slots);
    HEDDLE_TRY(const Hash past, self.root_of(number));
    HEDDLE_ASSERT(must_move(*self.state, backward_diff(since), on_failure) == past);
    // Whatever becomes of the proof, the tries go back to where they were.
    auto proof = self.prove(since, address, slots);
    HEDDLE_ASSERT(must_move(*self.state, forward_diff(since), on_failure) == self.tries_root());
    return proof;
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
