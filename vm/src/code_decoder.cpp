// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code_decoder.hpp"

#include <algorithm>
#include <array>

namespace heddle::vm {
namespace {

constexpr HandlerId kNoHandler = HandlerId::count_;

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
    set_run(OP_ADD, add, 11);       // ADD … SIGNEXTEND
    set_run(OP_LT, lt, 15);         // LT … CLZ
    t[OP_KECCAK256] = keccak;
    set_run(OP_ADDRESS, address, 27);  // ADDRESS … BLOBBASEFEE
    set_run(OP_POP, pop, 6);        // POP … SSTORE
    t[OP_MSIZE] = msize;
    t[OP_GAS] = gas;
    set_run(OP_TLOAD, tload, 3);    // TLOAD, TSTORE, MCOPY
    set_run(OP_DUP1, dup1, 32);     // DUP1 … SWAP16
    set_run(OP_LOG0, log0, 5);
    set_run(OP_CREATE, create, 6);  // CREATE … CREATE2
    t[OP_STATICCALL] = staticcall;
    t[OP_REVERT] = revert;
    t[OP_SELFDESTRUCT] = selfdestruct;
    return t;
}
constexpr std::array<HandlerId, 256> kOpcodeHandlers = make_opcode_handlers();

/// Handler of "push a small constant, then this opcode".
constexpr std::array<HandlerId, 256> make_constant_handlers() {
    using enum HandlerId;
    std::array<HandlerId, 256> t{};
    t.fill(kNoHandler);
    t[OP_ADD] = const_add;
    t[OP_SUB] = const_sub;
    t[OP_MUL] = const_mul;
    t[OP_DIV] = const_div;
    t[OP_MOD] = const_mod;
    t[OP_AND] = const_and;
    t[OP_OR] = const_or;
    t[OP_XOR] = const_xor;
    t[OP_LT] = const_lt;
    t[OP_GT] = const_gt;
    t[OP_EQ] = const_eq;
    t[OP_SHL] = const_shl;
    t[OP_SHR] = const_shr;
    t[OP_SAR] = const_sar;
    t[OP_BYTE] = const_byte;
    t[OP_SIGNEXTEND] = const_signextend;
    t[OP_MLOAD] = const_mload;
    t[OP_MSTORE] = const_mstore;
    t[OP_CALLDATALOAD] = const_calldataload;
    for (unsigned i = 0; i < 4; ++i)
        t[OP_DUP1 + i] = const_dup1 + i;
    t[OP_SWAP1] = const_swap1;
    return t;
}
constexpr std::array<HandlerId, 256> kConstantHandlers = make_constant_handlers();

/// After these nothing follows in the same block; see the class comment.
constexpr bool ends_block(std::uint8_t opcode) {
    switch (opcode) {
    case OP_STOP:
    case OP_JUMP:
    case OP_JUMPI:
    case OP_RETURN:
    case OP_REVERT:
    case OP_INVALID:
    case OP_SELFDESTRUCT:
    case OP_GAS:
    case OP_SSTORE:
    case OP_SLOAD:
    case OP_BALANCE:
    case OP_SELFBALANCE:
    case OP_EXTCODESIZE:
    case OP_EXTCODECOPY:
    case OP_EXTCODEHASH:
    case OP_CREATE:
    case OP_CREATE2:
    case OP_CALL:
    case OP_CALLCODE:
    case OP_DELEGATECALL:
    case OP_STATICCALL:
        return true;
    default:
        return false;
    }
}

/// Behind these only a JUMPDEST is reachable.
constexpr bool never_falls_through(std::uint8_t opcode) {
    return opcode == OP_STOP || opcode == OP_JUMP || opcode == OP_RETURN || opcode == OP_REVERT ||
           opcode == OP_INVALID || opcode == OP_SELFDESTRUCT;
}

constexpr bool is_push(std::uint8_t opcode) {
    return opcode >= OP_PUSH0 && opcode <= OP_PUSH32;
}

/// A block is split before its static gas could leave 32 bits.
constexpr std::uint64_t kMaxBlockGas = std::uint64_t{1} << 31;

}  // namespace

