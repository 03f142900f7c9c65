// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "gas_schedule.hpp"

#include <gtest/gtest.h>

#include <types/sender_recovery.hpp>

namespace heddle::vm {
namespace {

std::int64_t gas(Revision revision, Opcode opcode) {
    return gas_schedule(revision).opcodes[opcode].gas;
}

TEST(GasSchedule, every_revision_has_its_own) {
    for (unsigned i = 0; i < kRevisionCount; ++i)
        EXPECT_EQ(gas_schedule(static_cast<Revision>(i)).revision, static_cast<Revision>(i));
}

TEST(GasSchedule, no_opcode_is_ever_taken_back) {
    for (unsigned i = 1; i < kRevisionCount; ++i) {
        const auto& before = gas_schedule(static_cast<Revision>(i - 1)).opcodes;
        const auto& after = gas_schedule(static_cast<Revision>(i)).opcodes;
        for (unsigned opcode = 0; opcode < 256; ++opcode)
            EXPECT_TRUE(!before[opcode].is_defined() || after[opcode].is_defined());
    }
}

TEST(GasSchedule, the_designated_invalid_opcode_is_undefined) {
    for (unsigned i = 0; i < kRevisionCount; ++i)
        EXPECT_FALSE(gas_schedule(static_cast<Revision>(i)).opcodes[OP_INVALID].is_defined());
}

TEST(GasSchedule, opcodes_are_counted) {
    const auto count = [](Revision revision) {
        unsigned defined = 0;
        for (const OpcodeTraits& traits : gas_schedule(revision).opcodes)
            defined += traits.is_defined() ? 1u : 0u;
        return defined;
    };
    const unsigned frontier = count(Revision::frontier);
    EXPECT_EQ(count(Revision::homestead), frontier + 1);        // EIP-7
    EXPECT_EQ(count(Revision::byzantium), frontier + 5);        // EIP-140, 211, 214
    EXPECT_EQ(count(Revision::constantinople), frontier + 10);  // EIP-145, 1014, 1052
    EXPECT_EQ(count(Revision::istanbul), frontier + 12);        // EIP-1344, 1884
    EXPECT_EQ(count(Revision::london), frontier + 13);          // EIP-3198
    EXPECT_EQ(count(Revision::shanghai), frontier + 14);        // EIP-3855
    EXPECT_EQ(count(Revision::cancun), frontier + 19);          // EIP-1153, 4844, 5656, 7516
    EXPECT_EQ(count(Revision::osaka), frontier + 20);           // EIP-7939
    EXPECT_EQ(count(Revision::amsterdam), frontier + 24);       // EIP-7843, 8024
}

TEST(GasSchedule, no_authorization_costs_less_than_who_recovers_beforehand_takes_for_sure) {
    for (auto i = static_cast<unsigned>(Revision::prague); i < kRevisionCount; ++i)
        EXPECT_GE(gas_schedule(static_cast<Revision>(i)).intrinsic.authorization,
                  kLeastAuthorizationGas);
}

TEST(GasSchedule, repriced_opcodes_cost_what_their_eips_say) {
    EXPECT_EQ(gas(Revision::homestead, OP_CALL), 40);
    EXPECT_EQ(gas(Revision::tangerine_whistle, OP_CALL), 700);
    EXPECT_EQ(gas(Revision::berlin, OP_CALL), 100);
    EXPECT_EQ(gas(Revision::homestead, OP_SELFDESTRUCT), 0);
    EXPECT_EQ(gas(Revision::tangerine_whistle, OP_SELFDESTRUCT), 5'000);
    EXPECT_EQ(gas(Revision::constantinople, OP_EXTCODEHASH), 400);
    EXPECT_EQ(gas(Revision::istanbul, OP_EXTCODEHASH), 700);
    EXPECT_EQ(gas(Revision::berlin, OP_EXTCODEHASH), 100);
    EXPECT_EQ(gas(Revision::istanbul, OP_SELFBALANCE), 5);
    EXPECT_EQ(gas(Revision::osaka, OP_CLZ), 5);
}

TEST(GasSchedule, refunds_shrank_in_london) {  // EIP-3529
    EXPECT_EQ(gas_schedule(Revision::berlin).selfdestruct_refund, 24'000);
    EXPECT_EQ(gas_schedule(Revision::london).selfdestruct_refund, 0);
    EXPECT_EQ(gas_schedule(Revision::berlin).max_refund_quotient, 2);
    EXPECT_EQ(gas_schedule(Revision::london).max_refund_quotient, 5);
    EXPECT_EQ(gas_schedule(Revision::london).sstore_clear_refund, 4'800);
}

TEST(GasSchedule, stack_use_of_dup_swap_and_log_follows_their_number) {
    const auto& opcodes = gas_schedule(kLatestRevision).opcodes;
    EXPECT_EQ(opcodes[OP_DUP16].stack_required, 16);
    EXPECT_EQ(opcodes[OP_DUP16].stack_change, 1);
    EXPECT_EQ(opcodes[OP_SWAP16].stack_required, 17);
    EXPECT_EQ(opcodes[OP_SWAP16].stack_change, 0);
    EXPECT_EQ(opcodes[OP_LOG4].stack_required, 6);
    EXPECT_EQ(opcodes[OP_LOG4].stack_change, -6);
}

}  // namespace
}  // namespace heddle::vm
