// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain as a primary's engine drives it: no block is begun while too many wait for their
// acknowledgements.
#pragma once

#include <expected>
#include <utility>

#include <consensus_adapter/application.hpp>

#include "replication/primary_role.hpp"

namespace heddle::node::replication {

/// Thread safety: as Application.
class ReplicatedApplication final : public consensus_adapter::Application {
public:
    /// Both outlive it.
    ReplicatedApplication(consensus_adapter::Application& application, PrimaryRole& primary)
        : application_(application), primary_(primary) {}

    [[nodiscard]] consensus_adapter::Committed committed() const override {
        return application_.committed();
    }
    /// Errors: also execution_halted, with the reason why no block may be made.
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> prepare(
        const consensus_adapter::BlockPlan& plan) override {
        if (auto reason = primary_.wait_for_room()) {
            BlockError error;
            error.code = BlockErrorCode::execution_halted;
            error.number = application_.committed().head.number + 1;
            error.detail = *std::move(reason);
            return std::unexpected(std::move(error));
        }
        return application_.prepare(plan);
    }
    [[nodiscard]] std::expected<void, consensus_adapter::ProposalError> process(
        const consensus_adapter::BlockPlan& plan, consensus_adapter::Proposal& proposal) override {
        return application_.process(plan, proposal);
    }
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> finalize(
        consensus_adapter::OrderedBlock block,
        consensus_adapter::Unexecutable unexecutable) override {
        return application_.finalize(std::move(block), unexecutable);
    }
    [[nodiscard]] std::expected<consensus_adapter::BlockId, BlockError> commit() override {
        return application_.commit();
    }

private:
    consensus_adapter::Application& application_;
    PrimaryRole& primary_;
};

}  // namespace heddle::node::replication
