// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoded instructions, what the fast interpreter runs: a handler and an operand each.
#pragma once

#include <cstdint>

#include <types/publication.hpp>
#include <types/uint256.hpp>

namespace heddle::vm {

struct Frame;
struct Instruction;

// Tail-call dispatch keeps the machine in registers from handler to handler. Compilers that cannot
// guarantee tail calls get one function with computed gotos; a handler is then a label's address.
#if defined(__clang__) && __has_attribute(preserve_none) && \
    __has_cpp_attribute(clang::musttail) && !defined(HEDDLE_COMPUTED_GOTO)
#define HEDDLE_TAIL_CALLS 1
using Handler = __attribute__((preserve_none)) void (*)(const Instruction* ip, Uint256* sp,
                                                        std::int64_t gas, Frame* frame);
#else
#define HEDDLE_TAIL_CALLS 0
using Handler = const void*;
#endif

/// What a basic block needs, checked once at its entry. The stack's height at entry must be at
/// least `stack_required` and at most `stack_slack` more than that.
struct BlockNeeds {
    std::uint32_t gas = 0;  // sum of the static costs
    std::uint16_t stack_required = 0;
    std::uint16_t stack_slack = 0;
};
/// As `stack_required`, both are above every height, so that the check at the entry fails and all
/// else happens behind it.
inline constexpr std::uint16_t kNoHeightFits = 0xffff;
inline constexpr std::uint16_t kUndecoded = 0xfffe;

/// A handler and its operand. Of a link, which leads to another passage of the code, the operand is
/// published when somebody goes there first (see Publication); until then it is a stub of the
/// passage that the link is in. All else is immutable.
struct Instruction {
    union {
        Handler handler = nullptr;
        std::uint64_t undecoded_pc;  // of a stub, which is never executed
    };
    union {
        std::uint64_t immediate;
        const Uint256* constant;
        Publication<const Instruction> target;  // of a link
        BlockNeeds block;
    };
    Instruction() noexcept : immediate(0) {}

    /// Whether this is no block, but stands for one that is still to be decoded.
    [[nodiscard]] bool is_stub() const noexcept { return block.stack_required == kUndecoded; }
};
static_assert(sizeof(Instruction) == 16);

}  // namespace heddle::vm
