// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code_decoder.hpp"

#include <algorithm>

#include "decoder_tables.hpp"

namespace heddle::vm {
namespace {

constexpr bool is_push(std::uint8_t opcode) {
    return opcode >= OP_PUSH0 && opcode <= OP_PUSH32;
}
constexpr bool is_dup(std::uint8_t opcode) {
    return opcode >= OP_DUP1 && opcode <= OP_DUP16;
}
constexpr bool is_swap(std::uint8_t opcode) {
    return opcode >= OP_SWAP1 && opcode <= OP_SWAP16;
}

}  // namespace

CodeDecoder::CodeDecoder(const Code& code, const GasSchedule& schedule, SharedArena& arena)
    : code_(code),
      schedule_(schedule),
      arena_(arena),
      handlers_(handler_table()),
      size_(code.bytes().size()) {}

std::uint8_t CodeDecoder::opcode_at(std::size_t pc) const noexcept {
    return pc < size_ ? code_.padded()[pc] : static_cast<std::uint8_t>(OP_STOP);
}

std::size_t CodeDecoder::next_pc(std::size_t pc) const noexcept {
    const std::uint8_t opcode = opcode_at(pc);
    return pc + 1 + kOpcodes[opcode].immediate_bytes;
}

Uint256 CodeDecoder::push_value(std::size_t pc) const noexcept {
    return load_be_partial({code_.padded() + pc + 1, kOpcodes[code_.padded()[pc]].immediate_bytes});
}

bool CodeDecoder::has_opcode(std::size_t pc) const noexcept {
    return pc < size_ && schedule_.opcodes[code_.padded()[pc]].is_defined();
}

Instruction& CodeDecoder::emit(HandlerId handler, std::uint64_t immediate) {
    Instruction instruction;
    instruction.handler = handlers_[static_cast<std::size_t>(handler)];
    instruction.immediate = immediate;
    return instructions_.push_back(instruction);
}

void CodeDecoder::emit_wide(HandlerId handler, const Uint256& constant) {
    constant_users_.push_back(static_cast<std::uint32_t>(instructions_.size()));
    emit(handler, constants_.size());
    constants_.push_back(constant);
}

void CodeDecoder::emit_gas_reader() {
    gas_readers_.push_back(static_cast<std::uint32_t>(instructions_.size()));
    emit(HandlerId::gas_left, gas_);
}

void CodeDecoder::emit_link(HandlerId handler, std::size_t pc) {
    links_.push_back({instructions_.size(), pc});
    emit(handler);
}

void CodeDecoder::begin_block() {
    block_ = instructions_.size();
    emit(HandlerId::begin_block);
    gas_ = 0;
    height_ = 0;
    required_ = 0;
    growth_ = 0;
}

void CodeDecoder::end_block() {
    if (block_ == kNone) return;
    flush_constants();
    BlockNeeds& needs = instructions_[block_].block;
    needs.gas = static_cast<std::uint32_t>(gas_);
    for (const std::uint32_t reader : gas_readers_.values())
        instructions_[reader].immediate = gas_ - instructions_[reader].immediate;
    gas_readers_.clear();
    const auto limit = static_cast<std::int32_t>(kStackLimit);
    if (required_ + growth_ <= limit) {
        needs.stack_required = static_cast<std::uint16_t>(required_);
        needs.stack_slack = static_cast<std::uint16_t>(limit - growth_ - required_);
    } else {
        // No height fits. As "required" is above every height, the check always fails; which of the
        // two bounds it names makes no difference to the result.
        needs.stack_required = kNoHeightFits;
        needs.stack_slack = 0;
    }
    block_ = kNone;
}

void CodeDecoder::account(std::uint8_t opcode) {
    account(opcode, schedule_.opcodes[opcode].stack_required);
}

void CodeDecoder::account(std::uint8_t opcode, std::int32_t stack_required) {
    const OpcodeTraits& traits = schedule_.opcodes[opcode];
    ++opcodes_;
    gas_ += static_cast<std::uint64_t>(traits.gas);
    required_ = std::max(required_, stack_required - height_);
    height_ += traits.stack_change;
    growth_ = std::max(growth_, height_);
    // Saturated: beyond the limit nothing changes any more.
    required_ = std::min(required_, static_cast<std::int32_t>(kStackLimit) + 1);
    growth_ = std::min(growth_, static_cast<std::int32_t>(kStackLimit) + 1);
}

Passage* CodeDecoder::decode(std::size_t pc) {
    begin_block();
    if (code_.is_jump_destination(pc)) pc = decode_entry(pc);
    while (!has_ended_ && pc < size_ && opcode_at(pc) != OP_JUMPDEST && opcodes_ < kPassageOpcodes)
        pc = decode_next(pc);
    if (has_ended_) return finish();
    flush_constants();
    if (pc < size_)
        emit_link(HandlerId::jump_static, pc);
    else
        emit(HandlerId::stop);  // running off the end
    end_block();
    return finish();
}

std::size_t CodeDecoder::decode_entry(std::size_t pc) {
    const std::size_t others = code_.destinations_in_a_row(pc) - 1;
    if (others == 0) {
        account(OP_JUMPDEST);
        return pc + 1;
    }
    for (std::size_t i = 0; i < others; ++i)
        account(OP_JUMPDEST);
    return pc + others;
}

std::size_t CodeDecoder::decode_next(std::size_t pc) {
    const std::uint8_t opcode = opcode_at(pc);
    if (block_ == kNone) begin_block();
    if (!has_opcode(pc)) return decode_invalid(pc);
    if (is_deep(opcode)) return decode_deep(pc);
    if (is_push(opcode)) {
        account(opcode);
        pending_.push_back(push_value(pc));
        return next_pc(pc);
    }
    if (!pending_.empty())
        if (const std::size_t next = decode_with_constants(pc); next != pc) return next;
    flush_constants();
    if (const std::size_t next = fuse(pc); next != pc) return next;
    return decode_opcode(pc);
}

std::size_t CodeDecoder::decode_invalid(std::size_t pc) {
    flush_constants();
    emit(HandlerId::invalid);
    end_block();
    has_ended_ = true;
    return pc;
}

std::size_t CodeDecoder::decode_deep(std::size_t pc) {
    const std::uint8_t opcode = opcode_at(pc);
    const DeepOperands operands = deep_operands(opcode, code_.padded()[pc + 1]);
    if (!operands.is_valid()) return decode_invalid(pc);
    flush_constants();
    account(opcode, operands.stack_required());
    if (opcode == OP_DUPN)
        emit(HandlerId::dup_deep, operands.first);
    else
        emit(HandlerId::swap_deep, operands.first | std::uint64_t{operands.second} << 32);
    return pc + 2;  // a byte that is valid here is no jump destination
}

std::size_t CodeDecoder::decode_opcode(std::size_t pc) {
    const std::uint8_t opcode = opcode_at(pc);
    account(opcode);
    if (opcode == OP_PC)
        pending_.push_back(Uint256{pc});
    else if (opcode == OP_GAS)
        emit_gas_reader();
    else if (opcode == OP_JUMP)
        emit(HandlerId::jump);
    else if (opcode == OP_JUMPI)
        emit(HandlerId::jumpi);
    else
        emit(kOpcodeHandlers[opcode]);
    if (opcode == OP_JUMPI) {
        end_with_jumpi(pc + 1);
        return pc + 1;
    }
    const OpcodeFlow flow = kOpcodes[opcode].flow;
    if (flow != OpcodeFlow::straight) end_block();
    has_ended_ = flow == OpcodeFlow::terminal;
    return pc + 1;
}

std::size_t CodeDecoder::decode_with_constants(std::size_t pc) {
    const std::uint8_t opcode = opcode_at(pc);
    if (opcode == OP_JUMP || opcode == OP_JUMPI) {
        const Uint256 destination = pending_.back();
        flush_constants(1);
        pending_.clear();
        account(opcode);
        emit_static_jump(opcode == OP_JUMP ? HandlerId::jump_static : HandlerId::jumpi_static,
                         destination);
        if (opcode == OP_JUMPI) {
            end_with_jumpi(pc + 1);
        } else {
            end_block();
            has_ended_ = true;
        }
        return pc + 1;
    }
    if (fold_constants(opcode)) {
        account(opcode);
        return pc + 1;
    }
    const Uint256 constant = pending_.back();
    const bool is_small = constant.fits_uint64();
    const HandlerId fused = (is_small ? kConstantHandlers : kWideConstantHandlers)[opcode];
    if (fused == kNoHandler) return pc;
    flush_constants(1);
    pending_.clear();
    account(opcode);
    if (is_small)
        emit(fused, constant.low64());
    else
        emit_wide(fused, constant);
    return pc + 1;
}

bool CodeDecoder::fold_constants(std::uint8_t opcode) {
    if (pending_.size() < 2) return false;
    const Uint256& top = pending_.back();
    Uint256& below = pending_[pending_.size() - 2];
    switch (opcode) {
        case OP_ADD:
            below = top + below;
            break;
        case OP_SUB:
            below = top - below;
            break;
        case OP_SHL:
            below = below << (top.fits_uint64() ? top.low64() : 256);
            break;
        default:
            return false;
    }
    pending_.pop_back();
    return true;
}

/// Emits the pending constants but the last `keep`, which stay pending.
void CodeDecoder::flush_constants(std::size_t keep) {
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
    const auto fits_half = [](const Uint256& value) {
        return value.fits_uint64() && value.low64() < kHalf;
    };
    const std::size_t count = pending_.size() - keep;
    for (std::size_t i = 0; i < count; ++i) {
        const Uint256& value = pending_[i];
        if (i + 1 < count && fits_half(value) && fits_half(pending_[i + 1])) {
            ++i;
            emit(HandlerId::push_two, value.low64() | pending_[i].low64() << 32);
        } else if (value.fits_uint64()) {
            emit(HandlerId::push_small, value.low64());
        } else {
            emit_wide(HandlerId::push_large, value);
        }
    }
    pending_.drop_front(count);
}

std::size_t CodeDecoder::fuse(std::size_t pc) {
    const std::uint8_t opcode = opcode_at(pc);
    if (const std::size_t next = drop_pair(pc); next != pc) return next;
    if (const std::size_t next = fuse_compare_and_jump(pc); next != pc) return next;
    if (opcode == OP_DUP1)
        if (const std::size_t next = fuse_selector(pc); next != pc) return next;
    const std::uint8_t follower = opcode_at(pc + 1);
    if (!has_opcode(pc + 1)) return pc;
    if (is_dup(opcode) && kDupHandlers[follower] != kNoHandler) {
        account(opcode);
        account(follower);
        emit(kDupHandlers[follower], opcode - OP_DUP1 + 1u);
        return pc + 2;
    }
    if (is_swap(opcode) && follower == OP_POP) {
        account(opcode);
        account(follower);
        emit(HandlerId::swap_pop, opcode - OP_SWAP1 + 1u);
        return pc + 2;
    }
    if (opcode == OP_POP && follower == OP_POP) return fuse_pops(pc);
    return fuse_pair(pc);
}

/// A comparison, perhaps negated, and a JUMPI on it to a known destination.
std::size_t CodeDecoder::fuse_compare_and_jump(std::size_t pc) {
    const std::uint8_t comparison = opcode_at(pc);
    if (kCompareHandlers[comparison] == kNoHandler) return pc;
    const bool negated = opcode_at(pc + 1) == OP_ISZERO;
    const std::size_t push = pc + (negated ? 2 : 1);
    if (!has_opcode(push) || !is_push(opcode_at(push)) || opcode_at(next_pc(push)) != OP_JUMPI)
        return pc;
    const Uint256 destination = push_value(push);
    if (!is_jump_destination(destination)) return pc;
    account(comparison);
    if (negated) account(OP_ISZERO);
    account(opcode_at(push));
    account(OP_JUMPI);
    emit_static_jump((negated ? kNegatedCompareHandlers : kCompareHandlers)[comparison],
                     destination);
    const std::size_t next = next_pc(push) + 1;
    end_with_jumpi(next);
    return next;
}

/// DUP1, a small constant, EQ, a known destination, JUMPI.
std::size_t CodeDecoder::fuse_selector(std::size_t pc) {
    const std::size_t constant = pc + 1;
    if (!has_opcode(constant) || !is_push(opcode_at(constant))) return pc;
    const std::size_t equal = next_pc(constant);
    const std::size_t target = equal + 1;
    if (opcode_at(equal) != OP_EQ || !has_opcode(target) || !is_push(opcode_at(target)) ||
        opcode_at(next_pc(target)) != OP_JUMPI)
        return pc;
    const Uint256 value = push_value(constant);
    const Uint256 destination = push_value(target);
    if (!value.fits_uint64() || !is_jump_destination(destination)) return pc;
    account(OP_DUP1);
    account(opcode_at(constant));
    account(OP_EQ);
    account(opcode_at(target));
    account(OP_JUMPI);
    emit_static_jump(HandlerId::jumpi_equal_static, destination);
    emit(HandlerId::invalid, value.low64());  // operand of the instruction before, never executed
    const std::size_t next = next_pc(target) + 1;
    end_with_jumpi(next);
    return next;
}

std::size_t CodeDecoder::fuse_pops(std::size_t pc) {
    std::size_t count = 0;
    for (; opcode_at(pc) == OP_POP && count < kStepOpcodes; ++pc, ++count)
        account(OP_POP);
    emit(HandlerId::pop_many, count);
    return pc;
}

std::size_t CodeDecoder::fuse_pair(std::size_t pc) {
    for (const Pair& pair : kPairs) {
        if (pair.first != opcode_at(pc) || pair.second != opcode_at(pc + 1)) continue;
        account(pair.first);
        account(pair.second);
        emit(pair.handler);
        return pc + 2;
    }
    return pc;
}

/// What only puts something on the stack, and POP; a SWAP and the same again.
std::size_t CodeDecoder::drop_pair(std::size_t pc) {
    const std::uint8_t opcode = opcode_at(pc), follower = opcode_at(pc + 1);
    const OpcodeFacts& facts = kOpcodes[opcode];
    const bool only_puts = is_dup(opcode) || (facts.stack_required == 0 && facts.stack_change == 1);
    const bool is_dropped = follower == OP_POP && only_puts && facts.flow == OpcodeFlow::straight;
    if (!is_dropped && !(is_swap(opcode) && follower == opcode)) return pc;
    account(opcode);
    account(follower);
    return pc + 2;
}

bool CodeDecoder::is_jump_destination(const Uint256& pc) const noexcept {
    return pc.fits_uint64() && code_.is_jump_destination(pc.low64());
}

void CodeDecoder::emit_static_jump(HandlerId handler, const Uint256& destination) {
    if (is_jump_destination(destination))
        emit_link(handler, destination.low64());
    else
        emit(handler == HandlerId::jump_static ? HandlerId::bad_jump : HandlerId::bad_jumpi);
}

void CodeDecoder::end_with_jumpi(std::size_t next_pc) {
    end_block();
    emit_link(HandlerId::jump_static, next_pc);
    has_ended_ = true;
}

/// Only now do instructions, stubs and constants have their final addresses.
Passage* CodeDecoder::finish() {
    Passage* const passage =
        Passage::make(arena_, instructions_.values(), links_.size(), constants_.values());
    for (const std::uint32_t index : constant_users_.values()) {
        Instruction& user = passage->instructions()[index];
        user.constant = passage->constants() + user.immediate;
    }
    Instruction* stub = passage->instructions() + instructions_.size();
    for (const Link& link : links_.values()) {
        stub->undecoded_pc = link.pc;
        stub->block = {.gas = 0, .stack_required = kUndecoded, .stack_slack = 0};
        const Instruction* const known =
            code_.is_jump_destination(link.pc) ? code_.decoded_block(Uint256{link.pc}) : nullptr;
        passage->instructions()[link.instruction].target = {known != nullptr ? known : stub};
        ++stub;
    }
    return passage;
}

}  // namespace heddle::vm
