// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/call_tracer.hpp"

#include "formats/revert_reason.hpp"

namespace heddle::node {
namespace {

using Kind = vm::TraceCall::Kind;

/// What a call costs in JSON beside its data, roughly.
constexpr std::size_t kCallBytes = 400;
constexpr std::size_t kLogBytes = 450;

void write_log(const RecordedLog& recorded, JsonWriter& out) {
    out.begin_object();
    out.key("address");
    out.address(recorded.log.address);
    out.key("topics");
    out.begin_array();
    for (const Hash& topic : recorded.log.topics)
        out.hash(topic);
    out.end_array();
    out.key("data");
    out.hex(recorded.log.data);
    out.key("index");
    out.quantity(std::uint64_t{recorded.index});
    out.key("position");
    out.quantity(std::uint64_t{recorded.position});
    out.end_object();
}

}  // namespace

std::string_view call_type(Kind kind) noexcept {
    switch (kind) {
        case Kind::call:
            return "CALL";
        case Kind::call_code:
            return "CALLCODE";
        case Kind::delegate_call:
            return "DELEGATECALL";
        case Kind::static_call:
            return "STATICCALL";
        case Kind::create:
            return "CREATE";
        case Kind::create2:
            return "CREATE2";
        case Kind::self_destruct:
            return "SELFDESTRUCT";
    }
    return "";
}

void CallRecorder::begin(const TraceSubject& subject, TraceBudget& budget,
                         bool with_intrinsic_gas) {
    budget_ = &budget;
    first_log_index_ = subject.first_log_index;
    gas_limit_ = subject.tx->gas_limit;
    with_intrinsic_gas_ = with_intrinsic_gas;
    failures_ = {};
    calls_.clear();
    open_.clear();
}

void CallRecorder::on_enter(const vm::TraceCall& call) {
    budget_->spend(kCallBytes + 2 * call.input.size());
    failures_.on_enter(call);
    const std::size_t index = calls_.size();
    RecordedCall& recorded = calls_.emplace_back();
    recorded.kind = call.kind;
    recorded.from = call.from;
    recorded.to = call.to;
    recorded.value = call.value;
    const bool is_whole = open_.empty() && with_intrinsic_gas_;
    recorded.gas = is_whole ? gas_limit_ : static_cast<std::uint64_t>(call.gas);
    recorded.input.assign(call.input.begin(), call.input.end());
    if (!open_.empty()) calls_[open_.back()].calls.push_back(index);
    open_.push_back(index);
}

void CallRecorder::on_exit(vm::Status status, std::int64_t gas_used, BytesView output) {
    if (open_.empty()) return;
    RecordedCall& call = calls_[open_.back()];
    open_.pop_back();
    call.status = status;
    call.gas_used = static_cast<std::uint64_t>(gas_used);
    call.error = failures_.on_exit(status, output);
    if (vm::is_exceptional_halt(status)) return;
    budget_->spend(2 * output.size());
    call.output.assign(output.begin(), output.end());
}

void CallRecorder::on_log(const Log& log, std::size_t index) {
    if (open_.empty()) return;
    budget_->spend(kLogBytes + 2 * log.data.size());
    RecordedCall& call = calls_[open_.back()];
    call.logs.push_back({log, first_log_index_ + index, call.calls.size()});
}

void CallRecorder::end(const vm::Outcome& outcome) {
    if (!calls_.empty() && with_intrinsic_gas_) calls_.front().gas_used = outcome.receipt.gas_used;
}

void CallRecorder::drop_last() {
    if (open_.empty() || calls_[open_.back()].calls.empty()) return;
    calls_[open_.back()].calls.pop_back();
    calls_.pop_back();
}

void CallTracer::begin(const TraceSubject& subject) {
    recorder_.begin(subject, budget());
    ignored_depth_ = 0;
}

void CallTracer::on_step(const vm::TraceStep& step, vm::Status failure) noexcept {
    if (ignored_depth_ == 0) recorder_.on_step(step, failure);
}

void CallTracer::on_enter(const vm::TraceCall& call) noexcept {
    if (options_.only_top_call && recorder_.depth() != 0)
        ++ignored_depth_;
    else
        recorder_.on_enter(call);
}

void CallTracer::on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept {
    if (ignored_depth_ != 0)
        --ignored_depth_;
    else
        recorder_.on_exit(status, gas_used, output);
}

void CallTracer::on_log(const Log& log, std::size_t index) noexcept {
    if (options_.with_log && ignored_depth_ == 0) recorder_.on_log(log, index);
}

void write_call_head(const RecordedCall& call, JsonWriter& out) {
    out.key("from");
    out.address(call.from);
    out.key("gas");
    out.quantity(call.gas);
    out.key("gasUsed");
    out.quantity(call.gas_used);
    if (!is_creation(call.kind) || call.error.empty()) {
        out.key("to");
        out.address(call.to);
    }
    out.key("input");
    out.hex(call.input);
    if (!call.output.empty()) {
        out.key("output");
        out.hex(call.output);
    }
    if (call.error.empty()) return;
    out.key("error");
    out.string(call.error);
    if (const auto reason = revert_reason(call.output); reason && !reason->empty()) {
        out.key("revertReason");
        out.string(*reason);
    }
}

void write_call_logs(const RecordedCall& call, JsonWriter& out) {
    if (call.logs.empty()) return;
    out.key("logs");
    out.begin_array();
    for (const RecordedLog& log : call.logs)
        write_log(log, out);
    out.end_array();
}

void CallTracer::write_call(const RecordedCall& call, bool is_undone, JsonWriter& out) const {
    const bool has_failed = is_undone || !call.error.empty();
    out.begin_object();
    write_call_head(call, out);
    if (!call.calls.empty()) {
        out.key("calls");
        out.begin_array();
        for (const std::size_t index : call.calls)
            write_call(recorder_.calls()[index], has_failed, out);
        out.end_array();
    }
    // Those of a call that was undone were never written.
    if (!has_failed) write_call_logs(call, out);
    if (call.kind != Kind::static_call) {
        out.key("value");
        out.quantity(call.value);
    }
    out.key("type");
    out.string(call_type(call.kind));
    out.end_object();
}

void CallTracer::write(JsonWriter& out) {
    if (recorder_.calls().empty())
        out.null();
    else
        write_call(recorder_.calls().front(), false, out);
}

}  // namespace heddle::node
