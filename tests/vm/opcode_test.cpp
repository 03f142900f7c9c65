// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/opcode.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "gas_schedule.hpp"

namespace heddle::vm {
namespace {

TEST(Opcodes, are_those_of_the_latest_revision_and_the_designated_invalid_one) {
    const GasSchedule& latest = gas_schedule(kLatestRevision);
    std::set<std::string_view> mnemonics;
    for (unsigned opcode = 0; opcode < kOpcodes.size(); ++opcode) {
        const bool is_named = !kOpcodes[opcode].mnemonic.empty();
        EXPECT_EQ(is_named, latest.opcodes[opcode].is_defined() || opcode == OP_INVALID) << opcode;
        if (is_named) {
            EXPECT_TRUE(mnemonics.insert(kOpcodes[opcode].mnemonic).second) << opcode;
        }
    }
    EXPECT_EQ(kOpcodes[OP_PREVRANDAO].mnemonic, "DIFFICULTY");
}

TEST(Opcodes, only_pushes_carry_an_immediate) {
    for (unsigned opcode = 0; opcode < kOpcodes.size(); ++opcode) {
        const bool is_push = opcode >= OP_PUSH0 && opcode <= OP_PUSH32;
        EXPECT_EQ(kOpcodes[opcode].immediate_bytes, is_push ? opcode - OP_PUSH0 : 0u) << opcode;
        if (is_push) {
            EXPECT_EQ(kOpcodes[opcode].mnemonic, "PUSH" + std::to_string(opcode - OP_PUSH0));
        }
    }
}

TEST(Opcodes, deep_operands_are_those_of_eip_8024) {
    EXPECT_EQ(deep_operands(OP_DUPN, 0x80).first, 17);
    EXPECT_EQ(deep_operands(OP_DUPN, 0xff).first, 144);
    EXPECT_EQ(deep_operands(OP_DUPN, 0x00).first, 145);
    EXPECT_EQ(deep_operands(OP_DUPN, 0x5a).first, 235);
    EXPECT_EQ(deep_operands(OP_SWAPN, 0x80).first, 1);
    EXPECT_EQ(deep_operands(OP_SWAPN, 0x80).second, 18);
    EXPECT_EQ(deep_operands(OP_EXCHANGE, 0x8e).first, 2);
    EXPECT_EQ(deep_operands(OP_EXCHANGE, 0x8e).second, 3);
    for (unsigned byte = 0; byte < 256; ++byte) {
        const auto immediate = static_cast<std::uint8_t>(byte);
        EXPECT_EQ(deep_operands(OP_DUPN, immediate).is_valid(), byte < 91 || byte > 127) << byte;
        EXPECT_EQ(deep_operands(OP_SWAPN, immediate).is_valid(), byte < 91 || byte > 127) << byte;
        EXPECT_EQ(deep_operands(OP_EXCHANGE, immediate).is_valid(), byte < 82 || byte > 127)
            << byte;
    }
}

TEST(Opcodes, every_exchange_is_another_one_within_thirty_items) {
    std::set<std::pair<int, int>> seen;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const DeepOperands items = deep_operands(OP_EXCHANGE, static_cast<std::uint8_t>(byte));
        if (!items.is_valid()) continue;
        EXPECT_GE(items.first, 2);
        EXPECT_LT(items.first, items.second);
        EXPECT_LE(items.first + items.second, 32);
        EXPECT_TRUE(seen.insert({items.first, items.second}).second) << byte;
    }
    EXPECT_EQ(seen.size(), 210u);
}

TEST(Opcodes, families_count_up) {
    for (int n = 1; n <= 16; ++n) {
        const OpcodeFacts& dup = kOpcodes[static_cast<std::size_t>(OP_DUP1 + n - 1)];
        const OpcodeFacts& swap = kOpcodes[static_cast<std::size_t>(OP_SWAP1 + n - 1)];
        EXPECT_EQ(dup.mnemonic, "DUP" + std::to_string(n));
        EXPECT_EQ(dup.stack_required, n);
        EXPECT_EQ(dup.stack_change, 1);
        EXPECT_EQ(swap.mnemonic, "SWAP" + std::to_string(n));
        EXPECT_EQ(swap.stack_required, n + 1);
        EXPECT_EQ(swap.stack_change, 0);
    }
    for (int n = 0; n <= 4; ++n) {
        const OpcodeFacts& log = kOpcodes[static_cast<std::size_t>(OP_LOG0 + n)];
        EXPECT_EQ(log.mnemonic, "LOG" + std::to_string(n));
        EXPECT_EQ(log.stack_required, n + 2);
        EXPECT_EQ(log.stack_change, -n - 2);
    }
}

TEST(Opcodes, no_more_is_taken_from_the_stack_than_is_required) {
    for (const OpcodeFacts& facts : kOpcodes)
        EXPECT_GE(facts.stack_required + facts.stack_change, 0) << facts.mnemonic;
}

TEST(Opcodes, gas_is_exact_behind_what_can_see_it) {
    for (const Opcode opcode : {OP_SSTORE, OP_SLOAD, OP_BALANCE, OP_CALL, OP_CREATE2})
        EXPECT_EQ(kOpcodes[opcode].flow, OpcodeFlow::exact);
    for (const Opcode opcode :
         {OP_STOP, OP_JUMP, OP_RETURN, OP_REVERT, OP_INVALID, OP_SELFDESTRUCT})
        EXPECT_EQ(kOpcodes[opcode].flow, OpcodeFlow::terminal);
    EXPECT_EQ(kOpcodes[OP_JUMPI].flow, OpcodeFlow::exact);
    for (const Opcode opcode : {OP_ADD, OP_GAS})
        EXPECT_EQ(kOpcodes[opcode].flow, OpcodeFlow::straight);
}

}  // namespace
}  // namespace heddle::vm
