// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attacks by the size of transactions: ten thousand that do nearly nothing, each with the next one,
// and blocks of a single one that takes all of their gas.
#include <iterator>
#include <utility>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "adversarial_contracts.hpp"
#include "attack_chains.hpp"
#include "attack_parts.hpp"
#include "harness.hpp"
#include "work.hpp"

namespace heddle::test {
namespace {

RunRecord run_serially(const AdversarialChain& chain) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return Runner{plan}.run(chain, nullptr);
}

/// Every scheduler with few and with many workers, told something else each time.
void expect_bounded(const AdversarialChain& chain) {
    const RunRecord expected = run_serially(chain);
    ASSERT_FALSE(expected.error.has_value());
    AttackSets truth;
    for (const BlockRecord& block : expected.blocks)
        truth.push_back(block.object_sets);
    std::size_t turn = 0;
    for (const std::string& scheduler : executor::scheduler_names()) {
        if (!executor::is_parallel(scheduler)) continue;
        for (const unsigned workers : {2U, 8U}) {
            const Lie lie = kLies[turn++ % std::size(kLies)];
            SCOPED_TRACE(fmt::format("{}, {} workers, {}", scheduler, workers, to_string(lie)));
            ChainKnowledge told;
            for (std::vector<ObjectSet>& sets : tell(lie, truth, chain.plan.seed))
                told.push_back({.sets = std::move(sets), .access_list = {}});
            RunPlan plan;
            plan.scheduler = scheduler;
            plan.parallel.workers = workers;
            const RunRecord record = Runner{plan}.run(chain, &told);
            ASSERT_EQ(difference(expected, record), "");
            const Work work = work_of(record.summary.stats.parallel);
            EXPECT_LE(work.wasted, most_wasted(work.own, expected, workers)) << work.own << " own";
        }
    }
}

TEST(Sizes, of_ten_thousand_transfers_each_with_the_next_cost_what_they_may) {
    expect_bounded(make_attack("ring", {.blocks = 1, .transactions = 10'000}));
}

TEST(Sizes, of_one_transaction_that_takes_a_block_cost_what_they_may) {
    Attack attack;
    attack.fill = [](Transaction& tx, std::uint64_t /*i*/) {
        tx.to = kBurner;
        tx.gas_limit = 60'000'000;
        tx.data = words({100'000});
    };
    expect_bounded(make_attack("whole blocks", attack, {.blocks = 4, .transactions = 1}));
}

}  // namespace
}  // namespace heddle::test
