// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The bench command as its users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmark/report_file.hpp"
#include "program.hpp"
#include "reports.hpp"

namespace heddle::node::benchmark {
namespace {

using test::run_program;
using testing::HasSubstr;
using testing::StartsWith;

TEST(BenchCommand, writes_what_it_prints_as_json_csv_and_a_page) {
    const test::TemporaryFolder folder;
    const std::string json = (folder.path() / "r.json").string();
    const std::string csv = (folder.path() / "r.csv").string();
    const std::string html = (folder.path() / "r.html").string();

    const auto result = run_program({"bench",
                                     "--workload",
                                     "transfers,ycsb:skew=0.9,records=100",
                                     "--schedulers",
                                     "serial,dag,values",
                                     "--workers",
                                     "1,2",
                                     "--blocks",
                                     "2",
                                     "--txs",
                                     "10",
                                     "--repetitions",
                                     "3",
                                     "--load",
                                     "0.5",
                                     "--no-pin",
                                     "--json",
                                     json,
                                     "--csv",
                                     csv,
                                     "--html",
                                     html});

    ASSERT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr("ycsb:records=100,skew=0.9: 20 transactions in 2 blocks"));
    JsonParser parser;
    const BenchReport report = report_from_json(parser.parse_file(json));
    ASSERT_EQ(report.subjects.size(), 2U);
    EXPECT_EQ(report.subjects[0].cells.size(), 2U * (1 + 2 + 2 + 1));
    EXPECT_EQ(report.repetitions, 3U);
    EXPECT_THAT(test::read_text(csv), HasSubstr("\ntransfers,0x"));
    EXPECT_THAT(test::read_text(html), HasSubstr("<h2>transfers</h2>"));
}

TEST(BenchCommand, writes_a_report_to_standard_output_with_nothing_beside_it) {
    const auto result =
        run_program({"bench", "--workload", "transfers", "--schedulers", "serial", "--blocks", "1",
                     "--txs", "5", "--repetitions", "3", "--no-pin", "--json", "-"});

    ASSERT_EQ(result.exit_code, 0) << result.error;
    JsonParser parser;
    EXPECT_EQ(report_from_json(parser.parse(result.out, "output")).subjects.size(), 1U);
    EXPECT_THAT(result.error, HasSubstr("transfers"));
}

TEST(BenchCommand, measures_the_stages_of_keeping_a_workload_and_of_a_chain_file) {
    const test::TemporaryFolder folder;
    const std::string made = (folder.path() / "made").string();
    ASSERT_EQ(run_program({"generate", "--blocks", "3", "--txs", "4", "--out", made}).exit_code, 0);

    const auto result = run_program({"bench", "--stages", "--genesis", made + "/genesis.json",
                                     made + "/chain.rlp", "--workload", "transfers", "--blocks",
                                     "2", "--txs", "5", "--repetitions", "2"});

    ASSERT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr("chain.rlp: 8 transactions in 2 blocks"));
    EXPECT_THAT(result.out, HasSubstr("transfers: 10 transactions in 2 blocks"));
    for (const char* stage : {"senders", "execution", "verification", "tries", "flat state",
                              "writing", "files", "all together", "slowest: 1 "})
        EXPECT_THAT(result.out, HasSubstr(std::string{"\n  "} + stage));
}

TEST(BenchCommand, refuses_to_measure_stages_where_there_is_no_genesis_or_schedulers_are_named) {
    const auto refusal = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"bench", "--stages"});
        const auto result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 2);
        return result.error;
    };
    EXPECT_THAT(refusal({"--datadir", "d"}), HasSubstr("--stages begins at a genesis block"));
    EXPECT_THAT(refusal({"block.json"}), HasSubstr("--stages does not go with blocks in JSON"));
    EXPECT_THAT(refusal({"--schedulers", "serial"}), HasSubstr("--stages goes with"));
    EXPECT_THAT(refusal({"--csv", "/dev/null"}), HasSubstr("--stages goes with"));
}

