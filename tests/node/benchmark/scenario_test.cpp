// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executor/block_graph.hpp>
#include <ledger/memory_ledger.hpp>
#include <types/block_error.hpp>
#include <workload/scenario.hpp>

#include "benchmark/chains.hpp"
#include "benchmark/runner.hpp"
#include "program/error.hpp"
#include "zipf.hpp"

namespace heddle::node::benchmark {
namespace {

using testing::HasSubstr;
using workload::parse_scenario;
using workload::Random;
using workload::scenarios;
using workload::Zipf;

std::string refusal(std::string_view text) {
    const auto choice = parse_scenario(text);
    return choice ? "" : choice.error();
}

Chain make(std::string_view text, std::uint32_t txs = 24, std::size_t blocks = 2) {
    return make_chain(*parse_scenario(text), {.blocks = blocks, .transactions = txs, .seed = 3});
}

/// Every scenario, and those whose settings change what its transactions do.
std::vector<std::string> all_scenarios() {
    std::vector<std::string> texts;
    for (const workload::ScenarioInfo& info : scenarios())
        if (info.name != "ycsb") texts.emplace_back(info.name);  // its usual table is large
    for (const char* text :
         {"transfers:hot=0.5", "erc20:skew=1.2", "amm:hot=1", "nft:mints=1", "nft:skew=0.9",
          "ycsb:records=2000", "ycsb:records=2000,reads=0,hot-keys=7",
          "ycsb:records=50,skew=0.99,length=10",
          "ycsb:records=2000,stragglers=0.1,straggler-length=200,group=8", "tpcc:warehouses=1",
          "tpcc:warehouses=1,split=1", "tpcc:warehouses=2,native=1",
          "ycsb:records=2000,length=3,native=1",
          "linked-list:shards=3,length=20,writes=0.5,global=0.3"})
        texts.emplace_back(text);
    return texts;
}

class EveryScenario : public testing::TestWithParam<std::string> {};

// The ledger computes every state root and compares it with the header's, which serial execution
// has made; receipts, logs and gas are compared by the executor.
TEST_P(EveryScenario, gives_the_same_state_with_every_scheduler_and_level_of_knowledge) {
    const Chain chain = make(GetParam());
    Chain copy = chain;
    const Subject subject = make_subject(std::move(copy));
    std::vector<Contender> contenders;
    for (const executor::SchedulerInfo& info : executor::schedulers())
        for (const auto knowledge : {executor::Knowledge::values, executor::Knowledge::declared,
                                     executor::Knowledge::hinted, executor::Knowledge::unknown})
            contenders.push_back({std::string{info.name}, std::string{info.name}, 2, knowledge});
    for (const Contender& contender : contenders) {
        SCOPED_TRACE(contender.name + ", " + std::string{to_string(contender.knowledge)});
        ledger::MemoryLedger ledger;
        ASSERT_EQ(ledger.initialize(chain.genesis).hash, header_hash(chain.first));
        Runner runner(contender, false, subject.natives);

        ASSERT_NO_THROW(runner.execute(subject.series.front(), ledger.state(), ledger));

        EXPECT_EQ(ledger.head().hash, header_hash(chain.blocks.back().header));
    }
}

TEST_P(EveryScenario, gives_the_same_blocks_for_the_same_seed) {
    EXPECT_EQ(make_subject(make(GetParam())).digest, make_subject(make(GetParam())).digest);
}

INSTANTIATE_TEST_SUITE_P(Scenario, EveryScenario, testing::ValuesIn(all_scenarios()),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::ranges::replace_if(
                                 name, [](char c) { return std::isalnum(c) == 0; }, '_');
                             return name;
                         });

TEST(Scenario, has_no_transaction_that_fails_but_where_that_is_its_nature) {
    for (const char* text :
         {"transfers", "erc20", "nft", "ycsb", "tpcc", "tpcc:split=1", "ycsb:native=1",
          "tpcc:native=1", "linked-list", "chain", "hot-slot"}) {
        const Chain chain = make(text);
        ledger::MemoryLedger ledger({.keep_blocks = true});
        ledger.initialize(chain.genesis);
        const Subject subject = make_subject(Chain(chain));
        Runner({"serial", "serial", 1, executor::Knowledge::declared}, false, subject.natives)
            .execute(subject.series.front(), ledger.state(), ledger);

        for (const Receipt& receipt : ledger.head().receipts)
            EXPECT_TRUE(receipt.success) << text;
    }
}

/// Transactions of the chain that wait for an earlier one of their block.
std::size_t waiting(std::string_view text) {
    const Chain chain = make(text, 60, 1);
    const auto& sets = chain.object_sets.front();
    std::vector<Address> senders;
    for (const Transaction& tx : chain.blocks.front().transactions)
        senders.push_back(*tx.sender);
    const auto graph =
        executor::make_block_graph(sets, std::vector<std::uint64_t>(sets.size(), 1), senders);
    std::set<std::uint32_t> waiting;
    for (const executor::GraphEdge& edge : graph.edges)
        waiting.insert(edge.to);
    return waiting.size();
}

TEST(Scenario, conflicts_as_its_settings_say) {
    EXPECT_EQ(waiting("transfers"), 0U);
    EXPECT_EQ(waiting("erc20"), 0U);
    EXPECT_EQ(waiting("nft:mints=0"), 0U);
    EXPECT_EQ(waiting("nft:mints=1"), 59U);
    EXPECT_EQ(waiting("hot-slot"), 59U);
    EXPECT_EQ(waiting("chain"), 59U);
    EXPECT_EQ(waiting("erc20:hot=1"), 51U);  // of each of nine tokens one does not
    EXPECT_LT(waiting("ycsb:records=20000,reads=0,keys=4"), 10U);
    EXPECT_GT(waiting("ycsb:records=20000,reads=0,keys=4,hot-keys=4"), 40U);
    EXPECT_EQ(waiting("ycsb:records=1000,reads=1"), 0U);
    EXPECT_GE(waiting("ycsb:records=20000,keys=1,reads=0,group=20"), 57U);
    EXPECT_GT(waiting("tpcc:warehouses=1"), 55U);
    EXPECT_LT(waiting("tpcc:warehouses=1,split=1"), waiting("tpcc:warehouses=1"));
    EXPECT_LT(waiting("tpcc:warehouses=1000,remote-orders=0"), 10U);
    EXPECT_EQ(waiting("linked-list:writes=0,global=0"), 0U);
    EXPECT_GT(waiting("linked-list:writes=1"), 55U);
}

/// Of as many equal ranges of all slots as there are lists, those that the transaction touches.
std::set<unsigned> ranges_of(const ObjectSet& objects, unsigned lists) {
    std::set<unsigned> ranges;
    for (const Access& access : objects.accesses()) {
        if (access.object.kind != ObjectKind::storage) continue;
        const Uint256 top = access.object.slot >> 192;
        ranges.insert(static_cast<unsigned>((top * Uint256{lists} >> 64).low64()));
    }
    return ranges;
}

// So that who parts storage by ranges has a list in each part, as in Early Scheduling §5.2.
TEST(Scenario, has_each_linked_list_in_a_range_of_slots) {
    for (const unsigned lists : {1u, 3u, 8u}) {
        const std::string text = "linked-list:length=5,writes=0.5,shards=" + std::to_string(lists);
        std::set<unsigned> all;
        const Chain local = make(text + ",global=0", 60, 1);
        for (const ObjectSet& objects : local.object_sets.front()) {
            const std::set<unsigned> ranges = ranges_of(objects, lists);
            EXPECT_EQ(ranges.size(), 1U);
            all.insert(ranges.begin(), ranges.end());
        }
        EXPECT_EQ(all.size(), lists);
        for (const ObjectSet& objects : make(text + ",global=1", 10, 1).object_sets.front())
            EXPECT_EQ(ranges_of(objects, lists).size(), lists);
    }
}

TEST(Scenario, is_written_as_it_is_read) {
    for (const std::string& text : all_scenarios())
        EXPECT_EQ(parse_scenario(text)->to_text(), text);
    EXPECT_EQ(parse_scenario("ycsb:skew=0.90,keys=10")->to_text(), "ycsb:skew=0.9");
}

TEST(Scenario, names_what_is_wrong_with_a_text) {
    EXPECT_THAT(refusal("ycbs"), HasSubstr("no workload ycbs: choose of transfers,"));
    EXPECT_THAT(refusal("ycsb:key=3"), HasSubstr("ycsb has no setting key: choose of records,"));
    EXPECT_THAT(refusal("chain:skew=1"), HasSubstr("chain has no settings"));
    EXPECT_THAT(refusal("ycsb:skew="), HasSubstr("skew=: a decimal fraction from 0 to 2"));
    EXPECT_THAT(refusal("ycsb:skew=2.000001"), HasSubstr("from 0 to 2"));
    EXPECT_THAT(refusal("ycsb:skew=1e3"), HasSubstr("decimal fraction"));
    EXPECT_THAT(refusal("ycsb:keys=0"), HasSubstr("keys=0: a number from 1 to 64"));
    EXPECT_THAT(refusal("ycsb:keys=-1"), HasSubstr("a number from 1 to 64"));
    EXPECT_THAT(refusal("ycsb:"), HasSubstr("ycsb has no setting :"));
}

TEST(Scenario, refuses_more_transactions_than_a_benchmark_takes) {
    EXPECT_THROW(static_cast<void>(make("transfers", 200'000, 2)), InputError);
}

// Of 4 ranks with exponent 1 the weights are 12, 6, 4 and 3 of 25.
TEST(Zipf, draws_ranks_in_proportion_to_a_power) {
    const Zipf zipf(4, 1'000'000);
    Random random(1);
    std::map<std::uint32_t, double> counts;
    for (int i = 0; i < 100'000; ++i)
        counts[zipf.draw(random)] += 1e-5;

    EXPECT_NEAR(counts[0], 12.0 / 25, 0.01);
    EXPECT_NEAR(counts[1], 6.0 / 25, 0.01);
    EXPECT_NEAR(counts[2], 4.0 / 25, 0.01);
    EXPECT_NEAR(counts[3], 3.0 / 25, 0.01);
}

TEST(Zipf, with_exponent_zero_is_uniform) {
    const Zipf zipf(3, 0);
    Random random(1);
    std::map<std::uint32_t, double> counts;
    for (int i = 0; i < 90'000; ++i)
        counts[zipf.draw(random)] += 1.0 / 90'000;

    for (std::uint32_t rank = 0; rank < 3; ++rank)
        EXPECT_NEAR(counts[rank], 1.0 / 3, 0.01);
}

// Computed apart: sums of r^-0.99 for r from 1 to 1,000.
TEST(Zipf, has_the_head_that_ycsb_has) {
    const Zipf zipf(1'000, 990'000);
    Random random(2);
    double head = 0;
    for (int i = 0; i < 100'000; ++i)
        head += zipf.draw(random) < 10 ? 1e-5 : 0;
    double sum = 0;
    double first = 0;
    for (int rank = 1; rank <= 1'000; ++rank) {
        sum += std::pow(rank, -0.99);
        if (rank <= 10) first += std::pow(rank, -0.99);
    }

    EXPECT_NEAR(head, first / sum, 0.01);
}

}  // namespace
}  // namespace heddle::node::benchmark
