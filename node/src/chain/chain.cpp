// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/chain.hpp"

#include <utility>

#include <ledger/snapshot.hpp>
#include <types/assert.hpp>
#include <types/expected.hpp>
#include <vm/block.hpp>
#include <vm/next_header.hpp>

#include "chain/shared_code_cache.hpp"

namespace heddle::node {
namespace {

SharedBlock read_head(const ledger::DurableLedger& ledger) {
    auto block = ledger.block(ledger.head().header.number);
    HEDDLE_ASSERT(block.has_value() && block->has_value());
    return std::make_shared<const ledger::StoredBlock>(**std::move(block));
}

}  // namespace

Chain::Chain(ledger::DurableLedger& ledger, ChainConfig config, ledger::SyncPolicy sync,
             const ChainMemory& memory)
    : ledger_(ledger),
      config_(std::move(config)),
      waits_until_durable_(sync.blocks == 1),
      code_cache_(make_shared_code_cache(memory.code)),
      head_block_(read_head(ledger)),
      served_(memory.served) {}

ledger::StoredHeader Chain::head() const {
    const SharedBlock head = head_block();
    return {head->block.header, head->hash, head->total_difficulty};
}

auto Chain::header(std::uint64_t number) const -> Found<ledger::StoredHeader> {
    if (number > head_block()->block.header.number) return std::nullopt;
    return ledger_.header(number);
}

auto Chain::block(std::uint64_t number) const -> Found<ledger::StoredBlock> {
    const SharedBlock head = head_block();
    if (number > head->block.header.number) return std::nullopt;
    if (number == head->block.header.number) return *head;
    return ledger_.block(number);
}

auto Chain::block_number(const Hash& hash) const -> Found<std::uint64_t> {
    auto found = ledger_.block_number(hash);
    if (found.has_value() && found->has_value() && **found > head_block()->block.header.number)
        return std::nullopt;
    return found;
}

auto Chain::find_transaction(const Hash& hash) const -> Found<ledger::TransactionLocation> {
    auto found = ledger_.find_transaction(hash);
    if (found.has_value() && found->has_value() &&
        (*found)->number > head_block()->block.header.number)
        return std::nullopt;
    return found;
}

SharedBlock Chain::head_block() const {
    const std::shared_lock lock{head_mutex_};
    return head_block_;
}

std::expected<std::shared_ptr<const ledger::PastState>, ledger::LedgerError> Chain::shared_state_at(
    std::uint64_t number) const {
    {
        const std::shared_lock lock{head_mutex_};
        if (head_state_ && head_block_->block.header.number == number) return head_state_;
    }
    auto made = ledger_.state_at(number);
    if (!made.has_value()) return std::unexpected(std::move(made.error()));
    std::shared_ptr<const ledger::PastState> state = *std::move(made);
    const std::unique_lock lock{head_mutex_};
    if (!head_state_ && head_block_->block.header.number == number) head_state_ = state;
    return state;
}

std::expected<SharedServedBlock, ledger::LedgerError> Chain::served_block(
    std::uint64_t number) const {
    SharedBlock stored = head_block();
    const std::uint64_t last = stored->block.header.number;
    if (number > last) return nullptr;
    if (SharedServedBlock known = served_.find(number)) return known;
    if (number != last) {
        auto found = ledger_.block(number);
        if (!found.has_value()) return std::unexpected(std::move(found.error()));
        if (!found->has_value()) return nullptr;
        stored = std::make_shared<const ledger::StoredBlock>(**std::move(found));
    }
    SharedServedBlock served = make_served_block(std::move(stored));
    served_.add(served);
    return served;
}

BlockEnv Chain::env_of(const ledger::StoredHeader& block) const {
    const BlockHeader& header = block.header;
    const Uint256 parent_total = block.total_difficulty - header.difficulty;
    return vm::make_block_env(header, config_, vm::is_merged(header, parent_total, config_));
}

BlockHeader Chain::next_header(const ledger::StoredHeader& parent, std::uint64_t timestamp) const {
    return vm::next_header({parent.header, parent.hash, parent.total_difficulty},
                           {.timestamp = timestamp, .gas_limit = parent.header.gas_limit}, config_);
}

BlockEnv Chain::env_of_next(const BlockHeader& header, const ledger::StoredHeader& parent) const {
    return vm::make_block_env(header, config_,
                              vm::is_merged(header, parent.total_difficulty, config_));
}

std::expected<ledger::AccountProof, ledger::LedgerError> Chain::prove(
    std::uint64_t number, const Address& address, const std::vector<Uint256>& slots) {
    const std::scoped_lock lock{writing_};
    return ledger_.prove(number, address, slots);
}

std::expected<Hash, ledger::LedgerError> Chain::state_root_with(std::uint64_t number,
                                                                const StateDiff& diff) {
    const std::scoped_lock lock{writing_};
    return ledger_.state_root_with(number, diff);
}

std::expected<Hash, BlockError> Chain::stage(FinishedBlock block) {
    const std::scoped_lock lock{writing_};
    return ledger_.stage(std::move(block));
}

void Chain::unstage() {
    const std::scoped_lock lock{writing_};
    ledger_.unstage();
}

std::expected<void, BlockError> Chain::commit(FinishedBlock block) {
    HEDDLE_CHECK(stage(std::move(block)));
    return publish();
}

std::expected<std::unique_ptr<ledger::SnapshotWriter>, ledger::LedgerError>
Chain::begin_snapshot() {
    const std::scoped_lock lock{writing_};
    return ledger_.begin_snapshot();
}

void Chain::show() {
    const std::scoped_lock lock{writing_};
    ledger_.publish();
}

std::expected<void, BlockError> Chain::publish() {
    show();
    return acknowledge();
}

std::expected<void, BlockError> Chain::acknowledge() {
    // While it is still in memory.
    const SharedBlock head = read_head(ledger_);
    const std::uint64_t number = head->block.header.number;
    const auto kept =
        waits_until_durable_ ? ledger_.wait_durable(number) : ledger_.wait_written(number);
    if (!kept.has_value()) {
        BlockError error;
        error.code = BlockErrorCode::storage_failed;
        error.number = number;
        error.detail = ledger::to_string(kept.error());
        return std::unexpected(std::move(error));
    }
    std::shared_ptr<const ledger::PastState> old_state;  // freed outside the lock
    {
        const std::unique_lock lock{head_mutex_};
        head_block_ = head;
        old_state.swap(head_state_);
    }
    heads_.tell(head);
    return {};
}

}  // namespace heddle::node
