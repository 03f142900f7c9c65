// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The small tracers: noopTracer, 4byteTracer, and muxTracer, which runs several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tracing/transaction_tracer.hpp"

namespace heddle::node {

/// Traces nothing; a transaction can be executed again with it.
class NoopTracer final : public TransactionTracer {
public:
    using TransactionTracer::TransactionTracer;

    void begin(const TraceSubject& /*subject*/) override {}
    void end(const vm::Outcome& /*outcome*/) override {}
    void write(JsonWriter& out) override;
    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override { return no_steps(); }
    void on_step(const vm::TraceStep& /*step*/, vm::Status /*failure*/) noexcept override {}
};

/// How often each function is called with arguments of each size: the first four bytes of the
/// input, and how many follow.
class FourByteTracer final : public TransactionTracer {
public:
    using TransactionTracer::TransactionTracer;

    void begin(const TraceSubject& subject) override;
    void end(const vm::Outcome& /*outcome*/) override {}
    void write(JsonWriter& out) override;
    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override { return no_steps(); }
    void on_step(const vm::TraceStep& /*step*/, vm::Status /*failure*/) noexcept override {}
    void on_enter(const vm::TraceCall& call) noexcept override;

private:
    Revision revision_ = kLatestRevision;
    std::map<std::string, std::uint64_t> counts_;
};

/// Several tracers, their traces by name.
class MuxTracer final : public TransactionTracer {
public:
    using Named = std::pair<std::string, std::unique_ptr<TransactionTracer>>;
    MuxTracer(TraceBudget& budget, std::vector<Named> tracers);

    void begin(const TraceSubject& subject) override;
    void end(const vm::Outcome& outcome) override;
    void write(JsonWriter& out) override;
    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override { return wanted_; }
    [[nodiscard]] bool wants_memory() const noexcept override;
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;
    void on_enter(const vm::TraceCall& call) noexcept override;
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override;
    void on_log(const Log& log, std::size_t index) noexcept override;

private:
    const std::vector<Named> tracers_;
    vm::OpcodeSet wanted_;
};

}  // namespace heddle::node
