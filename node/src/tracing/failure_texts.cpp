// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/failure_texts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/uint256.hpp>
#include <vm/limits.hpp>
#include <vm/opcode.hpp>

#include "tracing/json_tracer.hpp"

namespace heddle::node {
namespace {

using vm::Status;

/// Largest memory whose cost geth computes at all.
constexpr std::uint64_t kMaxPricedMemory = 0x1f'ffff'ffe0;

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
        if (end < offset.low64()) return MemoryNeed::overflowing;
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
    switch (memory_need(step)) {
        case MemoryNeed::overflowing:
            return "gas uint64 overflow";
        case MemoryNeed::unpriced:
            return "out of gas: gas uint64 overflow";
        case MemoryNeed::payable:
            break;
    }
    // geth gives up while it adds up the cost of a call, and says so.
    const bool is_call = step.opcode == vm::OP_CALL || step.opcode == vm::OP_CALLCODE ||
                         step.opcode == vm::OP_DELEGATECALL || step.opcode == vm::OP_STATICCALL;
    if (is_call && step.revision < Revision::tangerine_whistle)
        return step.gas_cost == kFrontierCallGas && step.gas_left >= kFrontierCallGas
                   ? "out of gas: gas uint64 overflow"  // with what it was to pass on
                   : "out of gas";
    const bool gives_up =
        (is_call && step.gas_cost <= step.gas_left) || leaves_beneficiary_unseen(step);
    return gives_up ? "out of gas: out of gas" : "out of gas";
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

/// Whether one of the big-endian words of `size` bytes, each in a field of `stride`, is not below
/// `modulus`.
bool exceeds_modulus(BytesView input, std::size_t stride, BytesView modulus) {
    const std::size_t size = modulus.size();
    for (std::size_t at = 0; at + stride <= input.size(); at += stride) {
        const BytesView word = input.subspan(at + stride - size, size);
        if (!std::ranges::lexicographical_compare(word, modulus)) return true;
    }
    return false;
}

constexpr std::array<std::uint8_t, 32> kBn254Modulus{
    0x30, 0x64, 0x4e, 0x72, 0xe1, 0x31, 0xa0, 0x29, 0xb8, 0x50, 0x45, 0xb6, 0x81, 0x81, 0x58, 0x5d,
    0x97, 0x81, 0x6a, 0x91, 0x68, 0x71, 0xca, 0x8d, 0x3c, 0x20, 0x8c, 0x16, 0xd8, 0x7c, 0xfd, 0x47};
constexpr std::array<std::uint8_t, 48> kBls12Modulus{
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab};

std::string bn254_text(BytesView input, std::size_t coordinates_bytes) {
    Bytes padded(input.begin(), input.end());
    padded.resize(coordinates_bytes);
    return exceeds_modulus(padded, 32, kBn254Modulus) ? "invalid fp.Element encoding"
                                                      : "point is not on curve";
}

/// @param coordinates_bytes  At the start of each item of `item_bytes`.
std::string bls12_text(BytesView input, std::size_t item_bytes, std::size_t coordinates_bytes,
                       bool takes_many) {
    const bool fits =
        takes_many ? !input.empty() && input.size() % item_bytes == 0 : input.size() == item_bytes;
    if (!fits) return "invalid input length";
    for (std::size_t item = 0; item < input.size(); item += item_bytes) {
        const BytesView coordinates = input.subspan(item, coordinates_bytes);
        for (std::size_t at = 0; at < coordinates.size(); at += 64)
            if (std::ranges::any_of(coordinates.subspan(at, 16), [](auto b) { return b != 0; }))
                return "invalid field element top bytes";
        if (exceeds_modulus(coordinates, 64, kBls12Modulus)) return "invalid fp.Element encoding";
    }
    return "invalid point: not on curve";
}

/// Why the precompiled contract would fail with this input, given enough gas; empty: it is none.
std::string precompile_text(const Address& address, BytesView input) {
    if (std::any_of(address.bytes.begin(), address.bytes.end() - 1, [](auto b) { return b != 0; }))
        return {};
    switch (address.bytes.back()) {
        case 0x05:
            return "one or more of base/exponent/modulus length exceeded 1024 bytes";
        case 0x06:
            return bn254_text(input, 128);
        case 0x07:
            return bn254_text(input, 64);
        case 0x08:
            if (input.size() % 192 != 0) return "bad elliptic curve pairing size";
            return bn254_text(input, input.size());
        case 0x09:
            return input.size() == 213 ? "invalid final flag" : "invalid input length";
        case 0x0a:
            return input.size() == 192 ? "mismatched versioned hash" : "invalid input length";
        case 0x0b:
            return bls12_text(input, 256, 256, false);
        case 0x0c:
            return bls12_text(input, 160, 128, true);
        case 0x0d:
            return bls12_text(input, 512, 512, false);
        case 0x0e:
            return bls12_text(input, 288, 256, true);
        case 0x0f:
            return bls12_text(input, 384, 384, true);
        case 0x10:
            return bls12_text(input, 64, 64, false);
        case 0x11:
            return bls12_text(input, 128, 128, false);
        default:
            return {};
    }
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
    precompile_ = precompile_text(call.to, call.input);
}

std::string FailureTexts::on_exit(Status status, BytesView output) {
    std::string step = std::exchange(step_, {});
    switch (status) {
        case Status::success:
            return {};
        case Status::revert:
            return std::string{vm::to_string(status)};
        case Status::precompile_failure:
            return precompile_.empty() ? std::string{vm::to_string(status)} : precompile_;
        case Status::code_size_exceeded:
            return fmt::format("max code size exceeded: code size {} limit {}", output.size(),
                               vm::limits(revision_).max_code_bytes);
        default:
            // A failed instruction takes its call with it; else the call failed by itself.
            return step.empty() ? std::string{vm::to_string(status)} : step;
    }
}

}  // namespace heddle::node