CodeDecoder::CodeDecoder(Code& code, const GasSchedule& schedule)
    : code_(code), schedule_(schedule), handlers_(handler_table()), size_(code.size_) {}

std::uint8_t CodeDecoder::opcode_at(std::size_t pc) const noexcept {
    return pc < size_ ? code_.padded_[pc] : static_cast<std::uint8_t>(OP_STOP);
}

std::size_t CodeDecoder::next_pc(std::size_t pc) const noexcept {
    const std::uint8_t opcode = opcode_at(pc);
    return pc + 1 + (is_push(opcode) ? opcode - OP_PUSH0 : 0u);
}

Uint256 CodeDecoder::push_value(std::size_t pc) const noexcept {
    return load_be_partial({code_.padded() + pc + 1,
                            static_cast<std::size_t>(code_.padded_[pc] - OP_PUSH0)});
}

Instruction& CodeDecoder::emit(HandlerId handler) {
    Instruction& instruction = code_.instructions_.emplace_back();
    instruction.handler = handlers_[static_cast<std::size_t>(handler)];
    return instruction;
}

void CodeDecoder::begin_block() {
    block_ = code_.instructions_.size();
    (void)emit(HandlerId::begin_block);
    gas_ = 0;
    height_ = 0;
    required_ = 0;
    growth_ = 0;
}

void CodeDecoder::end_block() {
    if (block_ == kNone)
        return;
    BlockNeeds& needs = code_.instructions_[block_].block;
    needs.gas = static_cast<std::uint32_t>(gas_);
    const auto limit = static_cast<std::int32_t>(kStackLimit);
    if (required_ + growth_ <= limit) {
        needs.stack_required = static_cast<std::uint16_t>(required_);
        needs.stack_slack = static_cast<std::uint16_t>(limit - growth_ - required_);
    } else {
        // No height fits. As "required" is above every height, the check always fails; which of the
        // two bounds it names makes no difference to the result.
        needs.stack_required = 0xffff;
        needs.stack_slack = 0;
    }
    block_ = kNone;
}

void CodeDecoder::account(std::uint8_t opcode) {
    const OpcodeTraits& traits = schedule_.opcodes[opcode];
    gas_ += static_cast<std::uint64_t>(traits.gas);
    required_ = std::max(required_, traits.stack_required - height_);
    height_ += traits.stack_change;
    growth_ = std::max(growth_, height_);
    // Saturated: beyond the limit nothing changes any more.
    required_ = std::min(required_, static_cast<std::int32_t>(kStackLimit) + 1);
    growth_ = std::min(growth_, static_cast<std::int32_t>(kStackLimit) + 1);
}

void CodeDecoder::run() {
    code_.instructions_.reserve(size_ / 2 + 8);
    code_.targets_.assign(size_, 0);
    for (std::size_t pc = 0; pc < size_;)
        pc = decode(pc);
    // Running off the end is STOP; jumps never lead here.
    if (block_ == kNone)
        begin_block();
    (void)emit(HandlerId::stop);
    end_block();
    patch_jumps();
}

