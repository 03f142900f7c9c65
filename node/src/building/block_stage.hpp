// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a block that a consensus engine has decided stands between its execution and its commit.
#pragma once

#include <expected>
#include <optional>
#include <utility>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <types/block_sink.hpp>
#include <types/expected.hpp>

#include "chain/chain.hpp"
#include "chain/execution_log.hpp"

namespace heddle::node {

/// Takes the finished block, which the ledger holds until it is published.
class BlockStage final : public BlockSink {
public:
    /// @param log  Told of what is staged; outlives it. Null: nobody is.
    BlockStage(Chain& chain, bool stores_lists, ExecutionLog* log)
        : chain_(chain), stores_lists_(stores_lists), log_(log) {}

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        consensus_adapter::FinalizedBlock finalized;
        finalized.header = block.block.header;
        finalized.receipts = block.receipts;
        for (std::size_t i = 0; i < declared_.size() && i < block.object_sets.size(); ++i)
            if (!(declared_[i] == block.object_sets[i])) ++finalized.wrongly_declared;
        finalized.has_wrong_list = !claimed_list_.empty() && claimed_list_ != block.access_list;
        if (!stores_lists_ && !block.block.header.block_access_list_hash.has_value())
            block.access_list.clear();
        const std::uint64_t began_ns = ExecutionLog::now_ns();
        HEDDLE_TRY(const Hash root, chain_.stage(std::move(block)));
        const std::uint64_t ended_ns = ExecutionLog::now_ns();
        finalized.header.state_root = root;
        finalized.hash = header_hash(finalized.header);
        if (log_ != nullptr)
            log_->staged(finalized.header, finalized.hash, finalized.receipts.size(), began_ns,
                         ended_ns);
        finalized_ = std::move(finalized);
        return root;
    }
    void foresee(const Hash& parent, const StateDiff& diff) override {
        chain_.foresee(parent, diff);
    }
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override {
        return chain_.state_root_with(diff);
    }

    /// What is said of the next block: sets of its transactions, its access list.
    void declare(std::vector<ObjectSet> object_sets, Bytes access_list) {
        declared_ = std::move(object_sets);
        claimed_list_ = std::move(access_list);
    }
    [[nodiscard]] const std::optional<consensus_adapter::FinalizedBlock>& finalized()
        const noexcept {
        return finalized_;
    }
    void drop() {
        chain_.unstage();
        finalized_.reset();
    }
    void show() {
        finalized_.reset();
        chain_.show();
    }
    [[nodiscard]] std::expected<void, BlockError> acknowledge() {
        const std::uint64_t began_ns = ExecutionLog::now_ns();
        HEDDLE_CHECK(chain_.acknowledge());
        if (log_ != nullptr) log_->acknowledged(ExecutionLog::now_ns() - began_ns);
        return {};
    }

private:
    Chain& chain_;
    const bool stores_lists_;
    ExecutionLog* const log_;
    std::vector<ObjectSet> declared_;
    Bytes claimed_list_;
    std::optional<consensus_adapter::FinalizedBlock> finalized_;
};

}  // namespace heddle::node
