// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attacks by the order of what is done with streams: begun again and again, stopped anywhere, with
// a wrong block in the middle, with blocks that one executor runs and the other one does not.
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "attack_chains.hpp"
#include "harness.hpp"
#include "work.hpp"

namespace heddle::test {
namespace {

constexpr unsigned kWorkers[] = {2, 4, 8};

RunRecord run_serially(const AdversarialChain& chain) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return Runner{plan}.run(chain, nullptr);
}

/// What one stream has had lost is not forgotten with it.
TEST(Streams, that_begin_again_and_again_lose_no_more_than_one) {
    const AdversarialChain chain = make_attack("burn: loop", {.blocks = 1, .transactions = 40});
    const RunRecord expected = run_serially(chain);
    constexpr std::uint64_t kStreams = 30;
    for (const unsigned workers : kWorkers) {
        RunPlan plan;
        plan.scheduler = "dag";
        plan.parallel.workers = workers;
        plan.parallel.knowledge = executor::Knowledge::unknown;
        Runner runner{plan};
        Work work;
        for (std::uint64_t i = 0; i < kStreams; ++i) {
            const RunRecord record = runner.run(chain, nullptr);
            ASSERT_EQ(difference(expected, record), "") << workers << " workers, stream " << i;
            work += work_of(record.summary.stats.parallel);
        }
        EXPECT_LE(work.wasted, most_wasted(work.own, expected, workers, kStreams))
            << workers << " workers, " << work.own << " own";
    }
}

/// Whoever goes on after a block from a list knows nothing of the state, but what it owes.
TEST(Streams, that_change_hands_with_every_block_lose_no_more_than_others) {
    AttackPlan attack{.blocks = 40, .transactions = 40, .revision = Revision::amsterdam};
    const AdversarialChain chain = make_attack("burn: loop", attack);
    const RunRecord expected = run_serially(chain);
    ChainKnowledge told(chain.blocks.size());
    for (std::size_t i = 0; i < told.size(); i += 2)
        told[i].access_list = expected.blocks[i].access_list;
    for (const unsigned workers : kWorkers) {
        RunPlan plan;
        plan.scheduler = "values";
        plan.parallel.workers = workers;
        plan.parallel.run_chains_inline = false;
        const RunRecord record = Runner{plan}.run(chain, &told);
        ASSERT_EQ(difference(expected, record), "") << workers << " workers";
        EXPECT_EQ(record.summary.stats.parallel.listed_blocks, told.size() / 2);
        const Work work = work_of(record.summary.stats.parallel);
        EXPECT_LE(work.wasted, most_wasted(work.own, expected, workers)) << work.own << " own";
    }
}

/// The chain with a flaw in its second block: in the header, or a transaction in its middle that
/// is not valid there.
AdversarialChain with_wrong_block(AdversarialChain chain, bool is_header_wrong) {
    Block& block = chain.blocks[1];
    if (is_header_wrong)
        block.header.receipts_root.bytes[0] ^= 1;
    else
        block.transactions[block.transactions.size() / 2].nonce += 1;
    return chain;
}

class StreamOperations : public testing::TestWithParam<std::string> {};

/// One executor for all: what was left of the stream before is nothing to the next one.
TEST_P(StreamOperations, in_any_order_leave_results_as_they_are) {
    const AdversarialChain chain = make_attack(GetParam(), {.blocks = 3, .transactions = 60});
    const RunRecord expected = run_serially(chain);
    const AdversarialChain wrong[] = {with_wrong_block(chain, true),
                                      with_wrong_block(chain, false)};
    const RunRecord rejected[] = {run_serially(wrong[0]), run_serially(wrong[1])};
    ASSERT_TRUE(rejected[0].error.has_value() && rejected[1].error.has_value());
    const ChainKnowledge sets = recorded_knowledge(expected);
    for (const std::string& scheduler : executor::scheduler_names()) {
        if (!executor::is_parallel(scheduler)) continue;
        for (const unsigned workers : kWorkers) {
            SCOPED_TRACE(fmt::format("{}, {} workers", scheduler, workers));
            RunPlan plan;
            plan.scheduler = scheduler;
            plan.parallel.workers = workers;
            plan.parallel.knowledge = executor::Knowledge::declared;
            Runner runner{plan};
            for (std::size_t turn = 0; turn < 6; ++turn) {
                const ChainKnowledge* const told = turn % 2 == 0 ? nullptr : &sets;
                StopPlan stop;
                if (turn % 3 == 0) stop.after_transactions = 20 + 25 * turn;
                if (turn % 3 == 1) stop.after_blocks = 1 + turn % 2;
                if (turn % 3 == 2)
                    ASSERT_EQ(difference(rejected[turn / 3], runner.run(wrong[turn / 3], told)),
                              "");
                else
                    ASSERT_EQ(prefix_difference(expected, runner.run(chain, told, stop)), "");
                ASSERT_EQ(difference(expected, runner.run(chain, told)), "") << "turn " << turn;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Some, StreamOperations,
                         testing::Values("burn: loop", "burn: new slots", "balance", "cover",
                                         "self-destruction", "full balances", "hand to hand"),
                         [](const auto& info) {
                             std::string name;
                             for (const char c : info.param)
                                 name += c == ' ' || c == ':' || c == '-' ? '_' : c;
                             return name;
                         });

}  // namespace
}  // namespace heddle::test
