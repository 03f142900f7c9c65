// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Control flow, and what the decoder makes of it: blocks, static jumps, fused sequences.
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class Interpreter : public TransitionTest {
protected:
    void expect_halt(const Bytecode& code, Status status) {
        run(code);
        EXPECT_EQ(exact_status(), status);
        EXPECT_EQ(gas_used(), tx.gas_limit);
    }
};

TEST_F(Interpreter, running_off_the_end_is_a_stop) {
    EXPECT_EQ(run(Bytecode{}).status, Status::success);
    EXPECT_EQ(run(push(1)).status, Status::success);
    EXPECT_EQ(gas_used(), kTransferGas + 3);
    EXPECT_EQ(run(push(1) + OP_STOP + OP_INVALID).status, Status::success);
}

TEST_F(Interpreter, a_push_cut_short_is_filled_with_zeros) {
    for (unsigned size = 1; size <= 32; ++size) {
        const Bytecode cut = static_cast<Opcode>(OP_PUSH1 + size - 1);
        EXPECT_EQ(run(cut).status, Status::success);
        EXPECT_EQ(run(push(3) + OP_JUMP + OP_JUMPDEST + cut + raw({0x5b})).status, Status::success);
    }
    // The truncated operand is the jump's destination of nothing: no JUMP follows it.
    EXPECT_EQ(run(push(1) + OP_ISZERO + raw({OP_PUSH1 + 1, 0x00})).status, Status::success);
}

TEST_F(Interpreter, push_zero_takes_no_operand) {
    EXPECT_EQ(eval(OP_PUSH0), 0u);
    EXPECT_EQ(gas_of(OP_PUSH0), 2u);
}

TEST_F(Interpreter, pushes_of_every_size_push_what_they_say) {
    const Uint256 value{0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100,
                        0xfffefdfcfbfaf9f8};
    for (unsigned size = 1; size <= 32; ++size)
        EXPECT_EQ(eval(push_sized(size, value)),
                  size == 32
                      ? value
                      : value - (value >> (std::uint64_t{8} * size) << (std::uint64_t{8} * size)));
}

TEST_F(Interpreter, jumps_lead_to_jump_destinations_only) {
    expect_halt(push(0) + OP_JUMP, Status::bad_jump_destination);
    expect_halt(push(100) + OP_JUMP, Status::bad_jump_destination);
    expect_halt(push(Uint256::max()) + OP_JUMP, Status::bad_jump_destination);
    expect_halt(push((Uint256{1} << 64) + 3u) + OP_JUMP + OP_JUMPDEST,
                Status::bad_jump_destination);
    expect_halt(push(1) + push(0) + OP_JUMPI, Status::bad_jump_destination);
    EXPECT_EQ(run(push(0) + push(0) + OP_JUMPI).status, Status::success);  // not taken
}

TEST_F(Interpreter, a_jump_destination_inside_push_data_is_none) {
    // 0: PUSH1 4, 2: JUMP, 3: PUSH1 0x5b
    expect_halt(push(4) + OP_JUMP + push(0x5b), Status::bad_jump_destination);
    // The same with a destination that is computed.
    expect_halt(push(3) + push(5) + OP_ADD + OP_JUMP + push(0x5b) + OP_STOP,
                Status::bad_jump_destination);
    // The byte after the data is one.
    EXPECT_EQ(run(push(5) + OP_JUMP + push(0x5b) + OP_JUMPDEST).status, Status::success);
}

TEST_F(Interpreter, code_may_start_with_a_jump_destination) {
    // 0: JUMPDEST, GAS, PUSH 0, JUMPI: loops until the gas is gone.
    expect_halt(OP_JUMPDEST + OP_GAS + push(0) + OP_JUMPI, Status::out_of_gas);
    EXPECT_EQ(run(Bytecode{OP_JUMPDEST}).status, Status::success);
    EXPECT_EQ(gas_used(), kTransferGas + 1);
}

