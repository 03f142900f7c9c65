// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The optimistic scheduler where it has most to do: nothing is known beforehand, attempts are taken
// back and wait for each other, and the result is the serial one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "adversarial_chain.hpp"
#include "harness.hpp"

namespace heddle::test {
namespace {

TEST(Determinism, attempts_that_are_taken_back_change_nothing) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    Runner serial{plan};
    executor::ParallelStats sum;
    for (std::uint64_t turn = 0; turn < 96; ++turn) {
        static constexpr unsigned kWorkers[] = {1, 2, 4, 8};
        AdversarialPlan chain_plan;
        chain_plan.seed = 6'000'000 + turn;
        chain_plan.blocks = 4;
        chain_plan.max_transactions = turn % 3 == 0 ? 20 : 80;
        const AdversarialChain chain = make_adversarial_chain(chain_plan);
        workload::Random random{turn};
        RunPlan run = draw_run_plan(turn, random);
        run.scheduler = executor::kOptimisticScheduler;
        run.parallel.workers = kWorkers[turn % 4];
        run.parallel.knowledge = executor::Knowledge::unknown;
        run.parallel.run_chains_inline = false;
        run.parallel.window_transactions = turn % 4 == 0 ? 7 : 1'000;
        run.parallel.delay_seed = turn % 2 == 0 ? 0 : turn;

        const RunRecord expected = serial.run(chain, nullptr);
        const RunRecord record = Runner{run}.run(chain, nullptr);

        const std::string text = difference(expected, record);
        ASSERT_TRUE(text.empty()) << "seed " << chain_plan.seed << ", turn " << turn << ": "
                                  << to_string(run) << "\n"
                                  << text;
        sum += record.summary.stats.parallel;
    }
    fmt::print("{} executed, {} checked, {} taken back, {} suspended, {} repaired in order\n",
               sum.executed, sum.checked, sum.taken_back, sum.suspended, sum.repaired);
    EXPECT_GT(sum.checked, 500U);
    EXPECT_GT(sum.taken_back, 50U);
    EXPECT_GT(sum.suspended, 0U);
}

}  // namespace
}  // namespace heddle::test
