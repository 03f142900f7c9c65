// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "tracing/json_tracer.hpp"

#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/bytes.hpp>
#include <vm/opcode.hpp>

#include "tracing/call_tracer.hpp"

namespace heddle::node {

namespace {

/// As geth's encoder of JSON writes it, which escapes what HTML gives a meaning.
std::string escaped(std::string_view error) {
    std::string text;
    for (const char c : error) {
        if (c == '<' || c == '>')
            text += c == '<' ? "\\u003c" : "\\u003e";
        else
            text += c;
    }
    return text;
}

/// How many operands are gone from the stack when such a failure is found.
std::size_t operands_taken(std::uint8_t opcode) noexcept {
    switch (opcode) {
        case vm::OP_JUMP:
            return 1;
        case vm::OP_JUMPI:
        case vm::OP_REVERT:
            return 2;
        case vm::OP_RETURNDATACOPY:
        case vm::OP_CREATE:
            return 3;
        case vm::OP_CREATE2:
            return 4;
        default:
            return 0;
    }
}

}  // namespace

std::string opcode_name(std::uint8_t opcode) {
    // Of a fork that never was (EIP-7692); geth has them still.
    static constexpr std::pair<std::uint8_t, std::string_view> kAbandoned[] = {
        {0xd0, "DATALOAD"},       {0xd1, "DATALOADN"}, {0xd2, "DATASIZE"},
        {0xd3, "DATACOPY"},       {0xe0, "RJUMP"},     {0xe1, "RJUMPI"},
        {0xe2, "RJUMPV"},         {0xe3, "CALLF"},     {0xe4, "RETF"},
        {0xe5, "JUMPF"},          {0xec, "EOFCREATE"}, {0xee, "RETURNCONTRACT"},
        {0xf7, "RETURNDATALOAD"}, {0xf8, "EXTCALL"},   {0xf9, "EXTDELEGATECALL"},
        {0xfb, "EXTSTATICCALL"},
    };
    const std::string_view mnemonic = vm::kOpcodes[opcode].mnemonic;
    if (!mnemonic.empty()) return std::string(mnemonic);
    for (const auto& [code, name] : kAbandoned)
        if (code == opcode) return std::string(name);
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
    } else {
        text_ += ",\"stack\":null";
    }
    if (options_.with_return_data && !step.return_data.empty())
        fmt::format_to(out, R"(,"returnData":"{}")", to_hex(step.return_data));
    fmt::format_to(out, R"(,"depth":{},"refund":{},"opName":"{}")", step.depth, step.gas_refund,
                   opcode_name(step.opcode));
    if (!error.empty()) fmt::format_to(out, R"(,"error":"{}")", escaped(error));
    text_ += "}\n";
}

void JsonTracer::write_failed(const vm::TraceStep& step, vm::Status failure) {
    vm::TraceStep failed = step;
    // What is no instruction takes nothing and asks for no memory.
    if (failure != vm::Status::invalid_instruction) {
        failed.stack = step.stack.first(step.stack.size() - operands_taken(step.opcode));
        failed.memory_size = memory_size_after(step);
    }
    Bytes memory;
    if (options_.with_memory) {
        memory.assign(step.memory.begin(), step.memory.end());
        memory.resize(failed.memory_size);
        failed.memory = memory;
    }
    failed.return_data = {};
    write_step(failed,
               failure == vm::Status::revert ? "execution reverted" : failure_text(step, failure));
}

// geth reports a step that fails while it is carried out twice: before, and once it has failed. To
// revert is such a failure.
void JsonTracer::on_step(const vm::TraceStep& step, vm::Status failure) noexcept {
    failures_.on_step(step, failure);
    if (failure == vm::Status::success) {
        write_step(step, {});
        if (step.opcode == vm::OP_REVERT) write_failed(step, vm::Status::revert);
    } else if (is_found_before(step, failure)) {
        write_step(step, failure_text(step, failure));
    } else {
        write_step(step, {});
        write_failed(step, failure);
    }
}

void JsonTracer::on_enter(const vm::TraceCall& call) noexcept {
    failures_.on_enter(call);
    if (!options_.with_call_frames) return;
    auto out = std::back_inserter(text_);
    fmt::format_to(out, R"({{"from":"{}","to":"{}")", to_string(call.from), to_string(call.to));
    if (options_.with_memory && !call.input.empty())
        fmt::format_to(out, R"(,"input":"{}")", to_hex(call.input));
    // A static call has no value, which is not the same as a value of nothing.
    const std::string value = call.kind == vm::TraceCall::Kind::static_call
                                  ? "null"
                                  : fmt::format(R"("{}")", to_hex(call.value));
    fmt::format_to(out, R"(,"gas":"0x{:x}","value":{},"type":"{}"}})",
                   static_cast<std::uint64_t>(call.gas), value, call_type(call.kind));
    text_ += "\n";
}

void JsonTracer::on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept {
    auto out = std::back_inserter(text_);
    const std::string digits = to_hex(output);
    fmt::format_to(out, R"({{"output":"{}","gasUsed":"0x{:x}")", digits.substr(2),
                   static_cast<std::uint64_t>(gas_used));
    std::string error = failures_.on_exit(status, output);
    if (std::exchange(is_code_unpaid_, false))
        error = vm::to_string(vm::Status::code_deposit_out_of_gas);
    if (!error.empty()) fmt::format_to(out, R"(,"error":"{}")", escaped(error));
    text_ += "}\n";
}

}  // namespace heddle::node