TEST_F(Interpreter, static_and_computed_jumps_do_the_same) {
    // 0: PUSH1 7, 2: JUMP, 3: PUSH1 1, 5: STOP, 6: INVALID, 7: JUMPDEST
    const Bytecode skipped = push(1) + OP_STOP + OP_INVALID;
    EXPECT_EQ(eval(push(7) + OP_JUMP + skipped + OP_JUMPDEST + push(42)), 42u);
    EXPECT_EQ(eval(push(10) + push(0) + OP_ADD + OP_JUMP + skipped + OP_JUMPDEST + push(42)), 42u);
}

TEST_F(Interpreter, a_conditional_jump_takes_any_bit_for_true) {
    // 0: PUSH32 condition, 33: PUSH1 38, 35: JUMPI, 36: STOP, 37: INVALID, 38: JUMPDEST
    const auto jumps = [&](const Uint256& condition, bool negated) {
        const Bytecode code = push_sized(32, condition) + (negated ? OP_ISZERO : OP_JUMPDEST) +
                              push(39) + OP_JUMPI + OP_STOP + OP_INVALID + OP_JUMPDEST + push(1) +
                              return_top();
        return !run(code).output.empty();
    };
    EXPECT_TRUE(jumps(Uint256{1} << 255, false));
    EXPECT_TRUE(jumps(Uint256{1} << 64, false));
    EXPECT_FALSE(jumps(0, false));
    EXPECT_FALSE(jumps(Uint256{1} << 128, true));
    EXPECT_TRUE(jumps(0, true));
}

TEST_F(Interpreter, the_fused_test_and_jump_checks_its_destination_only_when_taken) {
    EXPECT_EQ(run(push(1) + OP_ISZERO + push(99) + OP_JUMPI).status, Status::success);
    expect_halt(push(0) + OP_ISZERO + push(99) + OP_JUMPI, Status::bad_jump_destination);
}

TEST_F(Interpreter, jumping_between_the_parts_of_a_fused_sequence_is_possible) {
    // A JUMPDEST between PUSH and ADD keeps them apart: the jump arrives with its own operand.
    // 0: PUSH1 5, 2: PUSH1 9, 4: JUMP, 5: PUSH1 0, 7: PUSH1 3, 9: JUMPDEST, 10: PUSH1 2, 12: ADD
    EXPECT_EQ(
        eval(push(5) + push(9) + OP_JUMP + push(0) + push(3) + OP_JUMPDEST + push(2) + OP_ADD), 7u);
}

TEST_F(Interpreter, loops_pay_for_every_round) {
    // 0: PUSH1 10, 2: JUMPDEST, 3: PUSH1 1, 5: SWAP1, 6: SUB, 7: DUP1, 8: PUSH1 2, 10: JUMPI
    const Bytecode loop = push(10) + OP_JUMPDEST + push(1) + numbered(OP_SWAP1, 1) + OP_SUB +
                          OP_DUP1 + push(2) + OP_JUMPI;
    EXPECT_EQ(gas_of(loop), 3 + 10 * (1 + 3 + 3 + 3 + 3 + 3 + 10u));
}

TEST_F(Interpreter, gas_is_exact_at_every_single_amount) {
    // Blocks of all kinds, memory, storage, a call: whatever the limit, both interpreters agree.
    const Bytecode code = push(1) + push(2) + OP_ADD + OP_POP + mstore(64, push(3)) + sstore(0, 1) +
                          OP_GAS + OP_POP + push(64) + push(0) + OP_KECCAK256 + sload(1) + OP_POP +
                          OP_POP + call(kOther) + OP_POP + return_range(0, 32);
    pre.deploy(kOther, (push(1) + push(0) + OP_MSTORE + OP_STOP).bytes());
    pre.deploy(kTarget, code.bytes());
    run();
    const std::uint64_t needed = gas_used();
    for (std::uint64_t limit = kTransferGas; limit <= needed + 2;
         limit += limit % 97 == 0 ? 31 : 7) {
        tx.gas_limit = limit;
        EXPECT_EQ(run().status == Status::success, limit >= needed) << limit;
    }
    tx.gas_limit = needed;
    EXPECT_EQ(run().status, Status::success);
    tx.gas_limit = needed - 1;
    EXPECT_NE(run().status, Status::success);
}

