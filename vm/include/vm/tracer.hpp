// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Watching execution step by step, for EIP-3155 traces and debuggers. The plain interpreter calls
// it; a tracer changes nothing.
#pragma once

#include <cstdint>
#include <span>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/uint256.hpp>

#include <vm/status.hpp>

namespace heddle::vm {

/// The machine just before an instruction. Valid only during the call.
struct TraceStep {
    std::uint32_t pc = 0;
    std::uint8_t opcode = 0;
    std::int64_t gas_left = 0;
    std::int64_t gas_cost = 0;       // static and dynamic cost, as far as it could be computed
    std::int64_t gas_refund = 0;     // of the transaction so far
    std::uint32_t depth = 1;         // outermost: 1
    std::uint64_t memory_size = 0;   // bytes
    std::span<const Uint256> stack;  // bottom first
    BytesView memory;                // empty unless wants_memory()
    BytesView return_data;
    Address address;  // account whose context it is
};

struct TraceCall {
    enum class Kind : std::uint8_t {
        call,
        call_code,
        delegate_call,
        static_call,
        create,
        create2,
        self_destruct
    };
    Kind kind = Kind::call;
    Address from;
    Address to;
    Uint256 value;
    std::int64_t gas = 0;
    BytesView input;
    std::uint32_t depth = 0;  // outermost: 0
};

class Tracer {
public:
    virtual ~Tracer() = default;
    /// Whether steps carry the memory's content; copying it at every step is dear. Asked once a
    /// call.
    [[nodiscard]] virtual bool wants_memory() const noexcept { return false; }
    /// Before each instruction. `failure`: success unless the instruction halts exceptionally at
    /// once (its cost cannot be paid, the stack does not fit, …).
    virtual void on_step(const TraceStep& step, Status failure) noexcept = 0;
    /// A message call or creation starts; precompiles too.
    virtual void on_enter(const TraceCall&) noexcept {}
    /// It ends. `output`: returned data, revert data or deployed code.
    virtual void on_exit(Status, std::int64_t /*gas_used*/, BytesView /*output*/) noexcept {}
};

}  // namespace heddle::vm
