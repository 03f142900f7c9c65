// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The application as an engine drives it across the shim: arguments on the way in, answers on the
// way out.
#pragma once

#include <expected>
#include <functional>
#include <utility>

#include <consensus_adapter/application.hpp>

#include "shim/shim.hpp"

namespace heddle::node {

/// Thread safety: as Application.
class ShimmedApplication final : public consensus_adapter::Application {
public:
    /// Everything outlives it.
    ShimmedApplication(consensus_adapter::Application& inner, Shim& shim)
        : inner_(inner), shim_(shim) {}

    /// Called after each block, from the thread that commits: there is nothing under way then.
    void after_commit(std::function<void(const consensus_adapter::BlockId&)> callback) {
        after_commit_ = std::move(callback);
    }

    [[nodiscard]] consensus_adapter::Committed committed() const override {
        return inner_.committed();
    }
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> prepare(
        const consensus_adapter::BlockPlan& plan) override;
    [[nodiscard]] std::expected<void, consensus_adapter::ProposalError> process(
        const consensus_adapter::BlockPlan& plan, consensus_adapter::Proposal& proposal) override;
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> finalize(
        consensus_adapter::OrderedBlock block,
        consensus_adapter::Unexecutable unexecutable) override;
    [[nodiscard]] std::expected<consensus_adapter::BlockId, BlockError> commit() override;

private:
    consensus_adapter::Application& inner_;
    Shim& shim_;
    std::function<void(const consensus_adapter::BlockId&)> after_commit_;
};

}  // namespace heddle::node