TEST_F(Interpreter, the_stack_holds_1024_words) {
    EXPECT_EQ(run(1'024 * push(1)).status, Status::success);
    expect_halt(1'025 * push(1), Status::stack_overflow);
    EXPECT_EQ(run(1'023 * push(1) + OP_DUP1).status, Status::success);
    expect_halt(1'024 * push(1) + OP_DUP1, Status::stack_overflow);
    expect_halt(1'024 * push(1) + OP_MSIZE, Status::stack_overflow);
    EXPECT_EQ(run(1'024 * push(1) + numbered(OP_SWAP1, 16)).status, Status::success);
    // Growth is checked across blocks, whatever happens within one.
    expect_halt(1'020 * push(1) + OP_JUMPDEST + 4 * push(1) + OP_POP + 2 * push(1),
                Status::stack_overflow);
}

TEST_F(Interpreter, too_few_operands_halt) {
    for (const Bytecode& code :
         {Bytecode{OP_ADD}, push(1) + OP_ADD, Bytecode{OP_POP}, Bytecode{OP_JUMP},
          push(3) + OP_JUMPI, OP_ISZERO + push(9) + OP_JUMPI, push(1) + OP_MSTORE,
          push(1) + numbered(OP_DUP1, 2), push(1) + numbered(OP_SWAP1, 1), Bytecode{OP_SSTORE},
          6 * push(1) + OP_CALL, OP_JUMPDEST + OP_POP, push(1) + OP_POP + OP_POP + push(1)})
        expect_halt(code, Status::stack_underflow);
}

TEST_F(Interpreter, a_block_that_nobody_can_enter_always_fails) {
    // Needs more operands than fit beside what it pushes.
    const Bytecode pops = 1'020 * Bytecode{OP_POP};
    expect_halt(OP_JUMPDEST + pops + 1'100 * push(0) + pops, Status::stack_underflow);
}

TEST_F(Interpreter, undefined_instructions_consume_everything) {
    for (const std::uint8_t opcode : Bytes{0x0c, 0x1f, 0x21, 0x4b, 0xa5, 0xb0, 0xef, 0xf6, 0xfe})
        expect_halt(raw({opcode}), Status::invalid_instruction);
    // What comes before still happens, and costs nothing more than everything.
    expect_halt(sstore(0, 1) + OP_INVALID, Status::invalid_instruction);
    EXPECT_EQ(stored(kTarget, 0), 0u);
}

TEST_F(Interpreter, code_behind_an_undefined_instruction_is_reachable_by_jump) {
    // 0: PUSH1 4, 2: JUMP, 3: 0x0c, 4: JUMPDEST
    EXPECT_EQ(eval(push(4) + OP_JUMP + raw({0x0c}) + OP_JUMPDEST + push(8)), 8u);
}

TEST_F(Interpreter, the_program_counter_is_that_of_the_instruction) {
    EXPECT_EQ(eval(OP_PC), 0u);
    EXPECT_EQ(eval(push_sized(32, 1) + OP_POP + OP_PC), 34u);
    EXPECT_EQ(eval(push(3) + OP_JUMP + OP_JUMPDEST + OP_PC), 4u);
}

TEST_F(Interpreter, long_code_without_jumps_is_one_block) {
    const Bytecode code = 20'000 * (push(1) + OP_POP);
    EXPECT_EQ(gas_of(code), 100'000u);
    tx.gas_limit = kTransferGas + 99'999;
    expect_halt(code, Status::out_of_gas);
}

TEST_F(Interpreter, a_block_that_cannot_be_paid_for_reads_nothing) {
    tx.gas_limit = kTransferGas + 20;
    pre.deploy(kTarget, (push(1) + OP_SLOAD).bytes());
    run();
    for (const StateRead& read : reads())
        EXPECT_FALSE(read.slot.has_value());
}

}  // namespace
}  // namespace heddle::vm::test
