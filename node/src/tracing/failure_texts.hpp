// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Why instructions and calls failed, in geth's words: tools compare and translate them.
#pragma once

#include <cstdint>
#include <string>

#include <types/bytes.hpp>
#include <types/revision.hpp>

#include <vm/status.hpp>
#include <vm/tracer.hpp>

namespace heddle::node {

/// Whether the failure is found before the instruction is carried out. Others are not the step's:
/// geth has told of it already when it finds them.
[[nodiscard]] bool is_found_before(const vm::TraceStep& step, vm::Status failure) noexcept;
/// How much memory there is once the step has been carried out, in bytes: never less than before.
/// The memory that it asks for has been paid.
[[nodiscard]] std::uint64_t memory_size_after(const vm::TraceStep& step) noexcept;

/// Why the step failed, e.g. "stack underflow (1 <=> 2)".
[[nodiscard]] std::string failure_text(const vm::TraceStep& step, vm::Status failure);

/// Follows a trace and knows, at the end of each call, why it failed.
class FailureTexts {
public:
    void on_step(const vm::TraceStep& step, vm::Status failure);
    void on_enter(const vm::TraceCall& call);
    /// Empty: it succeeded.
    [[nodiscard]] std::string on_exit(vm::Status status, BytesView output);

private:
    std::string step_;  // of the step that has just failed
    Revision revision_ = kLatestRevision;
    // The precompiled contract that was called last, should it fail; 0: none was.
    std::uint32_t precompile_ = 0;
    Bytes precompile_input_;
};

}  // namespace heddle::node
