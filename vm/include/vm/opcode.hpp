// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The instruction set (YP App. H.2): what is true of an instruction in every revision that has it,
// a row each. What it costs, and since when it exists, is the gas schedule's business.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::vm {

/// How an instruction ends a basic block. `exact`: behind it, for it moves the program counter,
/// looks at the gas left (SSTORE, calls, creations) or reads the world, and there the gas
/// charged so far must be exact. `terminal`: as well, and what follows is not reached from it.
enum class OpcodeFlow : std::uint8_t { straight, exact, terminal };

// clang-format off: a row each
// X(number, mnemonic, immediate bytes, operands required, change of the stack's height, flow)
#define HEDDLE_OPCODES(X) \
    X(0x00, STOP, 0, 0, 0, terminal) \
    X(0x01, ADD, 0, 2, -1, straight) \
    X(0x02, MUL, 0, 2, -1, straight) \
    X(0x03, SUB, 0, 2, -1, straight) \
    X(0x04, DIV, 0, 2, -1, straight) \
    X(0x05, SDIV, 0, 2, -1, straight) \
    X(0x06, MOD, 0, 2, -1, straight) \
    X(0x07, SMOD, 0, 2, -1, straight) \
    X(0x08, ADDMOD, 0, 3, -2, straight) \
    X(0x09, MULMOD, 0, 3, -2, straight) \
    X(0x0a, EXP, 0, 2, -1, straight) \
    X(0x0b, SIGNEXTEND, 0, 2, -1, straight) \
    X(0x10, LT, 0, 2, -1, straight) \
    X(0x11, GT, 0, 2, -1, straight) \
    X(0x12, SLT, 0, 2, -1, straight) \
    X(0x13, SGT, 0, 2, -1, straight) \
    X(0x14, EQ, 0, 2, -1, straight) \
    X(0x15, ISZERO, 0, 1, 0, straight) \
    X(0x16, AND, 0, 2, -1, straight) \
    X(0x17, OR, 0, 2, -1, straight) \
    X(0x18, XOR, 0, 2, -1, straight) \
    X(0x19, NOT, 0, 1, 0, straight) \
    X(0x1a, BYTE, 0, 2, -1, straight) \
    X(0x1b, SHL, 0, 2, -1, straight) \
    X(0x1c, SHR, 0, 2, -1, straight) \
    X(0x1d, SAR, 0, 2, -1, straight) \
    X(0x1e, CLZ, 0, 1, 0, straight) \
    X(0x20, KECCAK256, 0, 2, -1, straight) \
    X(0x30, ADDRESS, 0, 0, 1, straight) \
    X(0x31, BALANCE, 0, 1, 0, exact) \
    X(0x32, ORIGIN, 0, 0, 1, straight) \
    X(0x33, CALLER, 0, 0, 1, straight) \
    X(0x34, CALLVALUE, 0, 0, 1, straight) \
    X(0x35, CALLDATALOAD, 0, 1, 0, straight) \
    X(0x36, CALLDATASIZE, 0, 0, 1, straight) \
    X(0x37, CALLDATACOPY, 0, 3, -3, straight) \
    X(0x38, CODESIZE, 0, 0, 1, straight) \
    X(0x39, CODECOPY, 0, 3, -3, straight) \
    X(0x3a, GASPRICE, 0, 0, 1, straight) \
    X(0x3b, EXTCODESIZE, 0, 1, 0, exact) \
    X(0x3c, EXTCODECOPY, 0, 4, -4, exact) \
    X(0x3d, RETURNDATASIZE, 0, 0, 1, straight) \
    X(0x3e, RETURNDATACOPY, 0, 3, -3, straight) \
    X(0x3f, EXTCODEHASH, 0, 1, 0, exact) \
    X(0x40, BLOCKHASH, 0, 1, 0, straight) \
    X(0x41, COINBASE, 0, 0, 1, straight) \
    X(0x42, TIMESTAMP, 0, 0, 1, straight) \
    X(0x43, NUMBER, 0, 0, 1, straight) \
    X(0x44, DIFFICULTY, 0, 0, 1, straight) \
    X(0x45, GASLIMIT, 0, 0, 1, straight) \
    X(0x46, CHAINID, 0, 0, 1, straight) \
    X(0x47, SELFBALANCE, 0, 0, 1, exact) \
    X(0x48, BASEFEE, 0, 0, 1, straight) \
    X(0x49, BLOBHASH, 0, 1, 0, straight) \
    X(0x4a, BLOBBASEFEE, 0, 0, 1, straight) \
    X(0x4b, SLOTNUM, 0, 0, 1, straight) \
    X(0x50, POP, 0, 1, -1, straight) \
    X(0x51, MLOAD, 0, 1, 0, straight) \
    X(0x52, MSTORE, 0, 2, -2, straight) \
    X(0x53, MSTORE8, 0, 2, -2, straight) \
    X(0x54, SLOAD, 0, 1, 0, exact) \
    X(0x55, SSTORE, 0, 2, -2, exact) \
    X(0x56, JUMP, 0, 1, -1, terminal) \
    X(0x57, JUMPI, 0, 2, -2, exact) \
    X(0x58, PC, 0, 0, 1, straight) \
    X(0x59, MSIZE, 0, 0, 1, straight) \
    X(0x5a, GAS, 0, 0, 1, straight) \
    X(0x5b, JUMPDEST, 0, 0, 0, straight) \
    X(0x5c, TLOAD, 0, 1, 0, straight) \
    X(0x5d, TSTORE, 0, 2, -2, straight) \
    X(0x5e, MCOPY, 0, 3, -3, straight) \
    X(0x5f, PUSH0, 0, 0, 1, straight) \
    X(0x60, PUSH1, 1, 0, 1, straight) \
    X(0x61, PUSH2, 2, 0, 1, straight) \
    X(0x62, PUSH3, 3, 0, 1, straight) \
    X(0x63, PUSH4, 4, 0, 1, straight) \
    X(0x64, PUSH5, 5, 0, 1, straight) \
    X(0x65, PUSH6, 6, 0, 1, straight) \
    X(0x66, PUSH7, 7, 0, 1, straight) \
    X(0x67, PUSH8, 8, 0, 1, straight) \
    X(0x68, PUSH9, 9, 0, 1, straight) \
    X(0x69, PUSH10, 10, 0, 1, straight) \
    X(0x6a, PUSH11, 11, 0, 1, straight) \
    X(0x6b, PUSH12, 12, 0, 1, straight) \
    X(0x6c, PUSH13, 13, 0, 1, straight) \
    X(0x6d, PUSH14, 14, 0, 1, straight) \
    X(0x6e, PUSH15, 15, 0, 1, straight) \
    X(0x6f, PUSH16, 16, 0, 1, straight) \
    X(0x70, PUSH17, 17, 0, 1, straight) \
    X(0x71, PUSH18, 18, 0, 1, straight) \
    X(0x72, PUSH19, 19, 0, 1, straight) \
    X(0x73, PUSH20, 20, 0, 1, straight) \
    X(0x74, PUSH21, 21, 0, 1, straight) \
    X(0x75, PUSH22, 22, 0, 1, straight) \
    X(0x76, PUSH23, 23, 0, 1, straight) \
    X(0x77, PUSH24, 24, 0, 1, straight) \
    X(0x78, PUSH25, 25, 0, 1, straight) \
    X(0x79, PUSH26, 26, 0, 1, straight) \
    X(0x7a, PUSH27, 27, 0, 1, straight) \
    X(0x7b, PUSH28, 28, 0, 1, straight) \
    X(0x7c, PUSH29, 29, 0, 1, straight) \
    X(0x7d, PUSH30, 30, 0, 1, straight) \
    X(0x7e, PUSH31, 31, 0, 1, straight) \
    X(0x7f, PUSH32, 32, 0, 1, straight) \
    X(0x80, DUP1, 0, 1, 1, straight) \
    X(0x81, DUP2, 0, 2, 1, straight) \
    X(0x82, DUP3, 0, 3, 1, straight) \
    X(0x83, DUP4, 0, 4, 1, straight) \
    X(0x84, DUP5, 0, 5, 1, straight) \
    X(0x85, DUP6, 0, 6, 1, straight) \
    X(0x86, DUP7, 0, 7, 1, straight) \
    X(0x87, DUP8, 0, 8, 1, straight) \
    X(0x88, DUP9, 0, 9, 1, straight) \
    X(0x89, DUP10, 0, 10, 1, straight) \
    X(0x8a, DUP11, 0, 11, 1, straight) \
    X(0x8b, DUP12, 0, 12, 1, straight) \
    X(0x8c, DUP13, 0, 13, 1, straight) \
    X(0x8d, DUP14, 0, 14, 1, straight) \
    X(0x8e, DUP15, 0, 15, 1, straight) \
    X(0x8f, DUP16, 0, 16, 1, straight) \
    X(0x90, SWAP1, 0, 2, 0, straight) \
    X(0x91, SWAP2, 0, 3, 0, straight) \
    X(0x92, SWAP3, 0, 4, 0, straight) \
    X(0x93, SWAP4, 0, 5, 0, straight) \
    X(0x94, SWAP5, 0, 6, 0, straight) \
    X(0x95, SWAP6, 0, 7, 0, straight) \
    X(0x96, SWAP7, 0, 8, 0, straight) \
    X(0x97, SWAP8, 0, 9, 0, straight) \
    X(0x98, SWAP9, 0, 10, 0, straight) \
    X(0x99, SWAP10, 0, 11, 0, straight) \
    X(0x9a, SWAP11, 0, 12, 0, straight) \
    X(0x9b, SWAP12, 0, 13, 0, straight) \
    X(0x9c, SWAP13, 0, 14, 0, straight) \
    X(0x9d, SWAP14, 0, 15, 0, straight) \
    X(0x9e, SWAP15, 0, 16, 0, straight) \
    X(0x9f, SWAP16, 0, 17, 0, straight) \
    X(0xa0, LOG0, 0, 2, -2, straight) \
    X(0xa1, LOG1, 0, 3, -3, straight) \
    X(0xa2, LOG2, 0, 4, -4, straight) \
    X(0xa3, LOG3, 0, 5, -5, straight) \
    X(0xa4, LOG4, 0, 6, -6, straight) \
    X(0xe6, DUPN, 0, 0, 1, straight) \
    X(0xe7, SWAPN, 0, 0, 0, straight) \
    X(0xe8, EXCHANGE, 0, 0, 0, straight) \
    X(0xf0, CREATE, 0, 3, -2, exact) \
    X(0xf1, CALL, 0, 7, -6, exact) \
    X(0xf2, CALLCODE, 0, 7, -6, exact) \
    X(0xf3, RETURN, 0, 2, -2, terminal) \
    X(0xf4, DELEGATECALL, 0, 6, -5, exact) \
    X(0xf5, CREATE2, 0, 4, -3, exact) \
    X(0xfa, STATICCALL, 0, 6, -5, exact) \
    X(0xfd, REVERT, 0, 2, -2, terminal) \
    X(0xfe, INVALID, 0, 0, 0, terminal) \
    X(0xff, SELFDESTRUCT, 0, 1, -1, terminal)

