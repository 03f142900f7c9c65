// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include <types/expected.hpp>

#include "durable/historical_state.hpp"
#include "durable/ledger_impl.hpp"

namespace heddle::ledger {

const StateView& DurableLedger::state() const noexcept {
    return impl_->state->flat();
}

StoredHeader DurableLedger::head() const {
    const std::shared_lock lock{impl_->head_mutex};
    return impl_->head;
}

std::uint64_t DurableLedger::durable() const {
    return impl_->writer->durable();
}

namespace {

LedgerError above_head(std::uint64_t number, std::uint64_t head) {
    return {LedgerErrorCode::invalid, "to wait for block " + std::to_string(number) +
                                          "; the last one is " + std::to_string(head)};
}

}  // namespace

// A block that is waited for is not taken back before it is there: nobody would write it then.
std::expected<void, LedgerError> DurableLedger::wait_durable(std::uint64_t number) {
    const std::shared_lock standing{impl_->rewinding};
    const std::uint64_t last = head().header.number;
    if (number > last) return std::unexpected(above_head(number, last));
    return impl_->writer->wait_durable(number);
}

std::expected<void, LedgerError> DurableLedger::wait_written(std::uint64_t number) {
    const std::shared_lock standing{impl_->rewinding};
    const std::uint64_t last = head().header.number;
    if (number > last) return std::unexpected(above_head(number, last));
    return impl_->writer->wait_written(number);
}

std::uint64_t DurableLedger::first_block() const noexcept {
    return impl_->first_block;
}

std::uint64_t DurableLedger::first_state() const {
    return impl_->writer->first_history() - 1;
}

void DurableLedger::hold_states_from(std::uint64_t number) noexcept {
    impl_->writer->hold_states_from(number);
}

const Bytes& DurableLedger::chain() const noexcept {
    return impl_->chain;
}

const OpenReport& DurableLedger::open_report() const noexcept {
    return impl_->report;
}

std::optional<Hash> DurableLedger::find_block_hash(std::uint64_t number) const noexcept {
    {
        const std::shared_lock lock{impl_->head_mutex};
        const std::uint64_t head = impl_->head.header.number;
        if (number <= head && head - number < impl_->hashes.size())
            return impl_->hashes[impl_->hashes.size() - 1 - (head - number)];
    }
    const auto found = header(number);
    if (!found.has_value()) fail_read(impl_->options.on_read_failure, found.error());
    if (!found->has_value()) return std::nullopt;
    return (*found)->hash;
}

Hash DurableLedger::block_hash(std::uint64_t number) const noexcept {
    const auto hash = find_block_hash(number);
    if (!hash.has_value())
        fail_read(impl_->options.on_read_failure,
                  missing_record("the header of block " + std::to_string(number)).error());
    return *hash;
}

auto DurableLedger::Impl::view_of(std::uint64_t number) const
    -> std::expected<PastView, LedgerError> {
    // In this order: the changes of the head are listed before it is the head, and a block leaves
    // the list when the tables show it.
    std::uint64_t last = 0;
    {
        const std::shared_lock lock{head_mutex};
        last = head.header.number;
    }
    PastView view;
    view.recent = state->recent().through(last);
    view.snapshot = database->snapshot();
    // As the snapshot has them: the writer goes on.
    HEDDLE_TRY(const auto state_block,
               read_number(*database, schema::Meta::state_block, view.snapshot.get()));
    HEDDLE_TRY(const auto kept_from,
               read_number(*database, schema::Meta::first_history, view.snapshot.get()));
    if (!state_block.has_value() || !kept_from.has_value())
        return missing_record("the number of the state's block");
    view.state_block = *state_block;
    // What first_state() does not offer any more is refused, although the tables may have it yet.
    const std::uint64_t first_history = std::max(*kept_from, writer->first_history());
    if (number > last || number + 1 < first_history)
        return std::unexpected(LedgerError{
            LedgerErrorCode::unavailable,
            "the state after block " + std::to_string(number) + "; there is that of blocks " +
                std::to_string(first_history - 1) + " to " + std::to_string(last)});
    return view;
}

std::expected<std::unique_ptr<PastState>, LedgerError> DurableLedger::state_at(
    std::uint64_t number) const {
    const std::shared_lock standing{impl_->rewinding};
    HEDDLE_TRY(Impl::PastView view, impl_->view_of(number));
    return std::make_unique<HistoricalState>(*impl_->database, std::move(view.snapshot),
                                             std::move(view.recent), impl_->state->flat(), number,
                                             view.state_block, impl_->options.on_read_failure);
}

auto DurableLedger::Impl::header_of(std::uint64_t number) const
    -> std::expected<std::optional<StoredHeader>, LedgerError> {
    {
        const std::shared_lock lock{head_mutex};
        if (number > head.header.number) return std::nullopt;
    }
    if (const SharedBlock pending = writer->find(number))
        return StoredHeader{pending->stored->block.header, pending->stored->hash,
                            pending->stored->total_difficulty};
    HEDDLE_TRY(const auto record, read_header(*database, number));
    if (record.has_value()) return to_header(*record);
    // Below a snapshot's headers there is block 0's alone.
    if (number < first_header) return std::nullopt;
    return missing_record("the header of block " + std::to_string(number));
}

auto DurableLedger::header(std::uint64_t number) const -> Found<StoredHeader> {
    const std::shared_lock standing{impl_->rewinding};
    return impl_->header_of(number);
}

auto DurableLedger::block_number(const Hash& hash) const -> Found<std::uint64_t> {
    // In this order: a block moves from the writer to the database, never back.
    if (const SharedBlock pending = impl_->writer->find(hash)) return pending->number();
    return read_block_number(*impl_->database, hash);
}

SharedStoredBlock DurableLedger::Impl::block_at_hand(std::uint64_t number) const {
    {
        const std::shared_lock lock{head_mutex};
        if (head_block && head_block->block.header.number == number) return head_block;
    }
    const SharedBlock pending = writer->find(number);
    return pending ? pending->stored : nullptr;
}

auto DurableLedger::Impl::written_block(std::uint64_t number) const
    -> std::expected<std::optional<StoredBlock>, LedgerError> {
    HEDDLE_TRY(const auto record, read_header(*database, number));
    HEDDLE_TRY(auto block, read_block(*database, number));
    if (!record.has_value() || !block.has_value()) {
        if (number < first_block) return std::nullopt;
        return missing_record((record.has_value() ? "the body of block " : "the header of block ") +
                              std::to_string(number));
    }
    HEDDLE_TRY(auto receipts, read_receipts(*database, *block));
    if (!receipts.has_value())
        return missing_record("the list of receipts of block " + std::to_string(number));
    return StoredBlock{*std::move(block), record->hash, record->total_difficulty,
                       *std::move(receipts)};
}

auto DurableLedger::block(std::uint64_t number) const -> Found<StoredBlock> {
    const std::shared_lock standing{impl_->rewinding};
    if (number > head().header.number) return std::nullopt;
    if (const SharedStoredBlock block = impl_->block_at_hand(number)) return *block;
    return impl_->written_block(number);
}

std::expected<SharedStoredBlock, LedgerError> DurableLedger::shared_block(
    std::uint64_t number) const {
    const std::shared_lock standing{impl_->rewinding};
    if (number > head().header.number) return nullptr;
    if (SharedStoredBlock block = impl_->block_at_hand(number)) return block;
    HEDDLE_TRY(auto written, impl_->written_block(number));
    if (!written.has_value()) return nullptr;
    return std::make_shared<const StoredBlock>(*std::move(written));
}

auto DurableLedger::object_sets(std::uint64_t number) const -> Found<std::vector<ObjectSet>> {
    if (number > head().header.number) return std::nullopt;
    if (const SharedBlock pending = impl_->writer->find(number)) {
        if (pending->object_sets.empty()) return std::nullopt;
        return pending->object_sets;
    }
    return read_object_sets(*impl_->database, number);
}

auto DurableLedger::encoded_object_sets(std::uint64_t number) const -> Found<Bytes> {
    if (number > head().header.number) return std::nullopt;
    if (const SharedBlock pending = impl_->writer->find(number)) {
        if (pending->object_sets.empty()) return std::nullopt;
        return pending->encoded_object_sets();
    }
    return impl_->database->get(Table::object_sets, schema::number_key(number));
}

auto DurableLedger::access_list(std::uint64_t number) const -> Found<Bytes> {
    if (number > head().header.number) return std::nullopt;
    if (const SharedBlock pending = impl_->writer->find(number)) {
        if (pending->access_list.empty()) return std::nullopt;
        return pending->access_list;
    }
    return impl_->database->get(Table::access_lists, schema::number_key(number));
}

auto DurableLedger::find_transaction(const Hash& hash) const -> Found<TransactionLocation> {
    if (const auto pending = impl_->writer->find_transaction(hash)) return pending;
    HEDDLE_TRY(const auto place, read_place(*impl_->database, hash));
    if (!place.has_value()) return std::nullopt;
    return TransactionLocation{place->number, place->index};
}

auto DurableLedger::Impl::ommers_of(const BlockHeader& header) const
    -> std::expected<std::optional<std::vector<Hash>>, LedgerError> {
    std::vector<Hash> ommers;
    if (header.ommers_hash == kEmptyListHash) return ommers;
    std::optional<Block> written;
    const SharedStoredBlock at_hand = block_at_hand(header.number);
    if (!at_hand) {
        HEDDLE_TRY(written, read_block(*database, header.number));
        if (!written.has_value()) {
            // Below a snapshot there are headers without bodies.
            if (header.number < first_block) return std::nullopt;
            return missing_record("the body of block " + std::to_string(header.number));
        }
    }
    for (const BlockHeader& ommer : at_hand ? at_hand->block.ommers : written->ommers)
        ommers.push_back(header_hash(ommer));
    return ommers;
}

std::expected<std::vector<Ancestor>, LedgerError> DurableLedger::ancestors(
    std::uint64_t number) const {
    std::vector<Ancestor> ancestors;
    const std::shared_lock standing{impl_->rewinding};  // of one chain, each with its own ommers
    for (std::uint64_t i = 0; i < kAncestorsForOmmers && i <= number; ++i) {
        HEDDLE_TRY(auto found, impl_->header_of(number - i));
        if (!found.has_value()) break;
        HEDDLE_TRY(auto ommers, impl_->ommers_of(found->header));
        if (!ommers.has_value() && i != 0) break;
        ancestors.push_back({std::move(found->header), found->hash,
                             std::move(ommers).value_or(std::vector<Hash>{})});
    }
    if (ancestors.empty()) return missing_record("the header of block " + std::to_string(number));
    return ancestors;
}

namespace {

std::string of_account(const char* what, const Address& address) {
    return std::string{what} + " of account " + to_string(address);
}

/// The first thing that `change` changes otherwise than `stored`; null: the block did not touch it.
std::optional<std::string> difference_of(const AccountChange& change, const AccountUpdate* stored,
                                         const StateView& before) {
    const Address& address = change.address;
    const auto was = before.account(address);
    const bool is_stored = stored != nullptr;
    const auto after =
        !is_stored
            ? was
            : (stored->after.has_value() ? std::optional{stored->after->account} : std::nullopt);
    if (change.account != after) return of_account("the fields", address);
    std::size_t known = 0;
    for (const StorageChange& write : change.storage) {
        const SlotUpdate* slot = is_stored ? find_slot(*stored, write.slot) : nullptr;
        const bool is_same = slot != nullptr ? slot->after == write.value
                                             : before.storage(address, write.slot) == write.value;
        if (!is_same) return of_account(("slot " + to_hex(write.slot)).c_str(), address);
        known += slot != nullptr ? 1 : 0;
    }
    if (!is_stored || known == stored->slots.size()) return std::nullopt;
    // What else is stored may only be what a clearing took away.
    const bool is_cleared = change.storage_cleared || !change.account.has_value();
    for (const SlotUpdate& slot : stored->slots) {
        const auto is_it = [&](const StorageChange& write) { return write.slot == slot.slot; };
        if (std::ranges::any_of(change.storage, is_it)) continue;
        if (!is_cleared || !slot.after.is_zero())
            return of_account(("slot " + to_hex(slot.slot)).c_str(), address);
    }
    return std::nullopt;
}

}  // namespace

std::expected<std::optional<std::string>, LedgerError> DurableLedger::difference(
    std::uint64_t number, const StateDiff& diff, const StateView& before) const {
    Found<BlockChanges> changes = std::nullopt;
    if (const SharedBlock pending = impl_->writer->find(number))
        changes = *pending->changes;
    else
        changes = read_changes(*impl_->database, number);
    if (!changes.has_value()) return std::unexpected(changes.error());
    if (!changes->has_value())
        return std::unexpected(LedgerError{LedgerErrorCode::unavailable,
                                           "the changes of block " + std::to_string(number)});
    std::size_t known = 0;
    for (const AccountChange& change : diff.accounts) {
        const AccountUpdate* stored = (*changes)->find(change.address);
        known += stored != nullptr ? 1 : 0;
        if (auto found = difference_of(change, stored, before)) return found;
    }
    if (known != (*changes)->accounts.size()) return "an account is not changed that was";
    return std::nullopt;
}

}  // namespace heddle::ledger
