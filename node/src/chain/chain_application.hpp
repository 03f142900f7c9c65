// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain as a consensus engine drives it: proposals come out of the mempool, decided blocks go
// through the streaming executor, and what it finished is kept by the ledger.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include <consensus_adapter/application.hpp>
#include <executor/executor.hpp>
#include <types/block_sink.hpp>

#include "chain/chain.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

struct ChainApplicationOptions {
    executor::Options executor;  // record_sets is set
    std::string scheduler = "dag";
};

/// Between finalize() and commit() the ledger holds the finished block and shows nothing of it.
///
///     state      event        next       does
///     idle       finalize()   finalized  executes on the head
///     idle       finalize()   idle       the block is wrong: the executor starts again on the head
///     finalized  commit()     idle       publishes it, waits for the disk, tells of the new head
///     finalized  finalize()   finalized  drops the block held, starts again on the head
///
/// Thread safety: as Application.
class ChainApplication final : public consensus_adapter::Application {
public:
    /// Everything outlives it.
    ChainApplication(Chain& chain, Mempool& mempool, ChainApplicationOptions options);
    ~ChainApplication() override;

    [[nodiscard]] consensus_adapter::Committed committed() const override;
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> prepare(
        const consensus_adapter::BlockPlan& plan) override;
    [[nodiscard]] std::expected<void, std::string> process(
        const consensus_adapter::BlockPlan& plan,
        const consensus_adapter::Proposal& proposal) override;
    /// A transaction that makes the block invalid is taken out of the mempool.
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> finalize(
        consensus_adapter::OrderedBlock block) override;
    [[nodiscard]] std::expected<consensus_adapter::BlockId, BlockError> commit() override;

private:
    class Stage;

    [[nodiscard]] std::expected<void, BlockError> start_executor();

    Chain& chain_;
    Mempool& mempool_;
    const std::unique_ptr<Stage> stage_;
    const std::unique_ptr<executor::Executor> executor_;
    bool is_started_ = false;  // the executor, on the head
};

}  // namespace heddle::node
