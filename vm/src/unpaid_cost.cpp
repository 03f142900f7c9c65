// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "unpaid_cost.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include <vm/opcode.hpp>

#include "frame.hpp"

namespace heddle::vm {
namespace {

/// The memory that an instruction uses, by the places of its operands below the top of the stack.
struct MemoryUse {
    std::size_t offset = 0;
    std::optional<std::size_t> size;  // nullopt: it is `bytes`
    std::uint64_t bytes = 0;
    std::optional<std::size_t> other;  // another offset of the same size
    std::int64_t word_gas = 0;         // beside what memory costs
    std::int64_t byte_gas = 0;         // the same
};

bool is_log(std::uint8_t opcode) noexcept {
    return opcode >= OP_LOG0 && opcode <= OP_LOG4;
}

std::optional<MemoryUse> memory_use(std::uint8_t opcode, const GasSchedule& schedule) noexcept {
    switch (opcode) {
        case OP_MLOAD:
        case OP_MSTORE:
            return MemoryUse{.offset = 0, .size = {}, .bytes = 32, .other = {}};
        case OP_MSTORE8:
            return MemoryUse{.offset = 0, .size = {}, .bytes = 1, .other = {}};
        case OP_KECCAK256:
            return MemoryUse{.offset = 0, .size = 1, .other = {}, .word_gas = kKeccakWordGas};
        case OP_CALLDATACOPY:
        case OP_CODECOPY:
        case OP_RETURNDATACOPY:
            return MemoryUse{.offset = 0, .size = 2, .other = {}, .word_gas = kCopyWordGas};
        case OP_EXTCODESIZE:
            return MemoryUse{.offset = 0, .size = {}, .bytes = 0, .other = {}};
        case OP_EXTCODECOPY:
            return MemoryUse{.offset = 1, .size = 3, .other = {}, .word_gas = kCopyWordGas};
        case OP_MCOPY:
            return MemoryUse{.offset = 0, .size = 2, .other = 1, .word_gas = kCopyWordGas};
        case OP_RETURN:
        case OP_REVERT:
            return MemoryUse{.offset = 0, .size = 1, .other = {}};
        case OP_LOG0:
        case OP_LOG1:
        case OP_LOG2:
        case OP_LOG3:
        case OP_LOG4:
            return MemoryUse{.offset = 0, .size = 1, .other = {}, .byte_gas = kLogByteGas};
        case OP_CREATE:
            return MemoryUse{
                .offset = 1, .size = 2, .other = {}, .word_gas = schedule.init_code_word};
        case OP_CREATE2:
            return MemoryUse{.offset = 1,
                             .size = 2,
                             .other = {},
                             .word_gas = schedule.init_code_word + kKeccakWordGas};
        default:
            return std::nullopt;
    }
}

/// What an instruction costs beside its static part, for the memory that it uses and the words that
/// it goes through. nullopt: no memory is that large, or it uses none.
/// @param stack  Before it. @param memory_size  The same, in bytes.
std::optional<std::int64_t> memory_gas(const MemoryUse& use, std::span<const Uint256> stack,
                                       std::uint64_t memory_size) noexcept {
    constexpr auto kMost = 32 * static_cast<std::uint64_t>(kMostMemoryWords);
    const auto operand = [&](std::size_t place) { return stack[stack.size() - 1 - place]; };
    const std::size_t deepest = std::max({use.offset, use.size.value_or(0), use.other.value_or(0)});
    if (stack.size() <= deepest) return std::nullopt;
    const Uint256 size = use.size ? operand(*use.size) : Uint256{use.bytes};
    if (size.is_zero()) return 0;
    Uint256 offset = operand(use.offset);
    if (use.other) offset = std::max(offset, operand(*use.other));
    if (size > Uint256{kMost} || offset > Uint256{kMost} || offset + size > Uint256{kMost})
        return std::nullopt;
    const std::int64_t words = word_count(offset.low64() + size.low64());
    const std::int64_t used = word_count(memory_size);
    const std::int64_t growth = words > used ? memory_cost(words) - memory_cost(used) : 0;
    return growth + use.word_gas * word_count(size.low64()) +
           use.byte_gas * static_cast<std::int64_t>(size.low64());
}

/// What a call costs for the memory of its input and output. nullopt: no memory is that large.
std::optional<std::int64_t> call_memory_gas(const TraceStep& step,
                                            std::uint64_t memory_size) noexcept {
    const bool has_value = step.opcode == OP_CALL || step.opcode == OP_CALLCODE;
    const std::size_t first = has_value ? 3 : 2;
    const MemoryUse input{.offset = first, .size = first + 1, .other = {}};
    const MemoryUse output{.offset = first + 2, .size = first + 3, .other = {}};
    const auto input_gas = memory_gas(input, step.stack, memory_size);
    const auto output_gas = memory_gas(output, step.stack, memory_size);
    if (!input_gas || !output_gas) return std::nullopt;
    return std::max(*input_gas, *output_gas);
}

/// What a call that can pay its static cost costs without what it passes on. Where its memory
/// cannot be paid, nothing behind that was charged.
std::int64_t parts_of_unpaid_call(const TraceStep& step, std::uint64_t memory_size, bool is_cold,
                                  const GasSchedule& schedule) noexcept {
    const std::int64_t static_gas = schedule.opcodes[step.opcode].gas;
    const auto memory = call_memory_gas(step, memory_size);
    if (!memory || *memory <= step.gas_left - static_gas) return step.gas_cost;
    const bool has_value =
        step.opcode == OP_CALLCODE && !step.stack[step.stack.size() - 3].is_zero();
    return static_gas + *memory + (is_cold ? schedule.cold_account : 0) +
           (has_value ? schedule.call_value : 0);
}

bool has_too_much_init_code(const TraceStep& step, std::uint64_t most) noexcept {
    if (step.opcode != OP_CREATE && step.opcode != OP_CREATE2) return false;
    return step.stack.size() >= 3 && step.stack[step.stack.size() - 3] > Uint256{most};
}

}  // namespace

std::int64_t first_cost(std::uint8_t opcode, const GasSchedule& schedule) noexcept {
    if (is_log(opcode)) return 0;
    const bool reads_code = opcode == OP_EXTCODESIZE || opcode == OP_EXTCODECOPY;
    return reads_code && schedule.at_least(Revision::amsterdam) ? schedule.warm_access
                                                                : schedule.opcodes[opcode].gas;
}

std::optional<std::int64_t> unpaid_cost(const TraceStep& step, std::uint64_t memory_size,
                                        const GasSchedule& schedule) noexcept {
    const std::int64_t static_gas = schedule.opcodes[step.opcode].gas;
    const std::size_t height = step.stack.size();
    if (step.opcode == OP_EXP && height >= 2)
        return static_gas +
               schedule.exp_byte * static_cast<std::int64_t>(byte_width(step.stack[height - 2]));
    const auto use = memory_use(step.opcode, schedule);
    if (!use || step.gas_left < first_cost(step.opcode, schedule)) return std::nullopt;
    const auto dynamic_gas = memory_gas(*use, step.stack, memory_size);
    if (!dynamic_gas) return std::nullopt;
    return static_gas + *dynamic_gas;
}

std::int64_t cost_of_unpaid_call(const TraceStep& step, std::uint64_t memory_size, bool is_cold,
                                 const GasSchedule& schedule) noexcept {
    const std::int64_t static_gas = schedule.opcodes[step.opcode].gas;
    if (step.stack.empty() || step.gas_left < static_gas) return step.gas_cost;
    const std::int64_t parts = parts_of_unpaid_call(step, memory_size, is_cold, schedule);
    const auto cost = static_cast<std::uint64_t>(parts);
    const Uint256& passed = step.stack.back();
    // What geth adds up has 64 bits, and what is left may be less than nothing.
    if (schedule.at_least(Revision::tangerine_whistle)) {
        const std::uint64_t left = static_cast<std::uint64_t>(step.gas_left) - cost;
        const Uint256 most{left - left / 64};
        return static_cast<std::int64_t>(cost + std::min(passed, most).low64());
    }
    // Nothing caps it yet; what is too much is not added.
    const std::uint64_t other = cost - static_cast<std::uint64_t>(static_gas);
    if (passed > Uint256{~std::uint64_t{0} - other}) return static_gas;
    return static_cast<std::int64_t>(cost + passed.low64());
}

CallEnd end_of_unpaid_call(const TraceStep& step, std::uint64_t memory_size, bool is_cold,
                           const GasSchedule& schedule) noexcept {
    std::int64_t left = step.gas_left - schedule.opcodes[step.opcode].gas;
    if (left < 0) return CallEnd::at_all_of_it;
    const auto memory = call_memory_gas(step, memory_size);
    if (is_cold) left -= schedule.cold_account;
    if (left < 0) return CallEnd::at_its_parts;
    if (!memory) return CallEnd::at_its_memory;
    if (schedule.at_least(Revision::prague)) return CallEnd::at_its_parts;
    if (step.opcode != OP_CALL) return CallEnd::at_all_of_it;
    const bool has_value = !step.stack[step.stack.size() - 3].is_zero();
    return left < *memory + (has_value ? schedule.call_value : 0) ? CallEnd::at_its_parts
                                                                  : CallEnd::at_all_of_it;
}

Status failure_as_told(TraceStep& step, Status failure, std::uint64_t memory_size,
                       std::uint64_t most_init_code, const GasSchedule& schedule) noexcept {
    const bool is_unpaid = failure == Status::out_of_gas;
    if (is_log(step.opcode) && (is_unpaid || failure == Status::static_mode_violation)) {
        const auto cost = unpaid_cost(step, memory_size, schedule);
        step.gas_cost = cost.value_or(0);
        return cost.has_value() && *cost <= step.gas_left ? failure : Status::out_of_gas;
    }
    if ((is_unpaid || failure == Status::init_code_size_exceeded) &&
        has_too_much_init_code(step, most_init_code) &&
        unpaid_cost(step, memory_size, schedule).has_value()) {
        step.gas_cost = first_cost(step.opcode, schedule);
        return Status::init_code_size_exceeded;
    }
    if (is_deep(step.opcode) && schedule.opcodes[step.opcode].is_defined()) {
        const int least = step.opcode == OP_DUPN ? 1 : 2;
        if (step.stack.size() >= static_cast<std::size_t>(least)) return failure;
        step.stack_required = least;
        return Status::stack_underflow;
    }
    return failure;
}

}  // namespace heddle::vm
