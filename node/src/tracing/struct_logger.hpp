// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The default tracer: every instruction with the stack, memory and storage before it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "tracing/transaction_tracer.hpp"

namespace heddle::node {

struct StructLoggerOptions {
    bool with_memory = false;
    bool with_stack = true;
    bool with_storage = true;
    bool with_return_data = false;
    /// No more steps once they take more bytes than this; 0: all. As geth's, below 0: none, for
    /// nothing takes more than that.
    std::int64_t limit = 0;
};

class StructLogger final : public TransactionTracer {
public:
    StructLogger(TraceBudget& budget, StructLoggerOptions options)
        : TransactionTracer(budget), options_(options) {}

    void begin(const TraceSubject& subject) override;
    void end(const vm::Outcome& outcome) override;
    void write(JsonWriter& out) override;

    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override;
    [[nodiscard]] bool wants_memory() const noexcept override { return options_.with_memory; }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;

private:
    [[nodiscard]] bool is_full() const noexcept {
        return options_.limit != 0 && std::cmp_greater(size_, options_.limit);
    }
    void append(const vm::TraceStep& step, const std::string& error);
    void append_storage(const vm::TraceStep& step);

    const StructLoggerOptions options_;
    std::string steps_;  // JSON, with commas between
    std::size_t size_ = 0;
    /// Slots that each contract has read or written, and their values.
    std::unordered_map<Address, std::map<Uint256, Uint256>, AddressHasher> storage_;

    // Of the transaction.
    std::uint64_t gas_used_ = 0;
    bool has_failed_ = false;
    Bytes output_;
};

}  // namespace heddle::node
