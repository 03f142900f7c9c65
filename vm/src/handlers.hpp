// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The fast interpreter's instruction set: one handler an opcode, and handlers for pairs and triples
// of opcodes that compilers emit together. The decoder chooses among them; the interpreter has
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "instruction.hpp"

namespace heddle::vm {

// X(name, body): one opcode, no operand.
#define HEDDLE_SIMPLE_HANDLERS(X)           \
    X(stop, ops::stop)                      \
    X(invalid, ops::invalid)                \
    X(add, ops::add)                        \
    X(mul, ops::mul)                        \
    X(sub, ops::sub)                        \
    X(div, ops::div)                        \
    X(sdiv, ops::sdiv)                      \
    X(mod, ops::mod)                        \
    X(smod, ops::smod)                      \
    X(addmod, ops::addmod)                  \
    X(mulmod, ops::mulmod)                  \
    X(exp, ops::exp)                        \
    X(signextend, ops::signextend)          \
    X(lt, ops::lt)                          \
    X(gt, ops::gt)                          \
    X(slt, ops::slt)                        \
    X(sgt, ops::sgt)                        \
    X(eq, ops::eq)                          \
    X(iszero, ops::iszero)                  \
    X(bit_and, ops::bit_and)                \
    X(bit_or, ops::bit_or)                  \
    X(bit_xor, ops::bit_xor)                \
    X(bit_not, ops::bit_not)                \
    X(byte, ops::byte)                      \
    X(shl, ops::shl)                        \
    X(shr, ops::shr)                        \
    X(sar, ops::sar)                        \
    X(clz, ops::clz)                        \
    X(keccak, ops::keccak)                  \
    X(address, ops::address)                \
    X(balance, ops::balance)                \
    X(origin, ops::origin)                  \
    X(caller, ops::caller)                  \
    X(callvalue, ops::callvalue)            \
    X(calldataload, ops::calldataload)      \
    X(calldatasize, ops::calldatasize)      \
    X(calldatacopy, ops::calldatacopy)      \
    X(codesize, ops::codesize)              \
    X(codecopy, ops::codecopy)              \
    X(gasprice, ops::gasprice)              \
    X(extcodesize, ops::extcodesize)        \
    X(extcodecopy, ops::extcodecopy)        \
    X(returndatasize, ops::returndatasize)  \
    X(returndatacopy, ops::returndatacopy)  \
    X(extcodehash, ops::extcodehash)        \
    X(blockhash, ops::blockhash)            \
    X(coinbase, ops::coinbase)              \
    X(timestamp, ops::timestamp)            \
    X(number, ops::number)                  \
    X(prevrandao, ops::prevrandao)          \
    X(gaslimit, ops::gaslimit)              \
    X(chainid, ops::chainid)                \
    X(selfbalance, ops::selfbalance)        \
    X(basefee, ops::basefee)                \
    X(blobhash, ops::blobhash)              \
    X(blobbasefee, ops::blobbasefee)        \
    X(slotnum, ops::slotnum)                \
    X(pop, ops::pop)                        \
    X(mload, ops::mload)                    \
    X(mstore, ops::mstore)                  \
    X(mstore8, ops::mstore8)                \
    X(sload, ops::sload)                    \
    X(sstore, ops::sstore)                  \
    X(msize, ops::msize)                    \
    X(tload, ops::tload)                    \
    X(tstore, ops::tstore)                  \
    X(mcopy, ops::mcopy)                    \
    X(dup1, ops::dup<1>)                    \
    X(dup2, ops::dup<2>)                    \
    X(dup3, ops::dup<3>)                    \
    X(dup4, ops::dup<4>)                    \
    X(dup5, ops::dup<5>)                    \
    X(dup6, ops::dup<6>)                    \
    X(dup7, ops::dup<7>)                    \
    X(dup8, ops::dup<8>)                    \
    X(dup9, ops::dup<9>)                    \
    X(dup10, ops::dup<10>)                  \
    X(dup11, ops::dup<11>)                  \
    X(dup12, ops::dup<12>)                  \
    X(dup13, ops::dup<13>)                  \
    X(dup14, ops::dup<14>)                  \
    X(dup15, ops::dup<15>)                  \
    X(dup16, ops::dup<16>)                  \
    X(swap1, ops::swap<1>)                  \
    X(swap2, ops::swap<2>)                  \
    X(swap3, ops::swap<3>)                  \
    X(swap4, ops::swap<4>)                  \
    X(swap5, ops::swap<5>)                  \
    X(swap6, ops::swap<6>)                  \
    X(swap7, ops::swap<7>)                  \
    X(swap8, ops::swap<8>)                  \
    X(swap9, ops::swap<9>)                  \
    X(swap10, ops::swap<10>)                \
    X(swap11, ops::swap<11>)                \
    X(swap12, ops::swap<12>)                \
    X(swap13, ops::swap<13>)                \
    X(swap14, ops::swap<14>)                \
    X(swap15, ops::swap<15>)                \
    X(swap16, ops::swap<16>)                \
    X(log0, ops::log<0>)                    \
    X(log1, ops::log<1>)                    \
    X(log2, ops::log<2>)                    \
    X(log3, ops::log<3>)                    \
    X(log4, ops::log<4>)                    \
    X(create, ops::create)                  \
    X(call, ops::call)                      \
    X(callcode, ops::callcode)              \
    X(return_, ops::leave<Status::success>) \
    X(delegatecall, ops::delegatecall)      \
    X(create2, ops::create2)                \
    X(staticcall, ops::staticcall)          \
    X(revert, ops::leave<Status::revert>)   \
    X(selfdestruct, ops::selfdestruct)

// X(name): steps that use the operand or choose the next instruction; defined in interpreter.cpp.
#define HEDDLE_STEP_HANDLERS(X) \
    X(begin_block)              \
    X(push_small)               \
    X(push_large)               \
    X(push_two)                 \
    X(pop_many)                 \
    X(gas_left)                 \
    X(swap_pop)                 \
    X(dup_deep)                 \
    X(swap_deep)                \
    X(jump)                     \
    X(jumpi)                    \
    X(jump_static)              \
    X(jumpi_static)             \
    X(jumpi_zero_static)        \
    X(jumpi_equal_static)       \
    X(bad_jump)                 \
    X(bad_jumpi)

// X(name, body): a small constant pushed, then the body's opcode, which takes it from the top.
#define HEDDLE_CONSTANT_HANDLERS(X)          \
    X(const_add, ops::add)                   \
    X(const_sub, ops::sub)                   \
    X(const_mul, ops::mul)                   \
    X(const_div, ops::div)                   \
    X(const_mod, ops::mod)                   \
    X(const_and, ops::bit_and)               \
    X(const_or, ops::bit_or)                 \
    X(const_xor, ops::bit_xor)               \
    X(const_lt, ops::lt)                     \
    X(const_gt, ops::gt)                     \
    X(const_eq, ops::eq)                     \
    X(const_shl, ops::shl)                   \
    X(const_shr, ops::shr)                   \
    X(const_sar, ops::sar)                   \
    X(const_byte, ops::byte)                 \
    X(const_signextend, ops::signextend)     \
    X(const_mload, ops::mload)               \
    X(const_mstore, ops::mstore)             \
    X(const_calldataload, ops::calldataload) \
    X(const_dup1, ops::dup<1>)               \
    X(const_dup2, ops::dup<2>)               \
    X(const_dup3, ops::dup<3>)               \
    X(const_dup4, ops::dup<4>)               \
    X(const_dup5, ops::dup<5>)               \
    X(const_dup6, ops::dup<6>)               \
    X(const_dup7, ops::dup<7>)               \
    X(const_dup8, ops::dup<8>)               \
    X(const_swap1, ops::swap<1>)             \
    X(const_swap2, ops::swap<2>)             \
    X(const_swap3, ops::swap<3>)

// X(name, body): a constant wider than 64 bits pushed, then the body's opcode.
#define HEDDLE_WIDE_CONSTANT_HANDLERS(X) \
    X(wide_and, ops::bit_and)            \
    X(wide_or, ops::bit_or)              \
    X(wide_xor, ops::bit_xor)            \
    X(wide_add, ops::add)                \
    X(wide_mul, ops::mul)                \
    X(wide_div, ops::div)                \
    X(wide_eq, ops::eq)                  \
    X(wide_dup2, ops::dup<2>)            \
    X(wide_dup3, ops::dup<3>)

// X(name, body): DUPn, n in the operand, then the body's opcode.
#define HEDDLE_DUP_HANDLERS(X) \
    X(dup_add, ops::add)       \
    X(dup_sub, ops::sub)       \
    X(dup_mul, ops::mul)       \
    X(dup_div, ops::div)       \
    X(dup_sdiv, ops::sdiv)     \
    X(dup_and, ops::bit_and)   \
    X(dup_or, ops::bit_or)     \
    X(dup_xor, ops::bit_xor)   \
    X(dup_lt, ops::lt)         \
    X(dup_gt, ops::gt)         \
    X(dup_slt, ops::slt)       \
    X(dup_sgt, ops::sgt)       \
    X(dup_eq, ops::eq)         \
    X(dup_iszero, ops::iszero) \
    X(dup_shl, ops::shl)       \
    X(dup_shr, ops::shr)       \
    X(dup_mload, ops::mload)   \
    X(dup_mstore, ops::mstore) \
    X(dup_mulmod, ops::mulmod) \
    X(dup_addmod, ops::addmod) \
    X(dup_dup1, ops::dup<1>)   \
    X(dup_dup2, ops::dup<2>)   \
    X(dup_dup3, ops::dup<3>)   \
    X(dup_dup4, ops::dup<4>)   \
    X(dup_dup5, ops::dup<5>)   \
    X(dup_dup6, ops::dup<6>)   \
    X(dup_swap1, ops::swap<1>) \
    X(dup_swap2, ops::swap<2>)

// X(name, body): a comparison, then a static JUMPI on its result, or on its negation.
#define HEDDLE_COMPARE_HANDLERS(X) \
    X(lt_jumpi, ops::lt)           \
    X(gt_jumpi, ops::gt)           \
    X(slt_jumpi, ops::slt)         \
    X(sgt_jumpi, ops::sgt)         \
    X(eq_jumpi, ops::eq)
#define HEDDLE_NEGATED_COMPARE_HANDLERS(X) \
    X(lt_zero_jumpi, ops::lt)              \
    X(gt_zero_jumpi, ops::gt)              \
    X(slt_zero_jumpi, ops::slt)            \
    X(sgt_zero_jumpi, ops::sgt)            \
    X(eq_zero_jumpi, ops::eq)

// X(name, first, second): two opcodes in a row.
#define HEDDLE_PAIR_HANDLERS(X)                \
    X(add_swap1, ops::add, ops::swap<1>)       \
    X(add_mload, ops::add, ops::mload)         \
    X(add_add, ops::add, ops::add)             \
    X(and_or, ops::bit_and, ops::bit_or)       \
    X(and_dup1, ops::bit_and, ops::dup<1>)     \
    X(div_and, ops::div, ops::bit_and)         \
    X(shr_and, ops::shr, ops::bit_and)         \
    X(swap1_dup2, ops::swap<1>, ops::dup<2>)   \
    X(swap1_sub, ops::swap<1>, ops::sub)       \
    X(swap1_div, ops::swap<1>, ops::div)       \
    X(swap1_swap2, ops::swap<1>, ops::swap<2>) \
    X(swap2_swap1, ops::swap<2>, ops::swap<1>) \
    X(pop_dup1, ops::pop, ops::dup<1>)         \
    X(pop_dup2, ops::pop, ops::dup<2>)         \
    X(pop_swap1, ops::pop, ops::swap<1>)

// clang-format off: the lists are generated, one name a line would say no more
enum class HandlerId : std::uint16_t {
#define HEDDLE_ENUMERATE(name, ...) name,
    HEDDLE_STEP_HANDLERS(HEDDLE_ENUMERATE)
    HEDDLE_SIMPLE_HANDLERS(HEDDLE_ENUMERATE)
    HEDDLE_CONSTANT_HANDLERS(HEDDLE_ENUMERATE)
    HEDDLE_WIDE_CONSTANT_HANDLERS(HEDDLE_ENUMERATE)
    HEDDLE_DUP_HANDLERS(HEDDLE_ENUMERATE)
    HEDDLE_COMPARE_HANDLERS(HEDDLE_ENUMERATE)
    HEDDLE_NEGATED_COMPARE_HANDLERS(HEDDLE_ENUMERATE)
    HEDDLE_PAIR_HANDLERS(HEDDLE_ENUMERATE)
#undef HEDDLE_ENUMERATE
    count_,
};
// clang-format on
inline constexpr std::size_t kHandlerCount = static_cast<std::size_t>(HandlerId::count_);

/// The code behind each HandlerId, of the kind that is best on this processor.
[[nodiscard]] const Handler* handler_table() noexcept;
/// From then on handler_table() gives those that every processor can run: for tests, which would
/// see one kind only. Before anything is decoded.
void use_portable_handlers() noexcept;

}  // namespace heddle::vm
