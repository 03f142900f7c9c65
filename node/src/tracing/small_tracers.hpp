// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The small tracers: noopTracer, 4byteTracer, opcountTracer, keccak256PreimageTracer, and
// muxTracer, which runs several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

/// How many instructions were executed.
class OpcodeCountTracer final : public TransactionTracer {
public:
    using TransactionTracer::TransactionTracer;

    void begin(const TraceSubject& /*subject*/) override { count_ = 0; }
    void end(const vm::Outcome& /*outcome*/) override {}
    void write(JsonWriter& out) override { out.number(count_); }
    void on_step(const vm::TraceStep& /*step*/, vm::Status /*failure*/) noexcept override {
        ++count_;
    }

private:
    std::uint64_t count_ = 0;
};

/// KECCAK256 alone.
[[nodiscard]] const vm::OpcodeSet& keccak_steps() noexcept;
/// What a KECCAK256 hashes, also where that could not be paid for; as in geth not where it lies
/// more than a mebibyte beyond the memory. nullopt: nothing, or the budget has no room for it.
[[nodiscard]] std::optional<Bytes> keccak_preimage(const vm::TraceStep& step, TraceBudget& budget);

/// What was hashed, by its hash.
class PreimageTracer final : public TransactionTracer {
public:
    using TransactionTracer::TransactionTracer;

    void begin(const TraceSubject& /*subject*/) override { preimages_.clear(); }
    void end(const vm::Outcome& /*outcome*/) override {}
    void write(JsonWriter& out) override;
    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override {
        return keccak_steps();
    }
    [[nodiscard]] bool wants_memory() const noexcept override { return true; }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;

private:
    std::map<Hash, Bytes> preimages_;
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
    [[nodiscard]] const vm::OpcodeSet& steps_with_memory() const noexcept override {
        return with_memory_;
    }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;
    void on_enter(const vm::TraceCall& call) noexcept override;
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override;
    void on_log(const Log& log, std::size_t index) noexcept override;

private:
    const std::vector<Named> tracers_;
    vm::OpcodeSet wanted_;
    vm::OpcodeSet with_memory_;
};

}  // namespace heddle::node
