// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Execution steps as lines of JSON (EIP-3155), in the shape of geth's tools.
#pragma once

#include <string>

#include <vm/tracer.hpp>

#include "tracing/failure_texts.hpp"

namespace heddle::node {

struct JsonTracerOptions {
    bool with_memory = false;
    bool with_return_data = false;
    bool with_stack = true;
    /// A line for the start of each call, too; its input where there is memory.
    bool with_call_frames = false;
};

/// Appends one line for each instruction and one for the end of each call to a buffer.
class JsonTracer final : public vm::Tracer {
public:
    explicit JsonTracer(JsonTracerOptions options) : options_(options) {}

    [[nodiscard]] bool wants_memory() const noexcept override { return options_.with_memory; }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;
    void on_enter(const vm::TraceCall& call) noexcept override;
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override;
    void on_unpaid_code() noexcept override { is_code_unpaid_ = true; }

    /// What has been traced so far; the caller may take it.
    [[nodiscard]] std::string& text() noexcept { return text_; }

private:
    void write_step(const vm::TraceStep& step, const std::string& error);
    /// The step once more, with the machine as it is where its execution fails.
    void write_failed(const vm::TraceStep& step, vm::Status failure);

    const JsonTracerOptions options_;
    std::string text_;
    FailureTexts failures_;
    bool is_code_unpaid_ = false;  // of the creation that ends next
};

/// Name of an instruction, or `opcode 0x.. not defined`. Whether it exists at a revision does not
/// matter.
[[nodiscard]] std::string opcode_name(std::uint8_t opcode);

}  // namespace heddle::node
