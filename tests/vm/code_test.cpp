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
        code = std::make_unique<Code>(bytes.bytes(), gas_schedule(revision));
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
    for (std::size_t round = 0; round < 8'000; ++round) {
        Bytes bytes(round % 300);
        for (std::uint8_t& byte : bytes) {
            const std::uint64_t draw = random();
            // Mostly destinations and their neighbours, sometimes a PUSH, sometimes anything. Every
            // other code has few of any of them, each third one none but small PUSHes.
            const bool is_dull = round % 2 == 0 && (draw >> 32) % 16 != 0;
            const std::uint64_t longest = round % 3 == 0 ? 3 : 32;
            byte = is_dull        ? static_cast<std::uint8_t>(OP_ADD)
                   : draw % 8 < 4 ? OP_JUMPDEST
                   : draw % 8 < 6 ? static_cast<std::uint8_t>(0x5a + draw / 8 % 6)
                   : draw % 8 < 7 ? static_cast<std::uint8_t>(draw / 8)
                                  : static_cast<std::uint8_t>(OP_PUSH1 + draw / 8 % longest);
        }
        const Code code(bytes, gas_schedule(Revision::osaka));
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
    EXPECT_EQ(c.block_at(~std::uint64_t{0}), nullptr);
    EXPECT_EQ(c.block_at(1), nullptr);
    EXPECT_TRUE(is(*c.block_at(2), HandlerId::begin_block));
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

TEST_F(Codes, a_link_leads_straight_to_its_block_once_somebody_has_followed_it) {
    const Code& c = decode(push(5) + OP_JUMP + OP_STOP + OP_STOP + OP_JUMPDEST);
    const Instruction& jump = c.entry()[1];
    EXPECT_TRUE(jump.target.get()->is_stub());
    EXPECT_EQ(c.decoded_block(5), nullptr);

    const Instruction* const block = c.follow(jump);

    EXPECT_EQ(jump.target.get(), block);
    EXPECT_EQ(c.decoded_block(5), block);
    EXPECT_EQ(c.block_at(5), block);
    EXPECT_EQ(c.follow(jump), block);
}

TEST_F(Codes, a_link_to_what_is_decoded_leads_there_at_once) {
    const Code& c = decode(push(3) + OP_JUMP + OP_JUMPDEST);
    const Instruction* const block = c.block_at(3);

    EXPECT_EQ(c.entry()[1].target.get(), block);
}

TEST_F(Codes, behind_what_may_jump_is_a_link_to_where_it_goes_otherwise) {
    const Code& c = decode(push(4) + OP_JUMPI + OP_ADD + OP_JUMPDEST);
    const Instruction* const other = c.follow(c.entry()[2]);

    EXPECT_TRUE(is(c.entry()[1], HandlerId::jumpi_static));
    EXPECT_TRUE(is(c.entry()[2], HandlerId::jump_static));
    EXPECT_TRUE(is(other[1], HandlerId::add));
    EXPECT_EQ(other[0].block.gas, 3u);
    // It falls into the JUMPDEST, and what that begins is decoded once.
    EXPECT_EQ(c.follow(other[2]), c.block_at(4));
}

TEST_F(Codes, a_passage_is_bounded) {
    const Code& c = decode(1'000 * Bytecode{OP_ADDRESS});
    const std::size_t before = c.size_in_memory();

    const Instruction* block = c.entry();

    EXPECT_EQ(block->block.gas, 2u * kPassageOpcodes);
    EXPECT_LT(c.size_in_memory() - before, 32 * kPassageOpcodes);
    std::size_t passages = 1;
    for (; is(block[kPassageOpcodes + 1], HandlerId::jump_static); ++passages)
        block = c.follow(block[kPassageOpcodes + 1]);
    EXPECT_EQ(passages, 1'000 / kPassageOpcodes + 1);
}

TEST_F(Codes, destinations_in_a_row_are_one_block_and_what_follows_is_decoded_once) {
    // From 60 to 70, over the end of a stretch of 64 bytes.
    const Code& c = decode(60 * Bytecode{OP_INVALID} + 11 * Bytecode{OP_JUMPDEST} + OP_ADD);

    const Instruction* const first = c.block_at(60);
    EXPECT_EQ(first->block.gas, 3u);
    EXPECT_EQ(c.follow(first[1]), c.block_at(63));
    EXPECT_EQ(c.block_at(63)->block.gas, 1u);
    EXPECT_EQ(c.follow(c.block_at(63)[1]), c.block_at(64));
    EXPECT_EQ(c.block_at(64)->block.gas, 6u);
    EXPECT_EQ(c.follow(c.block_at(64)[1]), c.block_at(70));
    EXPECT_TRUE(is(c.block_at(70)[1], HandlerId::add));
}

/// The worst code is one that enters itself everywhere: each byte of it is decoded once, or counted
/// once more in a row of JUMPDEST.
TEST_F(Codes, decoding_all_of_it_from_everywhere_takes_memory_in_proportion_to_its_size) {
    constexpr std::size_t kMostPerByte = 80;
    std::mt19937_64 random(11);  // NOLINT(bugprone-random-generator-seed): the same code each time
    for (const unsigned kind : {0u, 1u, 2u, 3u}) {
        Bytes bytes(24'576, OP_JUMPDEST);
        for (std::size_t i = 0; i < bytes.size() && kind != 0; ++i)
            bytes[i] = kind == 1   ? (i % 2 == 0 ? OP_JUMPDEST : OP_ADDRESS)
                       : kind == 2 ? (i % 2 == 0 ? OP_JUMPDEST : OP_JUMPI)
                                   : static_cast<std::uint8_t>(random());
        const Code c(bytes, gas_schedule(kLatestRevision));
        const std::size_t before = c.size_in_memory();
        const auto enter_all = [&] {
            std::vector<const Instruction*> blocks{c.entry()};
            for (std::size_t pc = 0; pc < bytes.size(); ++pc)
                if (const Instruction* const block = c.block_at(pc)) blocks.push_back(block);
            for (const Instruction* block : blocks)
                for (std::size_t i = 1; i < 3 && kind < 3; ++i)
                    if (is(block[i], HandlerId::jump_static)) {
                        (void)c.follow(block[i]);
                        break;
                    }
        };

        enter_all();
        const std::size_t after = c.size_in_memory();
        enter_all();

        EXPECT_LT(after - before, kMostPerByte * bytes.size()) << kind;
        EXPECT_EQ(c.size_in_memory(), after) << kind;
    }
}

TEST_F(Codes, wide_constants_are_kept_beside_the_instructions) {
    const Uint256 wide{1, 2, 3, 4};
    const Code& c = decode(push(wide) + OP_STOP);

    EXPECT_TRUE(is(c.entry()[1], HandlerId::push_large));
    EXPECT_EQ(*c.entry()[1].constant, wide);
}

TEST_F(Codes, reading_the_world_ends_a_block) {
    for (const Opcode opcode : {OP_SLOAD, OP_SSTORE, OP_BALANCE, OP_CALL, OP_CREATE}) {
        const Code& c = decode(opcode + OP_ADD);
        EXPECT_TRUE(is(c.entry()[2], HandlerId::begin_block)) << int{opcode};
    }
}

TEST_F(Codes, what_nothing_can_reach_is_left_out) {
    const Code& c = decode(OP_STOP + 1'000 * Bytecode{OP_ADD} + OP_JUMPDEST);

    const std::size_t before = c.size_in_memory();

    EXPECT_TRUE(is(c.entry()[1], HandlerId::stop));
    EXPECT_LE(c.size_in_memory() - before, 1'024u);
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
