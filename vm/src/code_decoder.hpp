// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns a passage of bytecode into the fast interpreter's instructions: basic blocks with their
// needs summed up, static jumps resolved, common sequences fused.
#pragma once

#include <cstdint>

#include "code.hpp"
#include "fixed_buffer.hpp"
#include "handlers.hpp"
#include "passage.hpp"

namespace heddle::vm {

/// A basic block ends behind every instruction that moves the program counter, looks at the gas
/// left (SSTORE, calls, creations) or reads the world: there the gas charged so far is exact, and a
/// block that cannot be paid for reads nothing. GAS ends none: it knows what of its block is still
/// to come. Constants are folded (masks are often written as PUSH1 1 PUSH1 160 SHL …), what
/// compilers emit together becomes one instruction, and what undoes itself none. Gas and stack use
/// are those of the opcodes written.
///
/// A passage begins with a block. It ends with an instruction behind which nothing is executed; or
/// before a JUMPDEST or after kPassageOpcodes, with a link to what follows (`jump_static`); or with
/// a JUMPI, which has a link behind it to where it goes if it does not jump. JUMPDESTs in a row
/// become one block that leads to the last of them, which alone begins what follows, so that no
/// byte is decoded in two passages.
///
/// For one passage, then it is spent.
class CodeDecoder {
public:
    /// @param arena  Where the passage is put.
    CodeDecoder(const Code& code, const GasSchedule& schedule, SharedArena& arena);
    /// Complexity: linear in the passage, which is bounded.
    /// @param pc  Where control may enter, or beyond the end of the code.
    [[nodiscard]] Passage* decode(std::size_t pc);

private:
    [[nodiscard]] std::uint8_t opcode_at(std::size_t pc) const noexcept;
    [[nodiscard]] std::size_t next_pc(std::size_t pc) const noexcept;
    /// Whether the opcode at `pc` is there and defined.
    [[nodiscard]] bool has_opcode(std::size_t pc) const noexcept;
    [[nodiscard]] Uint256 push_value(std::size_t pc) const noexcept;
    [[nodiscard]] bool is_jump_destination(const Uint256& pc) const noexcept;

    void begin_block();
    void end_block();
    /// Adds the opcode's static gas and stack use to the open block.
    void account(std::uint8_t opcode);
    void account(std::uint8_t opcode, std::int32_t stack_required);
    Instruction& emit(HandlerId handler, std::uint64_t immediate = 0);
    void emit_wide(HandlerId handler, const Uint256& constant);
    void emit_gas_reader();

    /// Decodes the JUMPDEST at `pc`; returns where to go on.
    [[nodiscard]] std::size_t decode_entry(std::size_t pc);
    /// Decodes what stands at `pc`; returns where to go on.
    [[nodiscard]] std::size_t decode_next(std::size_t pc);
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
    [[nodiscard]] std::size_t drop_pair(std::size_t pc);

    // Constants pushed but not emitted yet: they may be folded, or join the opcode that uses them.
    [[nodiscard]] std::size_t decode_with_constants(std::size_t pc);
    [[nodiscard]] bool fold_constants(std::uint8_t opcode);
    void flush_constants(std::size_t keep = 0);

    /// An instruction that leads to another passage.
    void emit_link(HandlerId handler, std::size_t pc);
    /// JUMP or JUMPI whose destination is known.
    void emit_static_jump(HandlerId handler, const Uint256& destination);
    /// Ends block and passage with a JUMPI that has been emitted.
    void end_with_jumpi(std::size_t next_pc);
    [[nodiscard]] Passage* finish();

    // One step decodes at most this many opcodes (POP in a row), so that this many more than
    // kPassageOpcodes are decoded. An opcode makes at most one instruction and begins at most one
    // block.
    static constexpr std::size_t kStepOpcodes = 16;
    static constexpr std::size_t kMaxOpcodes = kPassageOpcodes + kStepOpcodes;
    static constexpr std::size_t kMaxLinks = 2;

    const Code& code_;
    const GasSchedule& schedule_;
    SharedArena& arena_;
    const Handler* handlers_;
    std::size_t size_;
    std::size_t opcodes_ = 0;  // decoded
    bool has_ended_ = false;

    // The open block.
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t block_ = kNone;  // index of its begin_block
    std::uint64_t gas_ = 0;
    std::int32_t height_ = 0;  // relative to the height at entry
    std::int32_t required_ = 0;
    std::int32_t growth_ = 0;
    /// Instructions whose operand is still what the block has used up to them.
    FixedBuffer<std::uint32_t, kMaxOpcodes> gas_readers_;

    FixedBuffer<Instruction, 2 * kMaxOpcodes + kMaxLinks + 2> instructions_;
    FixedBuffer<Uint256, kMaxOpcodes> pending_;  // constants on top of the stack, not emitted yet
    FixedBuffer<Uint256, kMaxOpcodes> constants_;
    /// Instructions whose operand is still the index of a constant.
    FixedBuffer<std::uint32_t, kMaxOpcodes> constant_users_;
    struct Link {
        std::size_t instruction;
        std::size_t pc;
    };
    FixedBuffer<Link, kMaxLinks> links_;
};

}  // namespace heddle::vm
