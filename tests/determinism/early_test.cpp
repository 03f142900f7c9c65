// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Early and late scheduling in every way in which they can be set give what serial gives.
#include <array>
#include <cstdint>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "adversarial_chain.hpp"
#include "harness.hpp"

namespace heddle::test {
namespace {

constexpr std::array kWorkers = {1U, 2U, 4U, 8U};

RunPlan serial_plan() {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return plan;
}

/// What the runs of one way have added up to.
struct Counts {
    std::uint64_t executed = 0;
    std::uint64_t meetings = 0;
    std::uint64_t waited = 0;
    std::uint64_t stolen = 0;
};

/// One chain with 1, 2, 4 and 8 workers, with delays, at a level of knowledge that changes with
/// the seed; what is small goes through the policy too.
void compare(const std::string& scheduler, std::uint64_t seed, Counts& counts) {
    AdversarialPlan plan;
    plan.seed = seed;
    plan.blocks = 3;
    plan.max_transactions = 60;
    plan.with_flaws = seed % 3 == 0;
    const AdversarialChain chain = make_adversarial_chain(plan);
    const RunRecord expected = Runner{serial_plan()}.run(chain, nullptr);
    const ChainKnowledge sets = recorded_knowledge(expected);
    for (const unsigned workers : kWorkers) {
        RunPlan run;
        run.scheduler = scheduler;
        run.parallel.workers = workers;
        run.parallel.pipeline = 1 + (seed + workers) % 2;
        run.parallel.delay_seed = 1 + seed * 10 + workers;
        run.parallel.run_chains_inline = false;
        run.parallel.knowledge =
            seed % 3 == 2 ? executor::Knowledge::hinted : executor::Knowledge::declared;
        run.parallel.window_transactions = seed % 2 == 0 ? 16384 : 7;
        const RunRecord record = Runner{run}.run(chain, &sets);
        const std::string text = difference(expected, record);
        ASSERT_TRUE(text.empty()) << "seed " << seed << ", " << to_string(run) << "\n" << text;
        counts.executed += record.summary.stats.parallel.executed;
        counts.meetings += record.summary.stats.parallel.meetings;
        counts.waited += record.summary.stats.parallel.waited;
        counts.stolen += record.summary.stats.parallel.stolen;
    }
}

Counts compare_all(const std::string& scheduler, std::uint64_t first_seed) {
    Counts counts;
    for (std::uint64_t seed = first_seed; seed < first_seed + 6; ++seed) {
        compare(scheduler, seed, counts);
        if (testing::Test::HasFatalFailure()) break;
    }
    fmt::print("{}: {} executed, {} met for, {} stolen\n", scheduler, counts.executed,
               counts.meetings, counts.stolen);
    return counts;
}

class EarlyModels : public testing::TestWithParam<const char*> {};

TEST_P(EarlyModels, give_what_serial_gives) {
    const Counts counts = compare_all(fmt::format("early:{}", GetParam()), 8'000'001);

    EXPECT_GT(counts.executed, 100u);
    EXPECT_GT(counts.meetings, 20u) << "nobody had to wait for anybody";
}

INSTANTIATE_TEST_SUITE_P(Early, EarlyModels,
                         testing::Values("stealing=none,waiting=barrier",
                                         "stealing=none,waiting=busy-wait",
                                         "stealing=conservative,shards=2", "stealing=moderate",
                                         "stealing=aggressive,by=key",
                                         "stealing=optimistic,shards=3",
                                         "stealing=optimistic,threads=5,moves=write",
                                         "stealing=none,threads=16,shards=1"));

/// Table 1 of the paper: more threads than some runs have workers.
TEST(EarlyMapping, of_a_file_gives_what_serial_gives) {
    const std::string path = testing::TempDir() + "paper_mapping";
    std::ofstream(path) << "shards 2\nthreads 4\n"
                           "class read-0 concurrent 0 2\nclass read-1 concurrent 1 3\n"
                           "class write-0 sequential 0 2\nclass write-1 sequential 1 3\n"
                           "class moves concurrent 0 1 2 3\nclass read-global sequential 0 3\n"
                           "class write-global sequential 0 1 2 3\n";

    const Counts counts = compare_all("early:mapping=" + path, 8'000'001);

    EXPECT_GT(counts.meetings, 100u) << "each write is one";
}

class LateGraphs : public testing::TestWithParam<const char*> {};

TEST_P(LateGraphs, give_what_serial_gives) {
    const Counts counts = compare_all(fmt::format("late:{}", GetParam()), 8'000'001);

    EXPECT_GT(counts.executed, 100u);
    EXPECT_GT(counts.waited, 100u) << "nobody had to wait for anybody";
}

INSTANTIATE_TEST_SUITE_P(Late, LateGraphs, testing::Values("lock=coarse", "lock=free"));

}  // namespace
}  // namespace heddle::test
