// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/shimmed_application.hpp"

#include <types/expected.hpp>

namespace heddle::node {

using consensus_adapter::BlockId;
using consensus_adapter::BlockPlan;
using consensus_adapter::FinalizedBlock;
using consensus_adapter::OrderedBlock;
using consensus_adapter::Proposal;
using consensus_adapter::ProposalError;
using consensus_adapter::Unexecutable;

std::expected<Proposal, BlockError> ShimmedApplication::prepare(const BlockPlan& plan) {
    shim_.prepare_begins(plan);
    auto result = inner_.prepare(plan);
    shim_.prepare_ends(result);
    return result;
}

std::expected<void, ProposalError> ShimmedApplication::process(const BlockPlan& plan,
                                                               Proposal& proposal) {
    shim_.process_begins(plan, proposal);
    auto result = inner_.process(plan, proposal);
    shim_.process_ends(result);
    return result;
}

std::expected<FinalizedBlock, BlockError> ShimmedApplication::finalize(OrderedBlock block,
                                                                       Unexecutable unexecutable) {
    shim_.finalize_begins(block, unexecutable);
    auto result = inner_.finalize(std::move(block), unexecutable);
    shim_.finalize_ends(result);
    return result;
}

std::expected<BlockId, BlockError> ShimmedApplication::commit() {
    HEDDLE_CHECK(shim_.commit_begins());
    auto result = inner_.commit();
    shim_.commit_ends(result);
    if (result.has_value() && after_commit_) after_commit_(*result);
    return result;
}

}  // namespace heddle::node
