// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// callTracer: the calls of a transaction as a tree. Its record is what flatCallTracer writes in
// another shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/receipt.hpp>
#include <types/uint256.hpp>

#include "tracing/failure_texts.hpp"
#include "tracing/transaction_tracer.hpp"

namespace heddle::node {

/// A log, and after how many calls of its frame it was written.
struct RecordedLog {
    Log log;
    std::size_t index = 0;  // in the block
    std::size_t position = 0;
};

/// One call, creation or self-destruction.
struct RecordedCall {
    vm::TraceCall::Kind kind = vm::TraceCall::Kind::call;
    Address from;
    Address to;
    Uint256 value;
    std::uint64_t gas = 0;
    std::uint64_t gas_used = 0;
    Bytes input;
    Bytes output;  // of a success or a revert
    vm::Status status = vm::Status::success;
    std::string error;  // empty: it succeeded
    std::vector<std::size_t> calls;
    std::vector<RecordedLog> logs;
};

/// Records the calls of a transaction.
/// Invariant: the frames that are open are the calls from the outermost one down.
class CallRecorder {
public:
    /// @param with_intrinsic_gas  Whether the outermost call's gas is the transaction's, as geth
    ///                            has it, or that of its execution.
    void begin(const TraceSubject& subject, TraceBudget& budget, bool with_intrinsic_gas = true);
    void on_step(const vm::TraceStep& step, vm::Status failure) {
        failures_.on_step(step, failure);
    }
    void on_enter(const vm::TraceCall& call);
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output);
    void on_log(const Log& log, std::size_t index);
    void end(const vm::Outcome& outcome);

    /// By position; the outermost call is the first. Empty where the transaction was not executed.
    [[nodiscard]] const std::vector<RecordedCall>& calls() const noexcept { return calls_; }
    [[nodiscard]] std::size_t depth() const noexcept { return open_.size(); }
    /// Forgets the call that has ended last, whose caller is still open; it has called nothing.
    void drop_last();

private:
    TraceBudget* budget_ = nullptr;
    std::size_t first_log_index_ = 0;
    std::uint64_t gas_limit_ = 0;
    bool with_intrinsic_gas_ = true;
    FailureTexts failures_;
    std::vector<RecordedCall> calls_;
    std::vector<std::size_t> open_;
};

/// "CALL", "CREATE2", "SELFDESTRUCT", …
[[nodiscard]] std::string_view call_type(vm::TraceCall::Kind kind) noexcept;
[[nodiscard]] constexpr bool is_creation(vm::TraceCall::Kind kind) noexcept {
    return kind == vm::TraceCall::Kind::create || kind == vm::TraceCall::Kind::create2;
}

/// The members with which a call begins, up to why it failed.
void write_call_head(const RecordedCall& call, JsonWriter& out);
/// Where there are some.
void write_call_logs(const RecordedCall& call, JsonWriter& out);

struct CallTracerOptions {
    bool only_top_call = false;
    bool with_log = false;
};

class CallTracer final : public TransactionTracer {
public:
    CallTracer(TraceBudget& budget, CallTracerOptions options)
        : TransactionTracer(budget), options_(options) {}

    void begin(const TraceSubject& subject) override;
    void end(const vm::Outcome& outcome) override { recorder_.end(outcome); }
    void write(JsonWriter& out) override;

    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override { return no_steps(); }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;
    void on_enter(const vm::TraceCall& call) noexcept override;
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override;
    void on_log(const Log& log, std::size_t index) noexcept override;

private:
    void write_call(const RecordedCall& call, bool is_undone, JsonWriter& out) const;

    const CallTracerOptions options_;
    CallRecorder recorder_;
    std::size_t ignored_depth_ = 0;  // calls below the outermost one, where only that is wanted
};

}  // namespace heddle::node
