// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Watching execution step by step, for EIP-3155 traces and debuggers. The plain interpreter calls
// it; a tracer changes nothing but can end the transaction. What is not watched costs nothing.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/receipt.hpp>
#include <types/revision.hpp>
#include <types/uint256.hpp>

#include <vm/status.hpp>

namespace heddle::vm {

/// Opcodes by their byte.
using OpcodeSet = std::bitset<256>;

/// The machine just before an instruction. Valid only during the call.
struct TraceStep {
    std::uint32_t pc = 0;
    std::uint8_t opcode = 0;
    std::uint8_t immediate = 0;  // the byte behind DUPN, SWAPN or EXCHANGE (EIP-8024)
    Revision revision = kLatestRevision;
    std::int64_t gas_left = 0;
    /// Static and dynamic cost, as far as it could be computed. Without state gas (EIP-8037), also
    /// where gas for execution paid it.
    std::int64_t gas_cost = 0;
    std::int64_t gas_refund = 0;     // of the transaction so far
    std::uint32_t depth = 1;         // outermost: 1
    std::uint64_t memory_size = 0;   // bytes
    std::span<const Uint256> stack;  // bottom first
    BytesView memory;                // empty but for steps_with_memory()
    BytesView return_data;
    Address address;         // account whose context it is
    int stack_required = 0;  // operands that the instruction takes
    int stack_change = 0;    // by how many words the stack grows
    Uint256 loaded;          // SLOAD: what the slot holds
    /// A call that could not be paid: whether its account, memory or value could not be already,
    /// before it was known what it passes on.
    bool ends_at_parts = false;
    /// CREATE, CREATE2: the address, also where nothing comes to be there. nullopt: it was never
    /// asked for, as the instruction's own price could not be paid.
    std::optional<Address> created;
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
    Revision revision = kLatestRevision;
    Address from;
    /// Creations: the address of the new contract. Self-destructions: who gets the balance.
    Address to;
    Uint256 value;  // wei; self-destructions: the balance
    std::int64_t gas = 0;
    BytesView input;
    std::uint32_t depth = 0;  // outermost: 0
    /// Whose code runs where `to`'s own, as it is now, delegates (EIP-7702).
    std::optional<Address> delegate;
};

/// Thread safety: none; called by the thread that executes.
class Tracer {
public:
    virtual ~Tracer() = default;
    /// Instructions whose steps it wants; asked often. A step that fails is reported in any case;
    /// where it was not wanted, without the memory, and operands may be changed.
    [[nodiscard]] virtual const OpcodeSet& wanted_steps() const noexcept {
        static const OpcodeSet all = OpcodeSet{}.set();
        return all;
    }
    /// Whether the transaction is to end: asked at every call, after every reported step and now
    /// and then in between. Its outcome is Status::aborted.
    [[nodiscard]] virtual bool wants_abort() const noexcept { return false; }
    /// Whether steps carry the memory's content; copying it at every step is dear.
    [[nodiscard]] virtual bool wants_memory() const noexcept { return false; }
    /// The wanted steps that carry it. Asked once a call.
    [[nodiscard]] virtual const OpcodeSet& steps_with_memory() const noexcept {
        static const OpcodeSet all = OpcodeSet{}.set();
        static const OpcodeSet none;
        return wants_memory() ? all : none;
    }
    /// Before each instruction. `failure`: success unless the instruction halts exceptionally at
    /// once (its cost cannot be paid, the stack does not fit, …).
    virtual void on_step(const TraceStep& step, Status failure) noexcept = 0;
    /// A message call or creation starts; precompiles too, and those that are refused at once. A
    /// self-destruction is told as a call that ends at once.
    virtual void on_enter(const TraceCall&) noexcept {}
    /// It ends. `output`: returned data, revert data or deployed code; also code that could not be
    /// deployed.
    virtual void on_exit(Status, std::int64_t /*gas_used*/, BytesView /*output*/) noexcept {}
    /// The creation that ends next leaves no code, as keeping it could not be paid: no failure in
    /// Frontier.
    virtual void on_unpaid_code() noexcept {}
    /// A log was added. `index`: among those of the transaction that have not been undone.
    virtual void on_log(const Log&, std::size_t /*index*/) noexcept {}
};

}  // namespace heddle::vm