std::size_t CodeDecoder::decode(std::size_t pc) {
    const std::uint8_t opcode = opcode_at(pc);
    if (opcode == OP_JUMPDEST) {
        end_block();
        code_.targets_[pc] = static_cast<std::uint32_t>(code_.instructions_.size());
        begin_block();
        account(opcode);
        return pc + 1;
    }
    if (block_ != kNone && gas_ > kMaxBlockGas)
        end_block();
    if (block_ == kNone)
        begin_block();
    if (!schedule_.opcodes[opcode].is_defined()) {
        (void)emit(HandlerId::invalid);
        end_block();
        // What follows is unreachable up to the next JUMPDEST.
        for (pc = next_pc(pc); pc < size_ && opcode_at(pc) != OP_JUMPDEST;)
            pc = next_pc(pc);
        return pc;
    }
    if (is_push(opcode))
        return decode_push(pc);

    account(opcode);
    std::size_t next = pc + 1;
    if (opcode == OP_PC) {
        emit(HandlerId::push_small).immediate = pc;
    } else if (opcode == OP_JUMP) {
        (void)emit(HandlerId::jump);
    } else if (opcode == OP_JUMPI) {
        (void)emit(HandlerId::jumpi);
    } else if (opcode == OP_ISZERO && is_push(opcode_at(next)) &&
               schedule_.opcodes[opcode_at(next)].is_defined() &&
               opcode_at(next_pc(next)) == OP_JUMPI) {
        account(opcode_at(next));
        account(OP_JUMPI);
        emit_static_jump(OP_JUMPI, push_value(next), true);
        end_block();
        return next_pc(next) + 1;
    } else {
        (void)emit(kOpcodeHandlers[opcode]);
    }
    if (ends_block(opcode))
        end_block();
    if (never_falls_through(opcode))
        while (next < size_ && opcode_at(next) != OP_JUMPDEST)
            next = next_pc(next);
    return next;
}

std::size_t CodeDecoder::decode_push(std::size_t pc) {
    account(opcode_at(pc));
    const Uint256 value = push_value(pc);
    const std::size_t next = next_pc(pc);
    const std::uint8_t follower = opcode_at(next);
    if (next < size_ && (follower == OP_JUMP || follower == OP_JUMPI)) {
        account(follower);
        emit_static_jump(follower, value, false);
        end_block();
        std::size_t after = next + 1;
        if (follower == OP_JUMP)
            while (after < size_ && opcode_at(after) != OP_JUMPDEST)
                after = next_pc(after);
        return after;
    }
    if (value.fits_uint64()) {
        const HandlerId fused = kConstantHandlers[follower];
        if (next < size_ && fused != kNoHandler && schedule_.opcodes[follower].is_defined()) {
            account(follower);
            emit(fused).immediate = value.low64();
            return next + 1;
        }
        emit(HandlerId::push_small).immediate = value.low64();
        return next;
    }
    constant_users_.push_back(static_cast<std::uint32_t>(code_.instructions_.size()));
    emit(HandlerId::push_large).immediate = constants_.size();
    constants_.push_back(value);
    return next;
}

void CodeDecoder::emit_static_jump(std::uint8_t opcode, const Uint256& destination, bool negated) {
    const bool is_valid =
        destination.fits_uint64() && code_.is_jump_destination(destination.low64());
    if (!is_valid) {
        if (negated)
            (void)emit(HandlerId::iszero);
        (void)emit(opcode == OP_JUMP ? HandlerId::bad_jump : HandlerId::bad_jumpi);
        return;
    }
    jumps_.push_back(static_cast<std::uint32_t>(code_.instructions_.size()));
    emit(opcode == OP_JUMP ? HandlerId::jump_static
         : negated         ? HandlerId::jumpi_zero_static
                           : HandlerId::jumpi_static)
        .immediate = destination.low64();
}

/// Only now do the instructions and constants have their final addresses.
void CodeDecoder::patch_jumps() {
    code_.instructions_.shrink_to_fit();
    for (const std::uint32_t index : jumps_) {
        Instruction& jump = code_.instructions_[index];
        jump.target = code_.instructions_.data() + code_.targets_[jump.immediate];
    }
    code_.constant_count_ = constants_.size();
    code_.constants_ = std::make_unique<Uint256[]>(constants_.size());
    std::ranges::copy(constants_, code_.constants_.get());
    for (const std::uint32_t index : constant_users_) {
        Instruction& push = code_.instructions_[index];
        push.constant = &code_.constants_[push.immediate];
    }
}

}  // namespace heddle::vm
