// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

using executor::Knowledge;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const BenchOptions& options) {
    try {
        static_cast<void>(make_plan(options));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(SplitChoices, keeps_the_settings_of_a_choice_together) {
    EXPECT_THAT(split_choices("serial,early:shards=8,map=c:x,dag,ycsb:skew=0.9"),
                ElementsAre("serial", "early:shards=8,map=c:x", "dag", "ycsb:skew=0.9"));
    EXPECT_THAT(split_choices("a,b=1"), ElementsAre("a", "b=1"));  // no settings to continue
    EXPECT_THAT(split_choices(""), ElementsAre());
}

TEST(BenchPlan, crosses_parallel_schedulers_with_workers_and_knowledge) {
    BenchOptions options;
    options.schedulers = "serial,dag";
    options.workers = "1,4";
    options.knowledge = "declared,unknown";

    const Plan plan = make_plan(options);

    ASSERT_EQ(plan.contenders.size(), 5U);
    EXPECT_EQ(plan.contenders[0].name, "serial");
    EXPECT_EQ(plan.contenders[1].workers, 1U);
    EXPECT_EQ(plan.contenders[1].knowledge, Knowledge::declared);
    EXPECT_EQ(plan.contenders[4].workers, 4U);
    EXPECT_EQ(plan.contenders[4].knowledge, Knowledge::unknown);
}

TEST(BenchPlan, has_values_as_a_contender_of_its_own_level_alone) {
    BenchOptions options;
    options.schedulers = "serial,values";
    options.knowledge = "declared,unknown";

    const Plan plan = make_plan(options);

    ASSERT_GE(plan.contenders.size(), 2U);
    EXPECT_EQ(plan.contenders[1].name, "values");
    EXPECT_EQ(plan.contenders[1].knowledge, Knowledge::values);
}

TEST(BenchPlan, takes_each_contender_once) {
    BenchOptions options;
    options.schedulers = "serial,dag,serial,dag";

    EXPECT_EQ(make_plan(options).contenders.size(), 2U);
}

// Twice `transfers` in a report, and it was slower than itself to `bench compare`.
TEST(BenchPlan, takes_each_workload_and_each_load_once) {
    BenchOptions options;
    options.workloads = "transfers,ycsb:skew=0.9,transfers,ycsb:skew=0.9,ycsb:skew=0.8";
    options.loads = "0.5,0.7,0.5";
    options.rates = "100,100";

    const Plan plan = make_plan(options);

    EXPECT_EQ(plan.scenarios.size(), 3U);
    EXPECT_THAT(plan.loads,
                ElementsAre(OfferedLoad{0.5, 0}, OfferedLoad{0.7, 0}, OfferedLoad{0, 100}));
}

TEST(BenchPlan, refuses_what_it_does_not_know_and_names_the_option) {
    const auto with = [](auto member, const char* text) {
        BenchOptions options;
        options.*member = text;
        return refusal(options);
    };
    EXPECT_THAT(with(&BenchOptions::schedulers, "serial,fast"), HasSubstr("--schedulers fast"));
    EXPECT_THAT(with(&BenchOptions::schedulers, "dag:no=1"), HasSubstr("--schedulers dag:no=1"));
    EXPECT_THAT(with(&BenchOptions::schedulers, ""), HasSubstr("--schedulers"));
    EXPECT_THAT(with(&BenchOptions::workers, "0"), HasSubstr("--workers 0"));
    EXPECT_THAT(with(&BenchOptions::workers, "2,x"), HasSubstr("'x' is no number"));
    EXPECT_THAT(with(&BenchOptions::workers, "99999"), HasSubstr("from 1 to 1024"));
    EXPECT_THAT(with(&BenchOptions::knowledge, "all"), HasSubstr("'all' is none of values"));
    EXPECT_THAT(with(&BenchOptions::knowledge, ""), HasSubstr("--knowledge"));
    EXPECT_THAT(with(&BenchOptions::loads, "nan"), HasSubstr("--load nan"));
    EXPECT_THAT(with(&BenchOptions::loads, "-1"), HasSubstr("--load -1"));
    EXPECT_THAT(with(&BenchOptions::rates, "1e99"), HasSubstr("--rate 1e99"));
    EXPECT_THAT(with(&BenchOptions::workloads, "ycbs"), HasSubstr("--workload: no workload ycbs"));
    EXPECT_THAT(with(&BenchOptions::fork, "frontier"), HasSubstr("--fork"));
}

}  // namespace
}  // namespace heddle::node::benchmark
