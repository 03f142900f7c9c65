// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "plain_interpreter.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "instructions/arithmetic.hpp"
#include "instructions/call.hpp"
#include "instructions/environment.hpp"
#include "instructions/memory.hpp"
#include "instructions/state_access.hpp"
#include "step_watch.hpp"

namespace heddle::vm {
namespace {

namespace ops = instructions;

using Body = bool (*)(Frame&, Uint256*&, std::int64_t&) noexcept;

template <int... I>
constexpr void set_dups_and_swaps(std::array<Body, 256>& table, std::integer_sequence<int, I...>) {
    ((table[OP_DUP1 + static_cast<unsigned>(I)] = ops::dup<I + 1>), ...);
    ((table[OP_SWAP1 + static_cast<unsigned>(I)] = ops::swap<I + 1>), ...);
}

/// Everything that does not move the program counter by itself. One line per opcode is long, and
/// clearer than any way to shorten it.
constexpr std::array<Body, 256> make_bodies() {  // NOLINT(readability-function-size)
    std::array<Body, 256> t{};
    t[OP_STOP] = ops::stop;
    t[OP_ADD] = ops::add;
    t[OP_MUL] = ops::mul;
    t[OP_SUB] = ops::sub;
    t[OP_DIV] = ops::div;
    t[OP_SDIV] = ops::sdiv;
    t[OP_MOD] = ops::mod;
    t[OP_SMOD] = ops::smod;
    t[OP_ADDMOD] = ops::addmod;
    t[OP_MULMOD] = ops::mulmod;
    t[OP_EXP] = ops::exp;
    t[OP_SIGNEXTEND] = ops::signextend;
    t[OP_LT] = ops::lt;
    t[OP_GT] = ops::gt;
    t[OP_SLT] = ops::slt;
    t[OP_SGT] = ops::sgt;
    t[OP_EQ] = ops::eq;
    t[OP_ISZERO] = ops::iszero;
    t[OP_AND] = ops::bit_and;
    t[OP_OR] = ops::bit_or;
    t[OP_XOR] = ops::bit_xor;
    t[OP_NOT] = ops::bit_not;
    t[OP_BYTE] = ops::byte;
    t[OP_SHL] = ops::shl;
    t[OP_SHR] = ops::shr;
    t[OP_SAR] = ops::sar;
    t[OP_CLZ] = ops::clz;
    t[OP_KECCAK256] = ops::keccak;
    t[OP_ADDRESS] = ops::address;
    t[OP_BALANCE] = ops::balance;
    t[OP_ORIGIN] = ops::origin;
    t[OP_CALLER] = ops::caller;
    t[OP_CALLVALUE] = ops::callvalue;
    t[OP_CALLDATALOAD] = ops::calldataload;
    t[OP_CALLDATASIZE] = ops::calldatasize;
    t[OP_CALLDATACOPY] = ops::calldatacopy;
    t[OP_CODESIZE] = ops::codesize;
    t[OP_CODECOPY] = ops::codecopy;
    t[OP_GASPRICE] = ops::gasprice;
    t[OP_EXTCODESIZE] = ops::extcodesize;
    t[OP_EXTCODECOPY] = ops::extcodecopy;
    t[OP_RETURNDATASIZE] = ops::returndatasize;
    t[OP_RETURNDATACOPY] = ops::returndatacopy;
    t[OP_EXTCODEHASH] = ops::extcodehash;
    t[OP_BLOCKHASH] = ops::blockhash;
    t[OP_COINBASE] = ops::coinbase;
    t[OP_TIMESTAMP] = ops::timestamp;
    t[OP_NUMBER] = ops::number;
    t[OP_PREVRANDAO] = ops::prevrandao;
    t[OP_GASLIMIT] = ops::gaslimit;
    t[OP_CHAINID] = ops::chainid;
    t[OP_SELFBALANCE] = ops::selfbalance;
    t[OP_BASEFEE] = ops::basefee;
    t[OP_BLOBHASH] = ops::blobhash;
    t[OP_BLOBBASEFEE] = ops::blobbasefee;
    t[OP_SLOTNUM] = ops::slotnum;
    t[OP_POP] = ops::pop;
    t[OP_MLOAD] = ops::mload;
    t[OP_MSTORE] = ops::mstore;
    t[OP_MSTORE8] = ops::mstore8;
    t[OP_SLOAD] = ops::sload;
    t[OP_SSTORE] = ops::sstore;
    t[OP_MSIZE] = ops::msize;
    t[OP_GAS] = ops::gas;
    t[OP_TLOAD] = ops::tload;
    t[OP_TSTORE] = ops::tstore;
    t[OP_MCOPY] = ops::mcopy;
    set_dups_and_swaps(t, std::make_integer_sequence<int, 16>{});
    t[OP_LOG0] = ops::log<0>;
    t[OP_LOG0 + 1] = ops::log<1>;
    t[OP_LOG0 + 2] = ops::log<2>;
    t[OP_LOG0 + 3] = ops::log<3>;
    t[OP_LOG4] = ops::log<4>;
    t[OP_CREATE] = ops::create;
    t[OP_CALL] = ops::call;
    t[OP_CALLCODE] = ops::callcode;
    t[OP_RETURN] = ops::leave<Status::success>;
    t[OP_DELEGATECALL] = ops::delegatecall;
    t[OP_CREATE2] = ops::create2;
    t[OP_STATICCALL] = ops::staticcall;
    t[OP_REVERT] = ops::leave<Status::revert>;
    t[OP_SELFDESTRUCT] = ops::selfdestruct;
    return t;
}

constexpr std::array<Body, 256> kBodies = make_bodies();

/// What every instruction must pass (YP 9.4.2, Z); pays the static gas.
bool check(Frame& frame, const OpcodeTraits& traits, const Uint256* sp,
           std::int64_t& gas) noexcept {
    const std::ptrdiff_t height = sp - frame.stack_base;
    if (!traits.is_defined()) return ops::halt(frame, Status::invalid_instruction);
    if (height < traits.stack_required) return ops::halt(frame, Status::stack_underflow);
    if (height + traits.stack_change > static_cast<std::ptrdiff_t>(kStackLimit))
        return ops::halt(frame, Status::stack_overflow);
    return ops::charge(frame, gas, traits.gas);
}

bool jump(Frame& frame, const Uint256& target, std::uint32_t& pc) noexcept {
    if (!target.fits_uint64() || !frame.code->is_jump_destination(target.low64()))
        return ops::halt(frame, Status::bad_jump_destination);
    pc = static_cast<std::uint32_t>(target.low64());
    if (frame.code->entries(pc) >= frame.decode_after) [[unlikely]] {
        frame.exit = Exit::warm;
        return false;
    }
    return true;
}

/// DUPN, SWAPN, EXCHANGE; what they need on the stack has not been checked.
bool execute_deep(Frame& frame, std::uint32_t pc, Uint256*& sp) noexcept {
    const std::uint8_t* const code = frame.code->padded() + pc;
    const DeepOperands operands = deep_operands(code[0], code[1]);
    if (!operands.is_valid()) return ops::halt(frame, Status::invalid_instruction);
    if (sp - frame.stack_base < operands.stack_required())
        return ops::halt(frame, Status::stack_underflow);
    if (code[0] == OP_DUPN)
        ops::dup_deep(sp, operands.first);
    else
        ops::swap_deep(sp, operands.first, operands.second);
    return true;
}

/// The operand of a PUSH: `size` bytes, 1 to 32, of at least 32 that can be read.
[[gnu::always_inline]] inline Uint256 load_operand(const std::uint8_t* bytes,
                                                   unsigned size) noexcept {
    if (size > 8) return load_be(bytes) >> (256 - 8 * size);
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return Uint256{std::byteswap(word) >> (64 - 8 * size)};
}

/// Executes the instruction at `pc` and moves `pc` past it.
bool execute(Frame& frame, std::uint32_t& pc, Uint256*& sp, std::int64_t& gas) noexcept {
    const std::uint8_t opcode = frame.code->padded()[pc];
    if (opcode >= OP_PUSH1 && opcode <= OP_PUSH32) {
        const unsigned size = opcode - OP_PUSH1 + 1u;
        *sp++ = load_operand(frame.code->padded() + pc + 1, size);
        pc += size + 1;
        return true;
    }
    switch (opcode) {
        case OP_PUSH0:
            *sp++ = {};
            break;
        case OP_PC:
            *sp++ = Uint256{pc};
            break;
        case OP_JUMPDEST:
            frame.code->enter(pc);
            break;
        case OP_JUMP:
            return jump(frame, *--sp, pc);
        case OP_DUPN:
        case OP_SWAPN:
        case OP_EXCHANGE:
            if (!execute_deep(frame, pc, sp)) return false;
            pc += 2;
            return true;
        case OP_JUMPI: {
            sp -= 2;
            if (!sp[0].is_zero()) return jump(frame, sp[1], pc);
            frame.code->enter(pc + 1);
            break;
        }
        default: {
            const bool goes_on = kBodies[opcode](frame, sp, gas);
            ++pc;  // also before a call: that is where execution goes on
            return goes_on;
        }
    }
    ++pc;
    return true;
}

/// In place of a StepWatch where nobody watches.
struct NoWatch {};

template <typename Watch>
void run(Frame& frame, Watch watch) noexcept {
    constexpr bool kIsTraced = std::is_same_v<Watch, StepWatch>;
    std::uint32_t pc = frame.pc;
    Uint256* sp = frame.sp;
    std::int64_t gas = frame.gas_left;
    for (;;) {
        if constexpr (kIsTraced) watch.before(pc, sp, gas);
        const OpcodeTraits& traits = frame.schedule->opcodes[frame.code->padded()[pc]];
        bool goes_on = check(frame, traits, sp, gas) && execute(frame, pc, sp, gas);
        if constexpr (kIsTraced)
            if (!watch.after(goes_on, sp, gas)) goes_on = ops::halt(frame, Status::aborted);
        if (!goes_on) break;
    }
    frame.pc = pc;
    frame.sp = sp;
    frame.gas_left = gas;
}

}  // namespace

void run_plain(Frame& frame, Tracer* tracer) noexcept {
    if (tracer != nullptr)
        run(frame, StepWatch{frame, *tracer});
    else
        run(frame, NoWatch{});
}

}  // namespace heddle::vm
