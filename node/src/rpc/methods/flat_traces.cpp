// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/flat_traces.hpp"

#include <limits>

#include <fmt/format.h>

#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "simulation/deadline.hpp"

namespace heddle::node::rpc {

FlatTraces::FlatTraces(const Call& call, const Chain& chain, bool with_place)
    : call_(call),
      budget_(call.max_result_bytes == 0 ? std::numeric_limits<std::size_t>::max()
                                         : call.max_result_bytes,
              call.deadline),
      tracer_(
          budget_,
          {.convert_parity_errors = true, .with_place = with_place, .with_intrinsic_gas = false}),
      evm_({.tracer = &tracer_, .code_cache = chain.code_cache(), .lets_go_of_code = true}) {}

void FlatTraces::end(const vm::Outcome& outcome) {
    if (outcome.status == vm::Status::stopped) simulation::Deadline::fail();
    if (!vm::is_unfinished(outcome.status)) tracer_.end(outcome);
    if (budget_.verdict() == TraceBudget::Verdict::too_late) simulation::Deadline::fail();
    if (budget_.verdict() == TraceBudget::Verdict::too_large)
        throw RpcError(Code::response_too_large,
                       fmt::format("the traces are larger than {} bytes", call_.max_result_bytes));
}

const vm::Outcome& FlatTraces::execute(BlockReplay& replay) {
    const Transaction& tx = replay.block().block.transactions[replay.next_index()];
    tracer_.begin(subject_of_next(replay, transaction_hash(tx)));
    const simulation::Deadline deadline = deadline_of(call_);
    const simulation::Supervision supervision(deadline, evm_);
    const auto outcome = replay.execute_next(evm_);
    if (!outcome.has_value())
        throw server_error(fmt::format("tracing failed: {}", to_string(outcome.error())));
    deadline.note_gas((*outcome)->executed_gas);
    end(**outcome);
    return **outcome;
}

void FlatTraces::execute(const simulation::CallSite& site, const simulation::CallTransaction& tx,
                         vm::Outcome& outcome) {
    TraceSubject subject;
    subject.tx = &tx;
    subject.env = &site.env();
    subject.before = &site.state();
    tracer_.begin(subject);
    const auto executed = site.execute(tx, evm_, outcome, deadline_of(call_));
    if (!executed.has_value()) throw server_error(site.rejection(executed.error(), tx));
    end(outcome);
}

}  // namespace heddle::node::rpc
