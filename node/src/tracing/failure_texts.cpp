// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/failure_texts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <types/uint256.hpp>
#include <vm/limits.hpp>
#include <vm/opcode.hpp>
#include <vm/precompile.hpp>

#include "tracing/json_tracer.hpp"
#include "tracing/precompile_texts.hpp"

namespace heddle::node {
namespace {

using vm::Status;

/// Largest memory whose cost geth computes at all.
constexpr std::uint64_t kMaxPricedMemory = 0x1f'ffff'ffe0;
/// Largest memory whose size in whole words geth can count.
constexpr std::uint64_t kMostCounted = ~std::uint64_t{31};

/// What SELFDESTRUCT costs where nothing is known of the beneficiary (EIP-150), and what looking
/// at it costs from Amsterdam on (EIP-8038).
constexpr std::int64_t kSelfdestructGas = 5'000;
constexpr std::int64_t kColdAccountGas = 3'000;
/// What a call costs by itself until EIP-150.
constexpr std::int64_t kFrontierCallGas = 40;

/// Where an instruction's operands describe memory, counted from the top of the stack.
struct MemoryRange {
    int offset = -1;
    int size = -1;                 // -1: `fixed_size`
    std::uint64_t fixed_size = 0;  // bytes
};

std::array<MemoryRange, 2> memory_ranges(std::uint8_t opcode) {
    switch (opcode) {
        case vm::OP_MLOAD:
        case vm::OP_MSTORE:
            return {{{0, -1, 32}, {}}};
        case vm::OP_MSTORE8:
            return {{{0, -1, 1}, {}}};
        case vm::OP_KECCAK256:
        case vm::OP_RETURN:
        case vm::OP_REVERT:
        case vm::OP_LOG0:
        case vm::OP_LOG0 + 1:
        case vm::OP_LOG0 + 2:
        case vm::OP_LOG0 + 3:
        case vm::OP_LOG0 + 4:
            return {{{0, 1, 0}, {}}};
        case vm::OP_CALLDATACOPY:
        case vm::OP_CODECOPY:
        case vm::OP_RETURNDATACOPY:
            return {{{0, 2, 0}, {}}};
        case vm::OP_EXTCODECOPY:
            return {{{1, 3, 0}, {}}};
        case vm::OP_MCOPY:
            return {{{0, 2, 0}, {1, 2, 0}}};
        case vm::OP_CREATE:
        case vm::OP_CREATE2:
            return {{{1, 2, 0}, {}}};
        case vm::OP_CALL:
        case vm::OP_CALLCODE:
            return {{{3, 4, 0}, {5, 6, 0}}};
        case vm::OP_DELEGATECALL:
        case vm::OP_STATICCALL:
            return {{{2, 3, 0}, {4, 5, 0}}};
        default:
            return {};
    }
}

/// Counted from the top of the stack, which is 0.
const Uint256& operand_of(const vm::TraceStep& step, int index) {
    return step.stack[step.stack.size() - 1 - static_cast<std::size_t>(index)];
}

enum class MemoryNeed : std::uint8_t { payable, unpriced, overflowing };

/// Whether the memory that the step asks for is beyond what has a price.
MemoryNeed memory_need(const vm::TraceStep& step) {
    MemoryNeed need = MemoryNeed::payable;
    for (const MemoryRange& range : memory_ranges(step.opcode)) {
        if (range.offset < 0) continue;
        const int deepest = std::max(range.offset, range.size);
        if (step.stack.size() <= static_cast<std::size_t>(deepest)) continue;
        const Uint256 size =
            range.size < 0 ? Uint256{range.fixed_size} : operand_of(step, range.size);
        if (size.is_zero()) continue;
        const Uint256& offset = operand_of(step, range.offset);
        if (!size.fits_uint64() || !offset.fits_uint64()) return MemoryNeed::overflowing;
        const std::uint64_t end = offset.low64() + size.low64();
        if (end < offset.low64() || end > kMostCounted) return MemoryNeed::overflowing;
        if (end > kMaxPricedMemory) need = MemoryNeed::unpriced;
    }
    return need;
}

bool is_creation(std::uint8_t opcode) noexcept {
    return opcode == vm::OP_CREATE || opcode == vm::OP_CREATE2;
}

/// Whether a self-destruction cannot pay for looking at whom it leaves its balance to (EIP-2929).
bool leaves_beneficiary_unseen(const vm::TraceStep& step) noexcept {
    if (step.opcode != vm::OP_SELFDESTRUCT || step.gas_left < kSelfdestructGas) return false;
    // From Amsterdam on what that costs shows.
    const bool shows_price = step.revision >= Revision::amsterdam;
    return step.gas_cost == kSelfdestructGas + (shows_price ? kColdAccountGas : 0);
}

std::string out_of_gas_text(const vm::TraceStep& step) {
    // Nothing was charged: EIP-2200's minimum was not there.
    if (step.opcode == vm::OP_SSTORE && step.gas_cost == 0)
        return "out of gas: not enough gas for reentrancy sentry";
    // geth gives up while it adds up the cost of a call, and says so; what memory it asks for shows
    // where the instruction's own price can be paid.
    const MemoryNeed need =
        step.gas_cost <= step.gas_left ? memory_need(step) : MemoryNeed::payable;
    if (need == MemoryNeed::overflowing) return "gas uint64 overflow";
    if (step.ends_at_parts) return "out of gas: out of gas";
    if (need == MemoryNeed::unpriced) return "out of gas: gas uint64 overflow";
    const bool is_call = step.opcode == vm::OP_CALL || step.opcode == vm::OP_CALLCODE ||
                         step.opcode == vm::OP_DELEGATECALL;
    if (is_call && step.revision < Revision::tangerine_whistle)
        return step.gas_cost == kFrontierCallGas && step.gas_left >= kFrontierCallGas
                   ? "out of gas: gas uint64 overflow"  // with what it was to pass on
                   : "out of gas";
    return leaves_beneficiary_unseen(step) ? "out of gas: out of gas" : "out of gas";
}

std::string invalid_opcode_text(const vm::TraceStep& step) {
    const std::string name = opcode_name(step.opcode);
    if (step.revision < Revision::amsterdam || !vm::is_deep(step.opcode))
        return "invalid opcode: " + name;
    return fmt::format("invalid opcode: {} (operand: {:#04x})", name, step.immediate);
}

std::string init_code_text(const vm::TraceStep& step) {
    const std::size_t height = step.stack.size();
    const Uint256 size = height < 3 ? Uint256{} : step.stack[height - 3];
    return fmt::format("out of gas: max initcode size exceeded: code size {} limit {}",
                       size.low64(), vm::limits(step.revision).max_init_code_bytes);
}

}  // namespace

bool is_found_before(const vm::TraceStep& step, Status failure) noexcept {
    const std::uint8_t opcode = step.opcode;
    switch (failure) {
        case Status::out_of_gas:
            // A creation pays for the new account when it is carried out (EIP-8037).
            return step.revision < Revision::amsterdam || !is_creation(opcode) ||
                   step.gas_cost > step.gas_left || memory_need(step) != MemoryNeed::payable;
        case Status::stack_underflow:
            // What DUPN, SWAPN and EXCHANGE need beyond the first words follows from their byte.
            return !vm::is_deep(opcode) || step.stack_required <= 2;
        case Status::bad_jump_destination:
        case Status::invalid_instruction:
        case Status::return_data_out_of_bounds:
            return false;
        case Status::static_mode_violation:
            // While their cost is computed.
            return opcode == vm::OP_SSTORE || opcode == vm::OP_CALL ||
                   opcode == vm::OP_SELFDESTRUCT || is_creation(opcode);
        default:
            return true;
    }
}

std::uint64_t memory_size_after(const vm::TraceStep& step) noexcept {
    std::uint64_t size = step.memory_size;
    for (const MemoryRange& range : memory_ranges(step.opcode)) {
        if (range.offset < 0) continue;
        const Uint256 length =
            range.size < 0 ? Uint256{range.fixed_size} : operand_of(step, range.size);
        if (length.is_zero()) continue;
        const std::uint64_t end = operand_of(step, range.offset).low64() + length.low64();
        size = std::max(size, (end + 31) / 32 * 32);
    }
    return size;
}

std::string failure_text(const vm::TraceStep& step, Status failure) {
    switch (failure) {
        case Status::success:
            return {};
        case Status::out_of_gas:
            return out_of_gas_text(step);
        case Status::stack_underflow:
            return fmt::format("stack underflow ({} <=> {})", step.stack.size(),
                               step.stack_required);
        case Status::stack_overflow:
            return fmt::format("stack limit reached {} ({})", step.stack.size(),
                               static_cast<int>(vm::kStackLimit) - step.stack_change);
        case Status::invalid_instruction:
            return invalid_opcode_text(step);
        case Status::static_mode_violation:
            return is_found_before(step, failure) ? "out of gas: write protection"
                                                  : "write protection";
        case Status::init_code_size_exceeded:
            return init_code_text(step);
        default:
            return std::string{vm::to_string(failure)};
    }
}

void FailureTexts::on_step(const vm::TraceStep& step, Status failure) {
    if (failure != Status::success) step_ = failure_text(step, failure);
}

void FailureTexts::on_enter(const vm::TraceCall& call) {
    revision_ = call.revision;
    precompile_ = vm::precompile_index(call.to, call.revision);
    precompile_input_.clear();
    if (precompile_ != 0) precompile_input_.assign(call.input.begin(), call.input.end());
}

std::string FailureTexts::on_exit(Status status, BytesView output) {
    std::string step = std::exchange(step_, {});
    switch (status) {
        case Status::success:
            return {};
        case Status::revert:
            return std::string{vm::to_string(status)};
        case Status::precompile_failure:
            return precompile_text(precompile_, precompile_input_);
        case Status::code_size_exceeded:
            return fmt::format("max code size exceeded: code size {} limit {}", output.size(),
                               vm::limits(revision_).max_code_bytes);
        default:
            // A failed instruction takes its call with it; else the call failed by itself.
            return step.empty() ? std::string{vm::to_string(status)} : step;
    }
}

}  // namespace heddle::node
