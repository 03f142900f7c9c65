// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/chain_stream.hpp"

#include <optional>
#include <utility>

#include <executor/schedule_observer.hpp>
#include <types/assert.hpp>
#include <types/expected.hpp>

#include "logging/log.hpp"

namespace heddle::node::follow {

ChainStream::ChainStream(Chain& chain, Mempool& mempool, ChainStreamOptions options)
    : chain_(chain),
      mempool_(mempool),
      stores_lists_(options.stores_lists),
      executions_(options.executions),
      shim_(options.shim),
      after_commit_(std::move(options.after_commit)),
      executor_([&] {
          // As a node that makes blocks keeps them: for replays, and for those who follow this one.
          options.executor.record_sets = true;
          options.executor.make_access_lists = options.stores_lists;
          options.executor.on_choice = [](std::uint64_t number, std::string_view reason) {
              logger(Component::chain).info("block {}: {}", number, reason);
          };
          return executor::make_executor(options.scheduler, std::move(options.executor),
                                         options.executions);
      }()),
      noting_(shim_ != nullptr ? std::make_unique<NotingExecutor>(*executor_, *shim_) : nullptr) {
    HEDDLE_ASSERT(executor_ != nullptr);
}

ChainStream::~ChainStream() = default;

consensus_adapter::follow::ChainIdentity ChainStream::identity() const {
    return {chain_.config().chain_id, chain_.ledger().block_hash(0), {}};
}

consensus_adapter::BlockId ChainStream::head() const {
    const ledger::StoredHeader head = chain_.kept_head();
    return {head.header.number, head.hash};
}

std::uint64_t ChainStream::head_gas_limit() const {
    return chain_.kept_head().header.gas_limit;
}

std::optional<Hash> ChainStream::hash_of(std::uint64_t number) const {
    const auto header = chain_.kept_header(number);
    if (!header.has_value() || !header->has_value()) return std::nullopt;
    return (*header)->hash;
}

std::expected<executor::Executor*, BlockError> ChainStream::begin() {
    chain_.unstage();
    const ledger::StoredHeader head = chain_.kept_head();
    auto ancestors = chain_.ledger().ancestors(head.header.number);
    if (!ancestors.has_value()) {
        BlockError failure;
        failure.code = BlockErrorCode::storage_failed;
        failure.number = head.header.number;
        failure.detail = ledger::to_string(ancestors.error());
        return std::unexpected(std::move(failure));
    }
    executor::Executor& given = noting_ ? static_cast<executor::Executor&>(*noting_) : *executor_;
    given.start({chain_.config(), chain_.state(), chain_.block_hashes(), *this},
                {*std::move(ancestors), head.total_difficulty});
    return &given;
}

std::expected<Hash, BlockError> ChainStream::commit(FinishedBlock block) {
    if (!stores_lists_ && !block.block.header.block_access_list_hash.has_value())
        block.access_list.clear();
    BlockHeader header = block.block.header;
    const std::size_t transactions = block.block.transactions.size();
    std::optional<TakenBlock> taken;
    if (noting_) taken = TakenBlock{header_hash(header), receipt_tags(block.receipts, digester_)};
    const std::uint64_t began_ns = ExecutionLog::now_ns();
    HEDDLE_TRY(const Hash root, chain_.stage(std::move(block)));
    const std::uint64_t staged_ns = ExecutionLog::now_ns();
    if (noting_) {
        shim_->block_begins(noting_->taken());
        shim_->block_ends(*std::move(taken));
        HEDDLE_CHECK(shim_->commit_begins());
    }
    const auto kept = keep();
    if (noting_) shim_->commit_ends(kept);
    if (!kept.has_value()) return std::unexpected(kept.error());
    if (executions_ != nullptr) {
        header.state_root = root;
        executions_->staged(header, header_hash(header), transactions, began_ns, staged_ns);
        executions_->acknowledged(ExecutionLog::now_ns() - staged_ns);
    }
    if (after_commit_) after_commit_(*kept);
    return root;
}

std::expected<consensus_adapter::BlockId, BlockError> ChainStream::keep() {
    mempool_.while_shown([this] { chain_.show(); });
    HEDDLE_CHECK(chain_.acknowledge());
    const SharedBlock head = chain_.kept_head_block();
    mempool_.on_head(*head);
    return consensus_adapter::BlockId{head->block.header.number, head->hash};
}

void ChainStream::foresee(const Hash& parent, const StateDiff& diff) {
    chain_.foresee(parent, diff);
}

Hash ChainStream::state_root_with(const StateDiff& diff) {
    return chain_.state_root_with(diff);
}

}  // namespace heddle::node::follow
