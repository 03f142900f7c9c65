// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/executor_flags.hpp"

#include <iterator>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inputs/executor_counters.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// What a command line of these options leads to.
ExecutorFlags parse(const std::string& options, const std::string& workers_name = "--workers") {
    CommandLine line("", "test");
    ExecutorFlags flags;
    add_executor_flags(line.program(), flags, workers_name);
    std::istringstream words(options);
    EXPECT_TRUE(line.parse({std::istream_iterator<std::string>(words), {}}));
    return flags;
}

std::string parse_error(const std::string& options) {
    try {
        static_cast<void>(parse(options));
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

TEST(ExecutorFlags, are_parallel_unless_asked) {
    EXPECT_TRUE(parse("").is_parallel());
    EXPECT_NE(make_executor(parse(""), {}), nullptr);
    EXPECT_FALSE(parse("--scheduler serial").is_parallel());
    EXPECT_NE(make_executor(parse("--scheduler serial"), {}), nullptr);
}

TEST(ExecutorFlags, name_the_choices_where_a_value_is_none_of_them) {
    EXPECT_THAT(parse_error("--knowledge everything"),
                HasSubstr("'everything' is none of values, declared, hinted, unknown"));
}

TEST(ExecutorFlags, choose_scheduler_threads_and_knowledge) {
    const ExecutorFlags flags = parse(
        "--scheduler dag --workers 3 --pipeline 2 --knowledge hinted --delay-seed "
        "18446744073709551615");

    EXPECT_TRUE(flags.is_parallel());
    EXPECT_EQ(flags.workers, 3u);
    EXPECT_EQ(flags.pipeline, 2u);
    EXPECT_EQ(flags.knowledge, executor::Knowledge::hinted);
    EXPECT_EQ(flags.delay_seed, 18446744073709551615u);
    EXPECT_NE(make_executor(flags, {}), nullptr);
    EXPECT_EQ(parse("--scheduler dag --dag-workers 5", "--dag-workers").workers, 5u);
}

TEST(ExecutorFlags, out_of_range_they_name_what_is_allowed) {
    EXPECT_THAT(parse_error("--scheduler fast"),
                HasSubstr("fast: expected serial or auto or values or dag or early"));
    EXPECT_THAT(parse_error("--workers 0"), HasSubstr("1 to 1024"));
    EXPECT_THAT(parse_error("--workers 1025"), HasSubstr("1 to 1024"));
    EXPECT_THAT(parse_error("--workers two"), HasSubstr("--workers"));
    EXPECT_THAT(parse_error("--pipeline 5"), HasSubstr("1 to 4"));
    EXPECT_THAT(parse_error("--knowledge all"), HasSubstr("--knowledge"));
    EXPECT_THAT(parse_error("--delay-seed -1"), HasSubstr("--delay-seed"));
}

TEST(ExecutorFlags, without_a_meaning_are_refused) {
    for (const std::string name : {"--dag-workers", "--pipeline", "--knowledge", "--delay-seed"}) {
        const std::string value = name == "--knowledge" ? " unknown" : " 1";
        const ExecutorFlags flags = parse("--scheduler serial " + name + value, "--dag-workers");
        try {
            static_cast<void>(make_executor(flags, {}));
            ADD_FAILURE() << name;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), StartsWith(name + ": no meaning"));
            EXPECT_THAT(error.what(), HasSubstr("--scheduler auto"));
        }
    }
}

TEST(ExecutorFlags, say_which_values_a_setting_takes) {
    const std::string_view words[] = {"off", "on"};
    executor::SettingInfo setting{"name", "what it decides", "on", words};
    EXPECT_EQ(values_text(setting), "off|on, usually on");
    setting.most = 64;
    EXPECT_EQ(values_text(setting), "off|on|1..64, usually on");
    EXPECT_EQ(
        values_text({.name = "file", .description = "where it is", .initial = {}, .is_text = true}),
        "TEXT");
}

TEST(ExecutorCounters, add_up_except_for_the_largest) {
    executor::ParallelStats sum;
    sum.executed = 3;
    sum.most_in_flight = 7;
    executor::ParallelStats more;
    more.executed = 4;
    more.most_in_flight = 5;

    sum += more;

    EXPECT_EQ(sum.executed, 7u);
    EXPECT_EQ(sum.most_in_flight, 7u);
}

TEST(ExecutorCounters, are_told_where_something_was_counted) {
    executor::ParallelStats counters;
    EXPECT_EQ(to_text(counters), "scheduler: 0 dispatched");
    counters.executed = 7;
    counters.most_in_flight = 2;
    EXPECT_EQ(to_text(counters), "scheduler: 0 dispatched, 7 executed ahead, 2 most in flight");
    counters.listed_blocks = 3;
    EXPECT_THAT(to_text(counters), HasSubstr(", 3 blocks from lists, 0 lists refuted, "));
    counters = {};
    counters.edges = counters.listed_blocks = counters.cold_reads = 1;
    EXPECT_EQ(to_text(counters),
              "scheduler: 0 dispatched, 1 edge, 1 block from its list, 0 lists refuted, "
              "1 cold read");
}

}  // namespace
}  // namespace heddle::node
