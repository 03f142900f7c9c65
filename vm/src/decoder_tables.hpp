// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which handler the decoder chooses for which opcode, alone or behind a constant, a DUP, a
// comparison or another opcode. Facts only; the matching is code_decoder.cpp's.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include <vm/opcode.hpp>

#include "handlers.hpp"

namespace heddle::vm {

inline constexpr HandlerId kNoHandler = HandlerId::count_;

constexpr HandlerId operator+(HandlerId id, unsigned offset) {
    return static_cast<HandlerId>(static_cast<unsigned>(id) + offset);
}

/// Handler of each opcode that has one of its own; pushes and jumps are decoded by hand.
constexpr std::array<HandlerId, 256> make_opcode_handlers() {
    using enum HandlerId;
    std::array<HandlerId, 256> t{};
    t.fill(invalid);
    const auto set_run = [&](unsigned first_opcode, HandlerId first, unsigned count) {
        for (unsigned i = 0; i < count; ++i)
            t[first_opcode + i] = first + i;
    };
    t[OP_STOP] = stop;
    set_run(OP_ADD, add, 11);  // ADD … SIGNEXTEND
    set_run(OP_LT, lt, 15);    // LT … CLZ
    t[OP_KECCAK256] = keccak;
    set_run(OP_ADDRESS, address, 28);  // ADDRESS … SLOTNUM
    set_run(OP_POP, pop, 6);           // POP … SSTORE
    t[OP_MSIZE] = msize;
    set_run(OP_TLOAD, tload, 3);  // TLOAD, TSTORE, MCOPY
    set_run(OP_DUP1, dup1, 32);   // DUP1 … SWAP16
    set_run(OP_LOG0, log0, 5);
    set_run(OP_CREATE, create, 6);  // CREATE … CREATE2
    t[OP_STATICCALL] = staticcall;
    t[OP_REVERT] = revert;
    t[OP_SELFDESTRUCT] = selfdestruct;
    return t;
}
inline constexpr std::array<HandlerId, 256> kOpcodeHandlers = make_opcode_handlers();

using HandlerTable = std::array<HandlerId, 256>;
struct OpcodeHandler {
    std::uint8_t opcode;
    HandlerId handler;
};
constexpr HandlerTable make_table(std::initializer_list<OpcodeHandler> entries) {
    HandlerTable table{};
    table.fill(kNoHandler);
    for (const OpcodeHandler& entry : entries)
        table[entry.opcode] = entry.handler;
    return table;
}

constexpr std::uint8_t dup_opcode(unsigned n) {
    return static_cast<std::uint8_t>(OP_DUP1 + n - 1);
}
constexpr std::uint8_t swap_opcode(unsigned n) {
    return static_cast<std::uint8_t>(OP_SWAP1 + n - 1);
}

// By the opcode that takes the constant.
inline constexpr HandlerTable kConstantHandlers = make_table({
    {OP_ADD, HandlerId::const_add},
    {OP_SUB, HandlerId::const_sub},
    {OP_MUL, HandlerId::const_mul},
    {OP_DIV, HandlerId::const_div},
    {OP_MOD, HandlerId::const_mod},
    {OP_AND, HandlerId::const_and},
    {OP_OR, HandlerId::const_or},
    {OP_XOR, HandlerId::const_xor},
    {OP_LT, HandlerId::const_lt},
    {OP_GT, HandlerId::const_gt},
    {OP_EQ, HandlerId::const_eq},
    {OP_SHL, HandlerId::const_shl},
    {OP_SHR, HandlerId::const_shr},
    {OP_SAR, HandlerId::const_sar},
    {OP_BYTE, HandlerId::const_byte},
    {OP_SIGNEXTEND, HandlerId::const_signextend},
    {OP_MLOAD, HandlerId::const_mload},
    {OP_MSTORE, HandlerId::const_mstore},
    {OP_CALLDATALOAD, HandlerId::const_calldataload},
    {dup_opcode(1), HandlerId::const_dup1},
    {dup_opcode(2), HandlerId::const_dup2},
    {dup_opcode(3), HandlerId::const_dup3},
    {dup_opcode(4), HandlerId::const_dup4},
    {dup_opcode(5), HandlerId::const_dup5},
    {dup_opcode(6), HandlerId::const_dup6},
    {dup_opcode(7), HandlerId::const_dup7},
    {dup_opcode(8), HandlerId::const_dup8},
    {swap_opcode(1), HandlerId::const_swap1},
    {swap_opcode(2), HandlerId::const_swap2},
    {swap_opcode(3), HandlerId::const_swap3},
});
inline constexpr HandlerTable kWideConstantHandlers = make_table({
    {OP_AND, HandlerId::wide_and},
    {OP_OR, HandlerId::wide_or},
    {OP_XOR, HandlerId::wide_xor},
    {OP_ADD, HandlerId::wide_add},
    {OP_MUL, HandlerId::wide_mul},
    {OP_DIV, HandlerId::wide_div},
    {OP_EQ, HandlerId::wide_eq},
    {dup_opcode(2), HandlerId::wide_dup2},
    {dup_opcode(3), HandlerId::wide_dup3},
});
// By the opcode behind the DUP.
inline constexpr HandlerTable kDupHandlers = make_table({
    {OP_ADD, HandlerId::dup_add},
    {OP_SUB, HandlerId::dup_sub},
    {OP_MUL, HandlerId::dup_mul},
    {OP_DIV, HandlerId::dup_div},
    {OP_SDIV, HandlerId::dup_sdiv},
    {OP_AND, HandlerId::dup_and},
    {OP_OR, HandlerId::dup_or},
    {OP_XOR, HandlerId::dup_xor},
    {OP_LT, HandlerId::dup_lt},
    {OP_GT, HandlerId::dup_gt},
    {OP_SLT, HandlerId::dup_slt},
    {OP_SGT, HandlerId::dup_sgt},
    {OP_EQ, HandlerId::dup_eq},
    {OP_ISZERO, HandlerId::dup_iszero},
    {OP_SHL, HandlerId::dup_shl},
    {OP_SHR, HandlerId::dup_shr},
    {OP_MLOAD, HandlerId::dup_mload},
    {OP_MSTORE, HandlerId::dup_mstore},
    {OP_MULMOD, HandlerId::dup_mulmod},
    {OP_ADDMOD, HandlerId::dup_addmod},
    {dup_opcode(1), HandlerId::dup_dup1},
    {dup_opcode(2), HandlerId::dup_dup2},
    {dup_opcode(3), HandlerId::dup_dup3},
    {dup_opcode(4), HandlerId::dup_dup4},
    {dup_opcode(5), HandlerId::dup_dup5},
    {dup_opcode(6), HandlerId::dup_dup6},
    {swap_opcode(1), HandlerId::dup_swap1},
    {swap_opcode(2), HandlerId::dup_swap2},
});
inline constexpr HandlerTable kCompareHandlers = make_table({
    {OP_LT, HandlerId::lt_jumpi},
    {OP_GT, HandlerId::gt_jumpi},
    {OP_SLT, HandlerId::slt_jumpi},
    {OP_SGT, HandlerId::sgt_jumpi},
    {OP_EQ, HandlerId::eq_jumpi},
    {OP_ISZERO, HandlerId::jumpi_zero_static},
});
inline constexpr HandlerTable kNegatedCompareHandlers = make_table({
    {OP_LT, HandlerId::lt_zero_jumpi},
    {OP_GT, HandlerId::gt_zero_jumpi},
    {OP_SLT, HandlerId::slt_zero_jumpi},
    {OP_SGT, HandlerId::sgt_zero_jumpi},
    {OP_EQ, HandlerId::eq_zero_jumpi},
    {OP_ISZERO, HandlerId::jumpi_static},
});

struct Pair {
    std::uint8_t first;
    std::uint8_t second;
    HandlerId handler;
};
inline constexpr Pair kPairs[] = {
    {OP_ADD, swap_opcode(1), HandlerId::add_swap1},
    {OP_ADD, OP_MLOAD, HandlerId::add_mload},
    {OP_ADD, OP_ADD, HandlerId::add_add},
    {OP_AND, OP_OR, HandlerId::and_or},
    {OP_AND, dup_opcode(1), HandlerId::and_dup1},
    {OP_DIV, OP_AND, HandlerId::div_and},
    {OP_SHR, OP_AND, HandlerId::shr_and},
    {swap_opcode(1), dup_opcode(2), HandlerId::swap1_dup2},
    {swap_opcode(1), OP_SUB, HandlerId::swap1_sub},
    {swap_opcode(1), OP_DIV, HandlerId::swap1_div},
    {swap_opcode(1), swap_opcode(2), HandlerId::swap1_swap2},
    {swap_opcode(2), swap_opcode(1), HandlerId::swap2_swap1},
    {OP_POP, dup_opcode(1), HandlerId::pop_dup1},
    {OP_POP, dup_opcode(2), HandlerId::pop_dup2},
    {OP_POP, swap_opcode(1), HandlerId::pop_swap1},
};

}  // namespace heddle::vm