enum Opcode : std::uint8_t {
#define HEDDLE_ENUMERATE(number, mnemonic, ...) OP_##mnemonic = number,
    HEDDLE_OPCODES(HEDDLE_ENUMERATE)
#undef HEDDLE_ENUMERATE
    OP_PREVRANDAO = OP_DIFFICULTY,  // EIP-4399; tracers keep to the old name
};
// clang-format on

/// One row. Instructions that no revision has are without a mnemonic.
struct OpcodeFacts {
    std::string_view mnemonic;
    /// That the search for jump destinations skips. The byte behind DUPN, SWAPN and EXCHANGE is not
    /// skipped, and what they take from the stack depends on it (deep_operands()).
    std::uint8_t immediate_bytes = 0;
    std::int8_t stack_required = 0;  // words
    std::int8_t stack_change = 0;    // words
    OpcodeFlow flow = OpcodeFlow::straight;
};

/// By number.
inline constexpr std::array<OpcodeFacts, 256> kOpcodes = [] {
    std::array<OpcodeFacts, 256> facts{};
#define HEDDLE_FILL(number, mnemonic, immediate, required, change, flow) \
    facts[number] = {#mnemonic, immediate, required, change, OpcodeFlow::flow};
    HEDDLE_OPCODES(HEDDLE_FILL)
#undef HEDDLE_FILL
    return facts;
}();
#undef HEDDLE_OPCODES

/// Whether the instruction has a byte behind it that says which items it is about (EIP-8024).
[[nodiscard]] constexpr bool is_deep(std::uint8_t opcode) noexcept {
    return opcode >= OP_DUPN && opcode <= OP_EXCHANGE;
}

/// Items of the stack that DUPN, SWAPN or EXCHANGE is about, counted from the top, which is 1. DUPN
/// duplicates `first` and needs as many. SWAPN and EXCHANGE swap `first` and `second`, the deeper.
struct DeepOperands {
    std::uint8_t first = 0;  // 0: the byte is none that the instruction may have
    std::uint8_t second = 0;

    [[nodiscard]] constexpr bool is_valid() const noexcept { return first != 0; }
    [[nodiscard]] constexpr int stack_required() const noexcept {
        return first > second ? first : second;
    }
};

/// @param opcode     One that is_deep().
/// @param immediate  The byte behind it; zero past the end of the code.
/// Spec: EIP-8024. The bytes left out are JUMPDEST and PUSH, so that old code means what it meant.
[[nodiscard]] constexpr DeepOperands deep_operands(std::uint8_t opcode,
                                                   std::uint8_t immediate) noexcept {
    if (opcode != OP_EXCHANGE) {
        if (immediate >= 91 && immediate <= 127) return {};
        const auto n = static_cast<std::uint8_t>(immediate + 145);
        if (opcode == OP_DUPN) return {.first = n, .second = 0};
        return {.first = 1, .second = static_cast<std::uint8_t>(n + 1)};
    }
    if (immediate >= 82 && immediate <= 127) return {};
    const unsigned k = immediate ^ 143u;
    const unsigned q = k / 16, r = k % 16;
    const unsigned n = q < r ? q + 1 : r + 1;
    const unsigned m = q < r ? r + 1 : 29 - q;
    return {.first = static_cast<std::uint8_t>(n + 1), .second = static_cast<std::uint8_t>(m + 1)};
}

}  // namespace heddle::vm
