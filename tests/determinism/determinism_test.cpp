// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The one equation: whatever the chain, the workers, what is known of a transaction and when a
// thread runs, the DAG executor gives what the serial one gives.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "adversarial_transactions.hpp"
#include "harness.hpp"
#include "reproduction.hpp"

namespace heddle::test {
namespace {

std::optional<std::uint64_t> number_from(const char* variable) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? std::nullopt : std::optional{std::strtoull(text, nullptr, 0)};
}

/// Lengths and sizes follow from the seed, so that a seed alone names a chain.
AdversarialPlan plan_of(std::uint64_t seed) {
    static constexpr std::uint32_t kSizes[] = {60, 25, 8, 40, 200};
    AdversarialPlan plan;
    plan.seed = seed;
    plan.blocks = 2 + static_cast<std::uint32_t>(seed * 7 % 13);
    plan.max_transactions = kSizes[seed % 5];
    plan.kinds = number_from("HEDDLE_DETERMINISM_KINDS").value_or(plan.kinds);
    return plan;
}

const RunPlan kSerial = [] {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return plan;
}();

void report(const AdversarialChain& chain, const RunPlan& run, const std::string& difference) {
    ADD_FAILURE() << "HEDDLE_TEST_SEED=" << chain.plan.seed << " (" << chain.description << ")\n"
                  << to_string(run) << "\n"
                  << difference << "\nsmallest: " << smallest_reproduction(chain.plan, run);
}

/// What a loop over seeds goes through.
struct Seeds {
    std::uint64_t first;
    std::uint64_t blocks;  // at least so many blocks
    std::uint64_t runs;    // of each chain
};

/// `scale` parts of the blocks asked for; or many runs of the one chain asked for.
Seeds seeds_for(std::uint64_t first, std::uint64_t blocks, std::uint64_t runs) {
    if (const auto seed = number_from("HEDDLE_TEST_SEED")) return {*seed, 1, 60};
    return {first, blocks, runs};
}

/// What the parallel executor did in the runs that ended well: a test in which nothing overtakes
/// anything tests nothing.
struct Tally {
    executor::ParallelStats sum;

    void add(const RunRecord& run) {
        const executor::ParallelStats& one = run.summary.stats.parallel;
        sum.dispatched += one.dispatched;
        sum.waited += one.waited;
        sum.executed += one.executed;
        sum.stolen += one.stolen;
        sum.in_order += one.in_order;
        sum.unattempted += one.unattempted;
        sum.repaired += one.repaired;
    }
    void print() const {
        fmt::print(
            "  {} dispatched, {} waited, {} executed, {} stolen, {} in order, {} unattempted, "
            "{} repaired\n",
            sum.dispatched, sum.waited, sum.executed, sum.stolen, sum.in_order, sum.unattempted,
            sum.repaired);
    }
};

/// Over all tests, printed at the end.
class Total final : public testing::Environment {
public:
    static inline std::uint64_t blocks = 0;
    static inline std::uint64_t runs = 0;

