// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code.hpp"

#include <random>

#include <gtest/gtest.h>

#include "bytecode.hpp"
#include "handlers.hpp"

namespace heddle::vm::test {
namespace {

class Codes : public testing::Test {
protected:
    const Code& decode(const Bytecode& bytes, Revision revision = kLatestRevision) {
        code = std::make_unique<Code>(bytes.bytes(), gas_schedule(revision), true);
        return *code;
    }
    [[nodiscard]] static bool is(const Instruction& instruction, HandlerId id) {
        return instruction.handler == handler_table()[static_cast<std::size_t>(id)];
    }

public:
    std::unique_ptr<Code> code;
};

/// Byte by byte, as YP 9.4.3 has it.
TEST_F(Codes, jump_destinations_are_those_of_the_definition_in_code_of_any_length) {
    std::mt19937_64 random(7);  // NOLINT(bugprone-random-generator-seed): the same code each time
    for (std::size_t round = 0; round < 4'000; ++round) {
        Bytes bytes(round % 300);
        for (std::uint8_t& byte : bytes) {
            const std::uint64_t draw = random();
            // Mostly destinations and their neighbours, sometimes a PUSH, sometimes anything.
            byte = draw % 8 < 4   ? OP_JUMPDEST
                   : draw % 8 < 6 ? static_cast<std::uint8_t>(0x5a + draw / 8 % 6)
                   : draw % 8 < 7 ? static_cast<std::uint8_t>(draw / 8)
                                  : static_cast<std::uint8_t>(OP_PUSH1 + draw / 8 % 32);
        }
        const Code code(bytes, gas_schedule(Revision::osaka), false);
        std::size_t next = 0;
        for (std::size_t pc = 0; pc < bytes.size() + 40; ++pc) {
            const bool is_instruction = pc == next && pc < bytes.size();
            ASSERT_EQ(code.is_jump_destination(pc), is_instruction && bytes[pc] == OP_JUMPDEST)
                << "round " << round << ", pc " << pc;
            if (!is_instruction) continue;
            const bool is_push = bytes[pc] >= OP_PUSH1 && bytes[pc] <= OP_PUSH32;
            next += is_push ? bytes[pc] - OP_PUSH1 + 2u : 1u;
        }
    }
}

TEST_F(Codes, jump_destinations_are_found_outside_of_push_data) {
    const Code& c = decode(push(0x5b) + OP_JUMPDEST + push_sized(32, 0x5b) + OP_JUMPDEST);

    EXPECT_FALSE(c.is_jump_destination(1));
    EXPECT_TRUE(c.is_jump_destination(2));
    EXPECT_FALSE(c.is_jump_destination(35));
    EXPECT_TRUE(c.is_jump_destination(36));
    EXPECT_FALSE(c.is_jump_destination(37));
    EXPECT_FALSE(c.is_jump_destination(~std::uint64_t{0}));
    EXPECT_EQ(c.jump_target(Uint256{1} << 64), nullptr);
    EXPECT_EQ(c.jump_target(1), nullptr);
    EXPECT_TRUE(is(*c.jump_target(2), HandlerId::begin_block));
}

TEST_F(Codes, a_block_sums_up_what_it_needs) {
    const Code& c = decode(OP_ADD + push(1) + OP_MUL);
    const BlockNeeds& needs = c.entry()->block;

    EXPECT_TRUE(is(c.entry()[0], HandlerId::begin_block));
    EXPECT_EQ(needs.gas, 3u + 3 + 5);
    EXPECT_EQ(needs.stack_required, 2u);
    EXPECT_EQ(needs.stack_slack, kStackLimit - 2u);
}

TEST_F(Codes, pairs_and_triples_are_fused) {
    EXPECT_TRUE(is(decode(push(1) + OP_ADD).entry()[1], HandlerId::const_add));
    EXPECT_TRUE(is(decode(push(3) + OP_JUMP + OP_JUMPDEST).entry()[1], HandlerId::jump_static));
    EXPECT_TRUE(is(decode(push(3) + OP_JUMPI + OP_JUMPDEST).entry()[1], HandlerId::jumpi_static));
    EXPECT_TRUE(is(decode(OP_ISZERO + push(4) + OP_JUMPI + OP_JUMPDEST).entry()[1],
                   HandlerId::jumpi_zero_static));
    EXPECT_TRUE(is(decode(push(9) + OP_JUMP).entry()[1], HandlerId::bad_jump));
    EXPECT_TRUE(is(decode(push(9) + OP_JUMPI).entry()[1], HandlerId::bad_jumpi));
}

TEST_F(Codes, a_static_jump_leads_straight_to_its_block) {
    const Code& c = decode(push(5) + OP_JUMP + OP_STOP + OP_STOP + OP_JUMPDEST);

    EXPECT_EQ(c.entry()[1].target, c.jump_target(5));
}

TEST_F(Codes, wide_constants_are_kept_beside_the_instructions) {
    const Uint256 wide{1, 2, 3, 4};
    const Code& c = decode(push(wide) + OP_STOP);

    EXPECT_TRUE(is(c.entry()[1], HandlerId::push_large));
    EXPECT_EQ(*c.entry()[1].constant, wide);
}

TEST_F(Codes, reading_the_world_and_looking_at_gas_end_a_block) {
    for (const Opcode opcode : {OP_GAS, OP_SLOAD, OP_SSTORE, OP_BALANCE, OP_CALL, OP_CREATE}) {
        const Code& c = decode(opcode + OP_STOP);
        EXPECT_TRUE(is(c.entry()[2], HandlerId::begin_block)) << int{opcode};
    }
}

TEST_F(Codes, what_nothing_can_reach_is_left_out) {
    const Code& c = decode(OP_STOP + 1'000 * Bytecode{OP_ADD} + OP_JUMPDEST);

    EXPECT_TRUE(is(c.entry()[1], HandlerId::stop));
    EXPECT_EQ(&c.entry()[2], c.jump_target(1'001));
}

TEST_F(Codes, the_same_bytes_mean_what_the_revision_says) {
    EXPECT_TRUE(is(decode(OP_PUSH0).entry()[1], HandlerId::push_small));
    EXPECT_TRUE(is(decode(OP_PUSH0, Revision::paris).entry()[1], HandlerId::invalid));
    // An undefined push is no operand of a fused sequence.
    EXPECT_TRUE(is(decode(OP_ISZERO + OP_PUSH0 + Bytecode{OP_JUMPI}, Revision::paris).entry()[1],
                   HandlerId::iszero));
}

TEST_F(Codes, a_delegation_is_23_bytes_with_its_prefix) {  // EIP-7702
    Bytes bytes{0xef, 0x01, 0x00};
    const Address target = address_from_low64(0x1234);
    bytes.insert(bytes.end(), target.bytes.begin(), target.bytes.end());

    EXPECT_EQ(delegation_target(bytes, Revision::prague), target);
    EXPECT_EQ(delegation_target(bytes, Revision::cancun), std::nullopt);
    EXPECT_EQ(delegation_target(bytes, Revision::frontier), std::nullopt);
    bytes.push_back(0);
    EXPECT_EQ(delegation_target(bytes, kLatestRevision), std::nullopt);
    bytes.resize(23);
    bytes[2] = 1;
    EXPECT_EQ(delegation_target(bytes, kLatestRevision), std::nullopt);
    EXPECT_EQ(delegation_target({}, kLatestRevision), std::nullopt);
}

}  // namespace
}  // namespace heddle::vm::test
