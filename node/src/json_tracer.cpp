// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "json_tracer.hpp"

#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include <types/bytes.hpp>

#include "tracing/opcodes.hpp"

namespace heddle::node {

namespace {

constexpr std::uint8_t kPush0 = 0x5f;
constexpr std::uint8_t kDup1 = 0x80;
constexpr std::uint8_t kSwap1 = 0x90;

struct NamedOpcode {
    std::uint8_t opcode;
    std::string_view name;
};

constexpr NamedOpcode kNames[] = {
    {0x00, "STOP"},
    {0x01, "ADD"},
    {0x02, "MUL"},
    {0x03, "SUB"},
    {0x04, "DIV"},
    {0x05, "SDIV"},
    {0x06, "MOD"},
    {0x07, "SMOD"},
    {0x08, "ADDMOD"},
    {0x09, "MULMOD"},
    {0x0a, "EXP"},
    {0x0b, "SIGNEXTEND"},
    {0x10, "LT"},
    {0x11, "GT"},
    {0x12, "SLT"},
    {0x13, "SGT"},
    {0x14, "EQ"},
    {0x15, "ISZERO"},
    {0x16, "AND"},
    {0x17, "OR"},
    {0x18, "XOR"},
    {0x19, "NOT"},
    {0x1a, "BYTE"},
    {0x1b, "SHL"},
    {0x1c, "SHR"},
    {0x1d, "SAR"},
    {0x1e, "CLZ"},
    {0x20, "KECCAK256"},
    {0x30, "ADDRESS"},
    {0x31, "BALANCE"},
    {0x32, "ORIGIN"},
    {0x33, "CALLER"},
    {0x34, "CALLVALUE"},
    {0x35, "CALLDATALOAD"},
    {0x36, "CALLDATASIZE"},
    {0x37, "CALLDATACOPY"},
    {0x38, "CODESIZE"},
    {0x39, "CODECOPY"},
    {0x3a, "GASPRICE"},
    {0x3b, "EXTCODESIZE"},
    {0x3c, "EXTCODECOPY"},
    {0x3d, "RETURNDATASIZE"},
    {0x3e, "RETURNDATACOPY"},
    {0x3f, "EXTCODEHASH"},
    {0x40, "BLOCKHASH"},
    {0x41, "COINBASE"},
    {0x42, "TIMESTAMP"},
    {0x43, "NUMBER"},
    {0x44, "DIFFICULTY"},
    {0x45, "GASLIMIT"},
    {0x46, "CHAINID"},
    {0x47, "SELFBALANCE"},
    {0x48, "BASEFEE"},
    {0x49, "BLOBHASH"},
    {0x4a, "BLOBBASEFEE"},
    {0x50, "POP"},
    {0x51, "MLOAD"},
    {0x52, "MSTORE"},
    {0x53, "MSTORE8"},
    {0x54, "SLOAD"},
    {0x55, "SSTORE"},
    {0x56, "JUMP"},
    {0x57, "JUMPI"},
    {0x58, "PC"},
    {0x59, "MSIZE"},
    {0x5a, "GAS"},
    {0x5b, "JUMPDEST"},
    {0x5c, "TLOAD"},
    {0x5d, "TSTORE"},
    {0x5e, "MCOPY"},
    {0xf0, "CREATE"},
    {0xf1, "CALL"},
    {0xf2, "CALLCODE"},
    {0xf3, "RETURN"},
    {0xf4, "DELEGATECALL"},
    {0xf5, "CREATE2"},
    {0xfa, "STATICCALL"},
    {0xfd, "REVERT"},
    {0xfe, "INVALID"},
    {0xff, "SELFDESTRUCT"},
};

/// How many operands are gone from the stack when such a failure is found.
std::size_t operands_taken(std::uint8_t opcode) noexcept {
    switch (opcode) {
        case kJump:
            return 1;
        case kJumpIf:
            return 2;
        case kReturnDataCopy:
            return 3;
        default:
            return 0;
    }
}

}  // namespace

std::string opcode_name(std::uint8_t opcode) {
    if (opcode >= kPush0 && opcode < kDup1) return fmt::format("PUSH{}", opcode - kPush0);
    if (opcode >= kDup1 && opcode < kSwap1) return fmt::format("DUP{}", opcode - kDup1 + 1);
    if (opcode >= kSwap1 && opcode < kLog0) return fmt::format("SWAP{}", opcode - kSwap1 + 1);
    if (opcode >= kLog0 && opcode < kLog0 + 5) return fmt::format("LOG{}", opcode - kLog0);
    for (const auto& [known, name] : kNames)
        if (known == opcode) return std::string(name);
    return fmt::format("opcode 0x{:x} not defined", opcode);
}

void JsonTracer::write_step(const vm::TraceStep& step, const std::string& error) {
    auto out = std::back_inserter(text_);
    fmt::format_to(out, R"({{"pc":{},"op":{},"gas":"0x{:x}","gasCost":"0x{:x}")", step.pc,
                   step.opcode, static_cast<std::uint64_t>(step.gas_left),
                   static_cast<std::uint64_t>(step.gas_cost));
    if (options_.with_memory && !step.memory.empty())
        fmt::format_to(out, R"(,"memory":"{}")", to_hex(step.memory));
    fmt::format_to(out, R"(,"memSize":{})", step.memory_size);
    if (options_.with_stack) {
        text_ += ",\"stack\":[";
        for (std::size_t i = 0; i < step.stack.size(); ++i)
            fmt::format_to(out, R"({}"{}")", i == 0 ? "" : ",", to_hex(step.stack[i]));
        text_ += "]";
    }
    if (options_.with_return_data && !step.return_data.empty())
        fmt::format_to(out, R"(,"returnData":"{}")", to_hex(step.return_data));
    fmt::format_to(out, R"(,"depth":{},"refund":{},"opName":"{}")", step.depth, step.gas_refund,
                   opcode_name(step.opcode));
    if (!error.empty()) fmt::format_to(out, R"(,"error":"{}")", error);
    text_ += "}\n";
}

void JsonTracer::on_step(const vm::TraceStep& step, vm::Status failure) noexcept {
    failures_.on_step(step, failure);
    if (failure == vm::Status::success || is_found_before(failure, step.opcode))
        return write_step(step, failure_text(step, failure));
    // geth reports such a step twice: before it runs, and once it has failed.
    write_step(step, {});
    vm::TraceStep failed = step;
    failed.stack = step.stack.first(step.stack.size() - operands_taken(step.opcode));
    write_step(failed, failure_text(step, failure));
}

void JsonTracer::on_enter(const vm::TraceCall& call) noexcept {
    failures_.on_enter(call);
}

void JsonTracer::on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept {
    auto out = std::back_inserter(text_);
    const std::string digits = to_hex(output);
    fmt::format_to(out, R"({{"output":"{}","gasUsed":"0x{:x}")", digits.substr(2),
                   static_cast<std::uint64_t>(gas_used));
    const std::string error = failures_.on_exit(status, output);
    if (!error.empty()) fmt::format_to(out, R"(,"error":"{}")", error);
    text_ += "}\n";
}

}  // namespace heddle::node