TEST(BenchCommand, refuses_what_does_not_fit_together_and_says_what_to_do) {
    const auto refusal = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "bench");
        const auto result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 2);
        return result.error;
    };
    EXPECT_THAT(refusal({"chain.rlp"}), HasSubstr("needs its genesis: give it with --genesis"));
    EXPECT_THAT(refusal({"--genesis", "g.json"}), HasSubstr("goes with chain files"));
    EXPECT_THAT(refusal({"--from", "3"}), HasSubstr("--from goes with chain files or --datadir"));
    EXPECT_THAT(refusal({"--chain", "mainnet"}), HasSubstr("--chain goes with files"));
    EXPECT_THAT(refusal({"x.json", "--blocks", "3"}), HasSubstr("--blocks does not go with"));
    EXPECT_THAT(refusal({"x.json", "--txs", "3"}), HasSubstr("--txs goes with --workload"));
    EXPECT_THAT(refusal({"--datadir", "d", "--fork", "Prague"}),
                HasSubstr("--fork goes with --workload"));
    EXPECT_THAT(refusal({"x.json", "--seed", "3"}), HasSubstr("--seed goes with --workload"));
    EXPECT_THAT(refusal({"--json", "report", "--csv", "./report"}),
                HasSubstr("each report needs a file of its own"));
    EXPECT_THAT(refusal({"--workload", "ycsb:key=1"}), HasSubstr("ycsb has no setting key"));
    EXPECT_THAT(refusal({"--schedulers", "quick"}), HasSubstr("--schedulers quick"));
    EXPECT_THAT(refusal({"no-such-folder"}), HasSubstr("no-such-folder"));
    EXPECT_THAT(refusal({"--txs", "0"}), HasSubstr("--txs"));
    EXPECT_THAT(refusal({"compare", "only-one.json"}), HasSubstr("after"));
    EXPECT_THAT(refusal({"compare", "no.json", "no.json"}), HasSubstr("no.json"));
}

// It had named schedulers alone, and so asked for the usual workloads.
TEST(BenchCommand, writes_down_the_command_that_asks_for_the_same) {
    const test::TemporaryFolder folder;
    const std::string made = (folder.path() / "it's made").string();
    const std::string json = (folder.path() / "r.json").string();
    ASSERT_EQ(run_program({"generate", "--blocks", "1", "--txs", "3", "--out", made}).exit_code, 0);

    const auto command = [&json](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "bench");
        arguments.insert(arguments.end(), {"--schedulers", "serial", "--repetitions", "1",
                                           "--no-model", "--no-pin", "--json", json});
        const auto result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 0) << result.error;
        JsonParser parser;
        return report_from_json(parser.parse_file(json)).command;
    };

    EXPECT_THAT(command({made + "/chain.rlp", "--genesis", made + "/genesis.json", "--from", "1"}),
                StartsWith("heddle bench chain.rlp --genesis genesis.json --schedulers serial"));
    ASSERT_EQ(run_program({"replay", "--genesis", made + "/genesis.json", made + "/chain.rlp",
                           "--datadir", made + "/a b's"})
                  .exit_code,
              0);
    EXPECT_THAT(command({"--datadir", made + "/a b's/"}),
                StartsWith(R"(heddle bench --datadir 'a b'\''s' --schedulers serial)"));
}

// A benchmark of an hour was over before it found that it could not be written down.
TEST(BenchCommand, looks_at_where_reports_go_before_it_measures) {
    const test::TemporaryFolder folder;
    for (const char* option : {"--html", "--json", "--csv"})
        for (const std::string& file :
             {(folder.path() / "missing" / "report").string(), folder.path().string()}) {
            const auto result = run_program({"bench", "--workload", "transfers", "--txs", "10",
                                             "--repetitions", "1", option, file});

            EXPECT_EQ(result.exit_code, 2);
            EXPECT_EQ(result.out, "");
            EXPECT_THAT(result.error, HasSubstr(file + ": cannot write"));
        }
}

TEST(BenchCommand, lists_workloads_and_schedulers) {
    const auto result = run_program({"bench", "--list"});

    EXPECT_EQ(result.exit_code, 0);
    for (const char* name : {"linked-list", "straggler-length", "serial", "dag"})
        EXPECT_THAT(result.out, HasSubstr(name));
    // What can be given for a setting of either.
    EXPECT_THAT(result.out, HasSubstr(" (0..1, usually 0)\n"));
    EXPECT_THAT(result.out, HasSubstr(" (coarse|free, usually free)\n"));
}

TEST(BenchCompare, ends_with_1_where_something_got_slower) {
    const test::TemporaryFolder folder;
    BenchReport slower = make_report();
    for (double& ms : slower.subjects[0].cells[1].samples_ms)
        ms *= 2;
    const std::string before = folder.write("a.json", to_json(make_report()));
    const std::string after = folder.write("b.json", to_json(slower));

    const auto worse = run_program({"bench", "compare", before, after});
    const auto better = run_program({"bench", "compare", after, before});
    const auto ratios = run_program({"bench", "compare", "--relative", before, after});

    EXPECT_EQ(worse.exit_code, 1);
    EXPECT_THAT(worse.out, HasSubstr("SLOWER"));
    EXPECT_EQ(better.exit_code, 0);
    EXPECT_THAT(better.out, HasSubstr("0 slower, 1 faster"));
    EXPECT_EQ(ratios.exit_code, 1);
}

TEST(BenchCompare, refuses_files_that_are_no_reports) {
    const test::TemporaryFolder folder;
    const std::string good = folder.write("a.json", to_json(make_report()));
    const std::string bad = folder.write("b.json", "{\"format\": \"something\"}");

    const auto result = run_program({"bench", "compare", good, bad});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr("b.json"));
    EXPECT_THAT(result.error, HasSubstr("is no report of heddle bench"));
}

}  // namespace
}  // namespace heddle::node::benchmark