    void TearDown() override {
        fmt::print("total: {} blocks generated, {} chains compared with serial\n", blocks, runs);
    }
};
[[maybe_unused]] const testing::Environment* const kTotal =
    testing::AddGlobalTestEnvironment(new Total);  // owned by GoogleTest

/// Calls `check(chain, expected, turn)` for each run of each chain.
template <typename Check>
void for_each_chain(const Seeds& seeds, const char* name, Check check) {
    Runner serial{kSerial};
    std::uint64_t blocks = 0;
    std::uint64_t transactions = 0;
    std::uint64_t turn = 0;
    std::uint64_t next_report = 1'000;
    std::uint64_t seed = seeds.first;
    for (; blocks < seeds.blocks && !testing::Test::HasFailure(); ++seed) {
        const AdversarialChain chain = make_adversarial_chain(plan_of(seed));
        const RunRecord expected = serial.run(chain, nullptr);
        ASSERT_EQ(expected.blocks.size(), chain.flawed.value_or(chain.blocks.size()))
            << "seed " << seed << ", " << chain.description << ": "
            << (expected.error.has_value() ? to_string(*expected.error) : "no error");
        blocks += chain.blocks.size();
        for (const Block& block : chain.blocks)
            transactions += block.transactions.size();
        for (std::uint64_t i = 0; i < seeds.runs && !testing::Test::HasFailure(); ++i)
            check(chain, expected, turn++);
        if (blocks >= next_report) {
            fmt::print("{}: {} blocks, seeds {} to {}\n", name, blocks, seeds.first, seed);
            std::fflush(stdout);
            next_report += 1'000;
        }
    }
    Total::blocks += blocks;
    Total::runs += turn;
    fmt::print("{}: {} blocks, {} transactions, seeds {} to {}, {} runs each\n", name, blocks,
               transactions, seeds.first, seed - 1, seeds.runs);
}

TEST(Determinism, every_configuration_gives_what_serial_gives) {
    const std::uint64_t blocks = number_from("HEDDLE_DETERMINISM_BLOCKS").value_or(300);
    Tally tally;
    const auto check = [&tally](const AdversarialChain& chain, const RunRecord& expected,
                                std::uint64_t turn) {
        workload::Random random{turn};
        const RunPlan run = draw_run_plan(turn, random);
        const ChainKnowledge sets = recorded_knowledge(expected);
        const RunRecord record = Runner{run}.run(chain, &sets);
        tally.add(record);
        const auto text = difference(expected, record);
        if (!text.empty()) report(chain, run, text);
    };
    for_each_chain(seeds_for(1, blocks, 3), "every configuration", check);
    tally.print();
}

/// Without those that may be overtaken whatever was declared: contracts that pay out, for which
/// nobody waits as long as they can, and readers of the balance that fees go to, which the
/// committer adds up as it comes to them.
std::uint64_t kinds_that_wait() {
    static constexpr std::string_view kOthers[] = {
        "made_up_program", "contract_pays",     "watch_hot",  "watch_beneficiary",
        "destroy",         "delegation",        "probe_dead", "wild_creation",
        "wild_call",       "wild_authorization"};
    std::uint64_t kinds = 0;
    for (std::size_t i = 0; i < kAdversarialKinds; ++i)
        if (std::ranges::find(kOthers, kAdversarialKindTable[i].name) == std::end(kOthers))
            kinds |= std::uint64_t{1} << i;
    return kinds;
}

// A repair hides an edge that is missing: results are right, and nobody notices. Where sets are
// exact and everything that changes is known before, nothing may be overtaken.
TEST(Determinism, exactly_declared_transactions_are_never_overtaken) {
    const std::uint64_t blocks = number_from("HEDDLE_DETERMINISM_BLOCKS").value_or(600) / 3;
    Tally tally;
    std::uint64_t made = 0;
    for (std::uint64_t seed = 7'000'001; made < blocks; ++seed) {
        AdversarialPlan plan = plan_of(seed);
        plan.kinds = kinds_that_wait();
        plan.with_flaws = false;
        plan.pays_the_living = true;
        const AdversarialChain chain = make_adversarial_chain(plan);
        const RunRecord expected = Runner{kSerial}.run(chain, nullptr);
        const ChainKnowledge sets = recorded_knowledge(expected);
        workload::Random random{seed};
        RunPlan run = draw_run_plan(seed, random);
        run.scheduler = executor::kDefaultScheduler;
        run.parallel.knowledge = executor::Knowledge::declared;
        run.parallel.orders_by_all_sets = true;
        // What is run in stream order waits for nobody, and is not waited for.
        run.parallel.run_chains_inline = false;
        const RunRecord record = Runner{run}.run(chain, &sets);
        ASSERT_EQ(difference(expected, record), "") << "HEDDLE_TEST_SEED=" << seed;
        ASSERT_EQ(record.summary.stats.parallel.repaired, 0u)
            << "seed " << seed << " (" << chain.description << ")\n"
            << to_string(run);
        tally.add(record);
        made += chain.blocks.size();
    }
    EXPECT_GT(tally.sum.waited, tally.sum.dispatched / 8) << "few had anything to wait for";
    tally.print();
}

// In a long stream blocks are run in order, and by the serial executor, to see what that takes.
TEST(Determinism, a_long_stream_passes_from_one_way_to_another) {
    for (std::uint64_t seed = 8'000'001; seed <= 8'000'006; ++seed) {
        AdversarialPlan plan = plan_of(seed);
        // In large ones that are run by the serial executor others read accounts and make leaves.
        const bool are_large = seed % 3 == 1;
        plan.blocks = are_large ? 40 : 120;
        plan.max_transactions = are_large ? 400 : 25;
        plan.with_flaws = seed % 3 == 0;
        const AdversarialChain chain = make_adversarial_chain(plan);
        const RunRecord expected = Runner{kSerial}.run(chain, nullptr);
        const ChainKnowledge sets = recorded_knowledge(expected);
        RunPlan run;
        run.parallel.workers = 2 + seed % 3;
        run.parallel.may_outnumber_processors = true;
        run.parallel.knowledge = executor::Knowledge::declared;
        run.is_slow = are_large;
        const RunRecord record = Runner{run}.run(chain, &sets);
        ASSERT_EQ(difference(expected, record), "") << "HEDDLE_TEST_SEED=" << seed;
        if (expected.error.has_value()) continue;
        const executor::Stats& stats = record.summary.stats;
        EXPECT_GT(stats.parallel.dispatched, 0u) << "seed " << seed;
        EXPECT_LT(stats.parallel.dispatched, stats.transactions) << "seed " << seed;
    }
}

/// Of which most blocks claim little enough gas for each transaction.
std::uint64_t light_kinds() {
    static constexpr std::string_view kLight[] = {"hot_slot",
                                                  "nonce_chain",
                                                  "barely_covered_chain",
                                                  "emptied_sender",
                                                  "transfer_to_hot",
                                                  "transfer_to_fresh",
                                                  "transfer_to_self",
                                                  "tiny",
                                                  "transfer_to_beneficiary",
                                                  "transfer_of_nothing",
                                                  "revive_dead",
                                                  "watch_living",
                                                  "destroy",
                                                  "access_list",
                                                  "block_values"};
    std::uint64_t kinds = 0;
    for (std::size_t i = 0; i < kAdversarialKinds; ++i)
        if (std::ranges::find(kLight, kAdversarialKindTable[i].name) != std::end(kLight))
            kinds |= std::uint64_t{1} << i;
    return kinds;
}

// One thread executes such blocks, while others read their accounts and make leaves and blooms.
TEST(Determinism, light_blocks_of_any_size_give_what_serial_gives) {
    const std::uint64_t blocks = number_from("HEDDLE_DETERMINISM_BLOCKS").value_or(300) / 6;
    const std::uint64_t first = number_from("HEDDLE_TEST_SEED").value_or(10'000'001);
    std::uint64_t made = 0;
    std::uint64_t light = 0;
    std::uint64_t transactions = 0;
    for (std::uint64_t seed = first; made < blocks && !HasFailure(); ++seed) {
        AdversarialPlan plan = plan_of(seed);
        plan.kinds = light_kinds();
        plan.blocks = 2 + seed % 6;
        plan.max_transactions = 500;
        const AdversarialChain chain = make_adversarial_chain(plan);
        RunPlan serial = kSerial;
        serial.makes_lists = seed % 2 == 0;
        const RunRecord expected = Runner{serial}.run(chain, nullptr);
        const ChainKnowledge sets = recorded_knowledge(expected);
        for (const unsigned workers : {2U, 3U, 4U, 8U}) {
            workload::Random random{seed * 16 + workers};
            RunPlan run = draw_run_plan(seed, random);
            run.scheduler = executor::kDefaultScheduler;
            run.makes_lists = serial.makes_lists;
            run.is_in_memory = true;
            run.parallel.workers = workers;
            run.parallel.run_chains_inline = true;
            run.parallel.delay_seed = 0;
            const RunRecord record = Runner{run}.run(chain, &sets);
            const auto text = difference(expected, record);
            if (!text.empty()) report(chain, run, text);
            if (record.error.has_value()) continue;
            transactions += record.summary.stats.transactions;
            light += record.summary.stats.transactions - record.summary.stats.parallel.dispatched;
        }
        made += chain.blocks.size();
    }
    Total::blocks += made;
    fmt::print("  {} transactions, {} of them in light blocks\n", transactions, light);
    EXPECT_GT(light, transactions / 4) << "otherwise nothing is shown";
}

TEST(Determinism, wrong_sets_change_nothing) {
    const std::uint64_t blocks = number_from("HEDDLE_DETERMINISM_BLOCKS").value_or(600) / 5;
    Tally tally;
    const auto check = [&tally](const AdversarialChain& chain, const RunRecord& expected,
                                std::uint64_t turn) {
        static constexpr std::uint32_t kShares[] = {20'000, 200'000, 900'000};
        workload::Random random{turn};
        RunPlan run = draw_run_plan(turn, random);
        run.parallel.knowledge = executor::Knowledge::declared;
        run.wrong_accesses = kShares[turn % 3];
        run.wrong_seed = turn;
        const ChainKnowledge sets =
            wrong_sets(recorded_knowledge(expected), run.wrong_accesses, run.wrong_seed);
        const RunRecord record = Runner{run}.run(chain, &sets);
        tally.add(record);
        const auto text = difference(expected, record);
        if (!text.empty()) report(chain, run, text);
    };
    for_each_chain(seeds_for(1'000'001, blocks, 2), "wrong sets", check);
    tally.print();
}

TEST(Determinism, one_executor_runs_one_chain_after_another) {
    const std::uint64_t blocks = number_from("HEDDLE_DETERMINISM_BLOCKS").value_or(600) / 10;
    workload::Random random{7};
    std::uint64_t made = 0;
    std::unique_ptr<Runner> runner;
    RunPlan run;
    const auto check = [&](const AdversarialChain& chain, const RunRecord& expected,
                           std::uint64_t turn) {
        if (turn % 10 == 0) {
            run = draw_run_plan(made++, random);
            runner = std::make_unique<Runner>(run);
        }
        const ChainKnowledge sets = recorded_knowledge(expected);
        const auto text = difference(expected, runner->run(chain, &sets));
        if (!text.empty()) report(chain, run, text);
    };
    for_each_chain(seeds_for(2'000'001, blocks, 1), "one executor", check);
}

/// Whether a witness block with the chain's flaw is rejected too. One that lies in a field that is
/// not checked then has another hash than the ledger gives it, and BLOCKHASH is anybody's guess.
bool is_flaw_seen_by_witness(const RunRecord& run) {
    return !run.error.has_value() || run.error->code == BlockErrorCode::invalid_transaction ||
           run.error->code == BlockErrorCode::invalid_gas_used;
}

TEST(Determinism, proposing_and_witness_blocks_give_what_serial_gives) {
    const std::uint64_t blocks = number_from("HEDDLE_DETERMINISM_BLOCKS").value_or(600) / 5;
    const auto check = [](const AdversarialChain& chain, const RunRecord& expected,
                          std::uint64_t turn) {
        workload::Random random{turn};
        RunPlan run = draw_run_plan(turn, random);
        run.mode = turn % 2 == 0 || !is_flaw_seen_by_witness(expected)
                       ? executor::BlockMode::propose
                       : executor::BlockMode::witness;
        RunPlan serial = kSerial;
        serial.mode = run.mode;
        const ChainKnowledge sets = recorded_knowledge(expected);
        const RunRecord in_mode = Runner{serial}.run(chain, nullptr);
        const auto text = difference(in_mode, Runner{run}.run(chain, &sets));
        if (!text.empty()) report(chain, run, text);
        if (chain.flawed.has_value()) return;
        ASSERT_EQ(in_mode.blocks.size(), chain.blocks.size());
        for (std::size_t i = 0; i < in_mode.blocks.size(); ++i)
            EXPECT_EQ(in_mode.blocks[i].hash, expected.blocks[i].hash)
                << "seed " << chain.plan.seed;
    };
    for_each_chain(seeds_for(5'000'001, blocks, 2), "other modes", check);
}

TEST(Determinism, what_was_accepted_before_a_stop_is_a_prefix) {
    const std::uint64_t blocks = number_from("HEDDLE_DETERMINISM_BLOCKS").value_or(600) / 10;
    const auto check = [](const AdversarialChain& chain, const RunRecord& expected,
                          std::uint64_t turn) {
        workload::Random random{turn};
        const RunPlan run = draw_run_plan(turn, random);
        const ChainKnowledge sets = recorded_knowledge(expected);
        std::size_t transactions = 0;
        for (const Block& block : chain.blocks)
            transactions += block.transactions.size();
        StopPlan stop;
        if (turn % 2 == 0)
            stop.after_transactions = random.below(static_cast<std::uint32_t>(transactions + 1));
        else
            stop.after_blocks = random.below(static_cast<std::uint32_t>(chain.blocks.size() + 1));
        Runner runner{run};
        const auto text = prefix_difference(expected, runner.run(chain, &sets, stop));
        EXPECT_EQ(text, "") << "stopped, seed " << chain.plan.seed << ", " << to_string(run);
        // Stopped is not broken.
        const auto again = difference(expected, runner.run(chain, &sets));
        EXPECT_EQ(again, "") << "after a stop, seed " << chain.plan.seed << ", " << to_string(run);
    };
    for_each_chain(seeds_for(3'000'001, blocks, 2), "stops", check);
}

TEST(Determinism, many_runs_of_one_chain_have_one_digest) {
    const std::uint64_t runs = number_from("HEDDLE_DETERMINISM_RUNS").value_or(60);
    AdversarialPlan plan = plan_of(number_from("HEDDLE_TEST_SEED").value_or(4'000'001));
    plan.with_flaws = false;
    plan.blocks = 3;
    const AdversarialChain chain = make_adversarial_chain(plan);
    const RunRecord expected = Runner{kSerial}.run(chain, nullptr);
    const ChainKnowledge sets = recorded_knowledge(expected);
    workload::Random random{11};
    for (std::uint64_t i = 0; i < runs && !testing::Test::HasFailure(); ++i) {
        const RunPlan run = draw_run_plan(i, random);
        const RunRecord record = Runner{run}.run(chain, &sets);
        if (digest(record) != digest(expected)) report(chain, run, difference(expected, record));
    }
    fmt::print("seed {}, {}: {} runs, digest {}\n", plan.seed, chain.description, runs,
               to_string(digest(expected)));
}

}  // namespace
}  // namespace heddle::test
