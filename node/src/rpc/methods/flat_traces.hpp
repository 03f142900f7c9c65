// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Transactions traced in the form that OpenEthereum gave traces, for one request.
#pragma once

#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include "chain/chain.hpp"
#include "rpc/envelope/method.hpp"
#include "simulation/call_site.hpp"
#include "tracing/block_replay.hpp"
#include "tracing/flat_call_tracer.hpp"

namespace heddle::node::rpc {

/// The tracer of a request, and what all its traces together may take.
/// Thread safety: one thread at a time.
class FlatTraces {
public:
    /// Both must outlive it.
    /// @param with_place  Each trace names its block and its transaction.
    FlatTraces(const Call& call, const Chain& chain, bool with_place);

    /// Executes the replay's next transaction; finish_next() is left to the caller.
    /// Errors: RpcError where the traces became too large or took too long; Failure timed_out.
    const vm::Outcome& execute(BlockReplay& replay);
    /// Executes a call.
    /// Errors: the same, and RpcError where it cannot be executed: why.
    void execute(const simulation::CallSite& site, const simulation::CallTransaction& tx,
                 vm::Outcome& outcome);

    /// Of what was executed last.
    [[nodiscard]] FlatCallTracer& tracer() noexcept { return tracer_; }

private:
    void end(const vm::Outcome& outcome);

    const Call& call_;
    TraceBudget budget_;
    FlatCallTracer tracer_;
    vm::Evm evm_;
};

}  // namespace heddle::node::rpc
