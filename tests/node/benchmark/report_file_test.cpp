// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/report_file.hpp"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/error.hpp"
#include "reports.hpp"

namespace heddle::node::benchmark {
namespace {

using testing::HasSubstr;

BenchReport read(const std::string& text) {
    JsonParser parser;
    return report_from_json(parser.parse(text, "report.json"));
}

std::string refusal(const std::string& text) {
    try {
        static_cast<void>(read(text));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// The report as JSON with the first place of `from` replaced.
std::string with(const std::string& from, const std::string& to) {
    std::string text = to_json(make_open_report());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(ReportFile, gives_back_what_was_written) {
    const BenchReport report = make_open_report();

    EXPECT_EQ(read(to_json(report)), report);
}

TEST(ReportFile, keeps_every_digit_and_odd_names) {
    BenchReport report = make_report();
    report.subjects[0].name = "a \"name\", with <odd> characters: \\ µ";
    report.subjects[0].cells[0].samples_ms = {0.1 + 0.2, 1e-300, 12345678.123456789};

    EXPECT_EQ(read(to_json(report)), report);
}

TEST(ReportFile, reads_reports_of_before_handovers_were_measured) {
    BenchReport report = make_report();
    std::string text = to_json(report);
    const std::size_t begin = text.find("\"handover_ns\"");
    ASSERT_NE(begin, std::string::npos);
    text.erase(begin, text.find("},", begin) + 2 - begin);
    report.subjects[0].handover = {};

    EXPECT_EQ(read(text), report);
}

TEST(ReportFile, keeps_that_noise_is_unknown) {
    BenchReport report = make_report();
    report.subjects[0].noise = std::numeric_limits<double>::infinity();

    EXPECT_EQ(read(to_json(report)), report);
}

TEST(ReportFile, reads_past_members_that_it_does_not_know) {
    EXPECT_EQ(read(with("\"machine\":", "\"comment\": [1, 2], \"machine\":")), make_open_report());
}

TEST(ReportFile, names_the_place_of_what_is_wrong) {
    EXPECT_THAT(refusal("[]"), HasSubstr("report.json"));
    EXPECT_THAT(refusal("{}"), HasSubstr("is no report of heddle bench"));
    EXPECT_THAT(refusal("{\"format\": 1}"), HasSubstr("is no report of heddle bench"));
    EXPECT_THAT(refusal("{"), HasSubstr("report.json"));
    EXPECT_THAT(refusal(with("\"heddle-bench-1\"", "\"heddle-bench-9\"")),
                HasSubstr("must be \"heddle-bench-1\""));
    EXPECT_THAT(refusal(with("\"cells\": [", "\"cells\": 7, \"x\": [")),
                HasSubstr("$.subjects[0].cells"));
    EXPECT_THAT(refusal(with("\"p99\": 300", "\"p99\": \"300\"")), HasSubstr("p99"));
    EXPECT_THAT(refusal(with("\"workers\": 2", "\"workers\": -2")), HasSubstr("workers"));
    EXPECT_THAT(refusal(with("\"digest\"", "\"digits\"")), HasSubstr("digest"));
}

TEST(ReportFile, refuses_runs_that_took_no_time_or_less) {
    EXPECT_THAT(refusal(with("10.01", "0")), HasSubstr("no time"));
    EXPECT_THAT(refusal(with("10.01", "-1")), HasSubstr("zero or more"));
}

TEST(ReportFile, has_a_row_of_csv_for_each_cell) {
    BenchReport report = make_open_report();
    report.subjects[0].cells[1].scheduler = "early:shards=2,steal=\"yes\"";

    const std::string csv = to_csv(report);

    EXPECT_EQ(std::ranges::count(csv, '\n'), 6);
    EXPECT_THAT(csv, HasSubstr("\nerc20,0x0123456789abcdef,2000,90000000,serial,1,,0,0,0,12.25,10,"
                               "9.99,10.02,200000,9000,1,0,0,0,0,0,0\n"));
    EXPECT_THAT(csv, HasSubstr(",\"early:shards=2,steal=\"\"yes\"\"\",2,declared,0,"));
}

}  // namespace
}  // namespace heddle::node::benchmark
