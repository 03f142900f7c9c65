// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// That attacks do in order what they are to do: one that ends early attacks nothing.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <executor/schedulers.hpp>

#include "attack_chains.hpp"
#include "harness.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kTransactions = 16;

/// Of a block in which nothing is known to others.
std::vector<Receipt> receipts_of(std::string_view attack) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    const RunRecord run = Runner{plan}.run(
        make_attack(attack, {.blocks = 1, .transactions = kTransactions}), nullptr);
    EXPECT_EQ(run.blocks.size(), 1u);
    return run.blocks.empty() ? std::vector<Receipt>{} : run.blocks.front().receipts;
}

TEST(AttackShapes, pay_for_code_but_for_its_last_byte) {
    const std::vector<Receipt> receipts = receipts_of("code but its last byte");
    ASSERT_EQ(receipts.size(), kTransactions);
    for (std::size_t i = 0; i < receipts.size(); ++i)
        EXPECT_EQ(receipts[i].success, i % 8 == 0) << i;
}

TEST(AttackShapes, log_each_transfer_that_stands) {
    for (const Receipt& receipt : receipts_of("transfers deep down")) {
        EXPECT_TRUE(receipt.success);
        // To the level that is told 60, and down to the one that is told 16.
        EXPECT_EQ(receipt.logs.size(), 60u - 15u);
    }
}

TEST(AttackShapes, take_gas_without_using_it) {
    for (const Receipt& receipt : receipts_of("gas for nothing")) {
        EXPECT_TRUE(receipt.success);
        EXPECT_GT(receipt.gas_used, 400'000u);
    }
}

TEST(AttackShapes, take_their_steps_and_burn_nothing) {
    constexpr std::uint64_t kMuch = 4'000'000;  // of what they may burn
    for (const char* const attack :
         {"all balances", "giants", "long init code", "balances left behind", "far down the stack",
          "slots for a moment", "slots by reservoir", "consolidations", "exits of builders",
          "honest until the end", "fees at last", "empty accounts", "sender's nonce",
          "precompile's balance", "circle of delegations", "down a chain", "both ends",
          "contract's withdrawals"})
        for (const Receipt& receipt : receipts_of(attack)) {
            EXPECT_TRUE(receipt.success) << attack;
            EXPECT_LT(receipt.gas_used, kMuch) << attack;
        }
}

/// Recovered one by one, as attempts need them, they take up to seven times as long as serial
/// execution needs for a block of them.
TEST(Signers, of_authorizations_are_recovered_together_by_every_scheduler) {
    for (const char* const attack : {"delegations", "changing delegations", "authorizations"}) {
        const AdversarialChain chain = make_attack(attack, {.blocks = 4, .transactions = 80});
        RunPlan serial;
        serial.scheduler = executor::kSerialScheduler;
        const RunRecord expected = Runner{serial}.run(chain, nullptr);
        const ChainKnowledge lists = recorded_knowledge(expected);
        for (const std::string& scheduler : executor::scheduler_names())
            for (const unsigned workers : {1U, 3U})
                for (const ChainKnowledge* const told :
                     {static_cast<const ChainKnowledge*>(nullptr), &lists}) {
                    RunPlan plan;
                    plan.scheduler = scheduler;
                    plan.parallel.workers = workers;
                    SCOPED_TRACE(fmt::format("{}, {}", attack, to_string(plan)));
                    const RunRecord run = Runner{plan}.run(chain, told);
                    EXPECT_EQ(difference(expected, run), "");
                    for (const BlockRecord& block : run.blocks)
                        EXPECT_FALSE(block.has_unknown_authorities) << block.header.number;
                }
    }
}

}  // namespace
}  // namespace heddle::test
