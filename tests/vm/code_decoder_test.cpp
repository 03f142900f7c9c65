// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the decoder makes one instruction of: every pair of opcodes, behind constants that it
// knows and behind values that it does not, does what the plain interpreter does.
#include "transition_fixture.hpp"

#include <vector>

#include "gas_schedule.hpp"

namespace heddle::vm::test {
namespace {

/// Opcodes without calls, with a few of each kind of PUSH, DUP and SWAP.
std::vector<Opcode> opcodes() {
    std::vector<Opcode> result;
    for (unsigned i = 0; i < OP_CREATE; ++i) {
        const bool is_numbered = i > OP_PUSH1 && i <= OP_SWAP16;
        const bool is_sample = i == OP_PUSH1 + 1 || i == OP_PUSH32 || i == OP_DUP1 ||
                               i == OP_DUP1 + 1 || i == OP_DUP16 || i == OP_SWAP1 ||
                               i == OP_SWAP1 + 1 || i == OP_SWAP16;
        if (gas_schedule(kLatestRevision).opcodes[i].is_defined() && (!is_numbered || is_sample))
            result.push_back(static_cast<Opcode>(i));
    }
    return result;
}

class CodeDecoders : public TransitionTest {
protected:
    CodeDecoders() { use(Revision::amsterdam); }

    /// Runs `middle` on a stack of small and wide words and returns what is then on top.
    void compare(const Bytecode& before, const Bytecode& middle) {
        static const Bytecode kDump = [] {
            Bytecode dump;
            for (unsigned i = 0; i < 6; ++i)
                dump += push(Uint256{32} * i) + OP_MSTORE;
            return dump + return_range(0, 192);
        }();
        pre.codes.clear();
        (void)run(before + middle + kDump);
        ASSERT_FALSE(HasFailure()) << to_hex(middle.bytes());
    }
    static Bytecode stack() {
        Bytecode code;
        for (const Uint256& word :
             {Uint256{9}, Uint256::max(), Uint256{64}, Uint256{1, 2, 3, 4}, Uint256{0},
              Uint256{255}, Uint256{1} << 255, Uint256{31}, Uint256{3}, Uint256{1} << 64,
              Uint256{32}, Uint256{7}, Uint256{5}, Uint256{0}, Uint256{2}, Uint256{33}, Uint256{1},
              Uint256{36}})
            code += push(word);
        return code;
    }
};

TEST_F(CodeDecoders, every_pair_of_opcodes_does_what_its_parts_do) {
    const std::vector<Opcode> all = opcodes();
    const Bytecode known = stack();
    const Bytecode unknown = stack() + OP_JUMPDEST;
    for (const Opcode first : all)
        for (const Opcode second : all) {
            compare(known, first + second);
            compare(unknown, first + second);
            compare(unknown, first + push(3) + second);
        }
}

TEST_F(CodeDecoders, every_opcode_takes_constants_of_any_size) {
    for (const Opcode opcode : opcodes())
        for (const Uint256& constant : {Uint256{0}, Uint256{1}, Uint256{0xffff'ffff},
                                        Uint256{1} << 32, Uint256{1} << 64, Uint256::max()}) {
            compare(stack() + OP_JUMPDEST, push(constant) + opcode);
            compare(stack() + OP_JUMPDEST, push(constant) + push(constant) + opcode);
            compare(stack() + OP_JUMPDEST, push(constant) + OP_DUP1 + opcode);
        }
}

TEST_F(CodeDecoders, comparisons_and_jumps_agree_in_every_combination) {
    const Uint256 values[] = {0, 1, 2, Uint256{1} << 255, Uint256::max()};
    for (const Opcode comparison : {OP_LT, OP_GT, OP_SLT, OP_SGT, OP_EQ, OP_SUB, OP_AND, OP_XOR})
        for (const Uint256& a : values)
            for (const Uint256& b : values)
                for (const std::size_t negations : {0u, 1u, 2u, 3u}) {
                    // The destination is far enough for any of these, behind a row of JUMPDESTs.
                    const Bytecode condition = comparison + negations * Bytecode{OP_ISZERO};
                    const Bytecode operands = push_sized(32, b) + push_sized(32, a) + OP_JUMPDEST;
                    const auto target = operands.size() + condition.size() + 4 + 2;
                    compare(operands, condition + push_sized(2, target) + OP_JUMPI + push(7) +
                                          OP_JUMPDEST + OP_STOP);
                }
}

TEST_F(CodeDecoders, gas_is_exact_in_the_middle_of_a_block) {
    for (const Opcode before : opcodes())
        for (const Opcode after : {OP_ADD, OP_MSTORE, OP_SLOAD, OP_KECCAK256, OP_DUP1, OP_POP})
            compare(stack() + OP_JUMPDEST,
                    before + OP_GAS + push(3) + push(4) + OP_ADD + OP_GAS + after + OP_GAS);
}

TEST_F(CodeDecoders, what_undoes_itself_is_paid_for_and_needs_its_stack) {
    for (const Opcode opcode : opcodes())
        compare(stack(), OP_GAS + (opcode + OP_POP) + OP_GAS);
    for (const unsigned n : {1u, 2u, 4u, 16u}) {
        compare(stack(), OP_GAS + 2 * numbered(OP_SWAP1, n) + OP_GAS);
        compare(stack(), OP_GAS + 3 * numbered(OP_SWAP1, n) + OP_GAS);
    }
    // Nothing is done, and still it fails where the stack is too low or too high.
    EXPECT_EQ(run(2 * numbered(OP_SWAP1, 1)).status, Status::stack_underflow);
    EXPECT_EQ(run(push(1) + 2 * numbered(OP_SWAP1, 1)).status, Status::stack_underflow);
    EXPECT_EQ(run(OP_DUP1 + OP_POP).status, Status::stack_underflow);
    EXPECT_EQ(run(kStackLimit * push(1) + OP_ADDRESS + OP_POP).status, Status::stack_overflow);
    EXPECT_EQ(run((kStackLimit - 1) * push(1) + OP_ADDRESS + OP_POP).status, Status::success);
}

TEST_F(CodeDecoders, a_selector_jumps_where_it_is_equal) {
    for (const unsigned selector : {5u, 6u}) {
        // DUP1, PUSH1, EQ, PUSH1, JUMPI behind a value that is not known.
        const Bytecode before = push(selector) + OP_JUMPDEST;
        const auto target = before.size() + 9;
        EXPECT_EQ(eval(before + OP_DUP1 + push(5) + OP_EQ + push(target) + OP_JUMPI + push(1) +
                       OP_JUMPDEST),
                  selector == 5 ? 5u : 1u);
    }
}

}  // namespace
}  // namespace heddle::vm::test
