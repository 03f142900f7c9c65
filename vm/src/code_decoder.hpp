// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns bytecode into the fast interpreter's instructions: basic blocks with their needs summed up,
// static jumps resolved, common sequences fused.
#pragma once

#include <cstdint>
#include <vector>

#include "code.hpp"
#include "handlers.hpp"

namespace heddle::vm {

/// A basic block ends behind every instruction that moves the program counter, looks at the gas
/// left (GAS, SSTORE, calls, creations) or reads the world: there the gas charged so far is exact,
/// and a block that cannot be paid for reads nothing. Constants are folded (masks are often written
/// as PUSH1 1 PUSH1 160 SHL …), and what compilers emit together becomes one instruction. Gas and
/// stack use are those of the opcodes written. Complexity: linear in the code, one pass and one
/// over the operands that are addresses.
class CodeDecoder {
public:
    CodeDecoder(Code& code, const GasSchedule& schedule);
    void run();

private:
    [[nodiscard]] std::uint8_t opcode_at(std::size_t pc) const noexcept;
    [[nodiscard]] std::size_t next_pc(std::size_t pc) const noexcept;
    /// Whether the opcode at `pc` is there and defined.
    [[nodiscard]] bool has_opcode(std::size_t pc) const noexcept;
    [[nodiscard]] std::size_t next_jump_destination(std::size_t pc) const noexcept;
    [[nodiscard]] Uint256 push_value(std::size_t pc) const noexcept;
    [[nodiscard]] bool is_jump_destination(const Uint256& pc) const noexcept;

    void begin_block();
    void end_block();
    /// Adds the opcode's static gas and stack use to the open block.
    void account(std::uint8_t opcode);
    void account(std::uint8_t opcode, std::int32_t stack_required);
    Instruction& emit(HandlerId handler, std::uint64_t immediate = 0);
    void emit_wide(HandlerId handler, const Uint256& constant);

    /// Decodes what stands at `pc`; returns where to go on.
    [[nodiscard]] std::size_t decode(std::size_t pc);
    [[nodiscard]] std::size_t decode_opcode(std::size_t pc);
    /// DUPN, SWAPN, EXCHANGE.
    [[nodiscard]] std::size_t decode_deep(std::size_t pc);
    /// What halts the frame whatever is on the stack.
    [[nodiscard]] std::size_t decode_invalid(std::size_t pc);

    // Each tries to decode several opcodes at `pc` as one instruction; returns where to go on, or
    // `pc` when they do not match.
    [[nodiscard]] std::size_t fuse(std::size_t pc);
    [[nodiscard]] std::size_t fuse_selector(std::size_t pc);
    [[nodiscard]] std::size_t fuse_compare_and_jump(std::size_t pc);
    [[nodiscard]] std::size_t fuse_pops(std::size_t pc);
    [[nodiscard]] std::size_t fuse_pair(std::size_t pc);

    // Constants pushed but not emitted yet: they may be folded, or join the opcode that uses them.
    [[nodiscard]] std::size_t decode_with_constants(std::size_t pc);
    [[nodiscard]] bool fold_constants(std::uint8_t opcode);
    void flush_constants(std::size_t keep = 0);

    /// JUMP or JUMPI whose destination is known.
    void emit_static_jump(HandlerId handler, const Uint256& destination);
    void patch_operands();

    Code& code_;
    const GasSchedule& schedule_;
    const Handler* handlers_;
    std::size_t size_;

    // The open block.
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t block_ = kNone;  // index of its begin_block
    std::uint64_t gas_ = 0;
    std::int32_t height_ = 0;  // relative to the height at entry
    std::int32_t required_ = 0;
    std::int32_t growth_ = 0;

    std::vector<Uint256> pending_;  // constants on top of the stack, not emitted yet
    std::vector<Uint256> constants_;
    /// Instructions whose operand is still an index: of a constant, or of a jump's destination pc.
    std::vector<std::uint32_t> constant_users_;
    std::vector<std::uint32_t> jumps_;
};

}  // namespace heddle::vm
