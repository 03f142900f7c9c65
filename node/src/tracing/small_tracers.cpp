// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/small_tracers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <vm/precompile.hpp>

namespace heddle::node {

void NoopTracer::write(JsonWriter& out) {
    out.begin_object();
    out.end_object();
}

void FourByteTracer::begin(const TraceSubject& subject) {
    revision_ = subject.env->revision;
    counts_.clear();
}

void FourByteTracer::on_enter(const vm::TraceCall& call) noexcept {
    using Kind = vm::TraceCall::Kind;
    constexpr std::size_t kSelectorBytes = 4;
    if (call.kind == Kind::create || call.kind == Kind::create2 || call.kind == Kind::self_destruct)
        return;
    if (call.input.size() < kSelectorBytes || vm::precompile_index(call.to, revision_) != 0) return;
    const auto [count, is_new] = counts_.try_emplace(fmt::format(
        "{}-{}", to_hex(call.input.first(kSelectorBytes)), call.input.size() - kSelectorBytes));
    if (is_new) budget().spend(count->first.size() + 8);
    ++count->second;
}

void FourByteTracer::write(JsonWriter& out) {
    out.begin_object();
    for (const auto& [call, count] : counts_) {
        out.key(call);
        out.number(count);
    }
    out.end_object();
}

MuxTracer::MuxTracer(TraceBudget& budget, std::vector<Named> tracers)
    : TransactionTracer(budget), tracers_(std::move(tracers)) {
    for (const auto& [name, tracer] : tracers_)
        wanted_ |= tracer->wanted_steps();
}

void MuxTracer::begin(const TraceSubject& subject) {
    for (const auto& [name, tracer] : tracers_)
        tracer->begin(subject);
}

void MuxTracer::end(const vm::Outcome& outcome) {
    for (const auto& [name, tracer] : tracers_)
        tracer->end(outcome);
}

void MuxTracer::write(JsonWriter& out) {
    out.begin_object();
    for (const auto& [name, tracer] : tracers_) {
        out.key(name);
        tracer->write(out);
    }
    out.end_object();
}

bool MuxTracer::wants_memory() const noexcept {
    return std::ranges::any_of(tracers_,
                               [](const Named& named) { return named.second->wants_memory(); });
}

void MuxTracer::on_step(const vm::TraceStep& step, vm::Status failure) noexcept {
    for (const auto& [name, tracer] : tracers_)
        if (failure != vm::Status::success || tracer->wanted_steps()[step.opcode])
            tracer->on_step(step, failure);
}

void MuxTracer::on_enter(const vm::TraceCall& call) noexcept {
    for (const auto& [name, tracer] : tracers_)
        tracer->on_enter(call);
}

void MuxTracer::on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept {
    for (const auto& [name, tracer] : tracers_)
        tracer->on_exit(status, gas_used, output);
}

void MuxTracer::on_log(const Log& log, std::size_t index) noexcept {
    for (const auto& [name, tracer] : tracers_)
        tracer->on_log(log, index);
}

}  // namespace heddle::node
