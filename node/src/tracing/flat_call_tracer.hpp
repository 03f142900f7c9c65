// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// flatCallTracer: the calls of a transaction as a list, in the shape that OpenEthereum gave them.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tracing/call_tracer.hpp"

namespace heddle::node {

struct FlatCallTracerOptions {
    bool convert_parity_errors = false;
    bool include_precompiles = false;
    bool with_place = true;  // block and transaction of each trace
    /// Whether the outermost call's gas is the transaction's, as geth has it, or that of its
    /// execution, as OpenEthereum and those after it.
    bool with_intrinsic_gas = true;
};

class FlatCallTracer final : public TransactionTracer {
public:
    FlatCallTracer(TraceBudget& budget, FlatCallTracerOptions options)
        : TransactionTracer(budget), options_(options) {}

    void begin(const TraceSubject& subject) override;
    void end(const vm::Outcome& outcome) override { recorder_.end(outcome); }
    void write(JsonWriter& out) override;
    /// Appends those that are wanted one by one, without an array around them. Each is asked for
    /// once, in the order in which write() has them.
    using IsWanted = std::function<bool(const RecordedCall& call)>;
    void write_some(const IsWanted& is_wanted, JsonWriter& out) const;

    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override { return no_steps(); }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;
    void on_enter(const vm::TraceCall& call) noexcept override;
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override;

private:
    void write_tree(const RecordedCall& call, std::vector<std::size_t>& place,
                    const IsWanted& is_wanted, JsonWriter& out) const;
    void write_call(const RecordedCall& call, const std::vector<std::size_t>& place,
                    JsonWriter& out) const;

    const FlatCallTracerOptions options_;
    TraceSubject subject_;
    CallRecorder recorder_;
    /// Of each open call, whether it goes to a precompiled contract and is left out.
    std::vector<bool> is_hidden_;
};

}  // namespace heddle::node
