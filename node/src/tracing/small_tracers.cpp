// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/small_tracers.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <types/hash.hpp>
#include <vm/opcode.hpp>
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

const vm::OpcodeSet& keccak_steps() noexcept {
    static const vm::OpcodeSet steps = vm::OpcodeSet{}.set(vm::OP_KECCAK256);
    return steps;
}

std::optional<Bytes> keccak_preimage(const vm::TraceStep& step, TraceBudget& budget) {
    constexpr std::uint64_t kMostPadding = 1 << 20;
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const std::size_t height = step.stack.size();
    if (step.opcode != vm::OP_KECCAK256 || height < 2) return std::nullopt;
    const std::uint64_t offset = step.stack[height - 1].low64();
    const std::uint64_t size = step.stack[height - 2].low64();
    const std::uint64_t held = step.memory.size();
    if (offset > kMost || size > kMost || offset + size > held + kMostPadding) return std::nullopt;
    if (!budget.has_room_for(2 * size)) return std::nullopt;
    Bytes preimage(size);
    if (offset < held)
        std::ranges::copy(step.memory.subspan(offset, std::min(size, held - offset)),
                          preimage.begin());
    return preimage;
}

void PreimageTracer::on_step(const vm::TraceStep& step, vm::Status /*failure*/) noexcept {
    constexpr std::size_t kEntryBytes = 75;
    auto preimage = keccak_preimage(step, budget());
    if (!preimage) return;
    const std::size_t size = preimage->size();
    if (preimages_.try_emplace(keccak256(*preimage), *std::move(preimage)).second)
        budget().spend(kEntryBytes + 2 * size);
}

void PreimageTracer::write(JsonWriter& out) {
    out.begin_object();
    for (const auto& [hash, preimage] : preimages_) {
        out.key(to_string(hash));
        out.hex(preimage);
    }
    out.end_object();
}

MuxTracer::MuxTracer(TraceBudget& budget, std::vector<Named> tracers)
    : TransactionTracer(budget), tracers_(std::move(tracers)) {
    for (const auto& [name, tracer] : tracers_) {
        wanted_ |= tracer->wanted_steps();
        with_memory_ |= tracer->steps_with_memory() & tracer->wanted_steps();
    }
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
