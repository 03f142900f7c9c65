// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/report_page.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmark/svg_plot.hpp"
#include "reports.hpp"

namespace heddle::node::benchmark {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What keeps the page from being well-formed XML but for its first line; empty: nothing.
std::string fault_of(const std::string& page) {
    std::vector<std::string> open;
    std::size_t at = page.find('\n');
    while ((at = page.find_first_of("<>&", at)) != std::string::npos) {
        if (page[at] == '>') return "a stray > at " + std::to_string(at);
        if (page[at] == '&') {
            const std::size_t end = page.find(';', at);
            if (end == std::string::npos || end - at > 6)
                return "a stray & at " + page.substr(at, 20);
            at = end;
            continue;
        }
        const std::size_t end = page.find('>', at);
        if (end == std::string::npos) return "a tag without end";
        const std::string tag = page.substr(at + 1, end - at - 1);
        if (tag.find('<') != std::string::npos) return "a stray < in " + tag;
        if (std::ranges::count(tag, '"') % 2 != 0) return "a quote too many in " + tag;
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1)) return "wrong end " + tag;
            open.pop_back();
        } else if (!tag.ends_with('/')) {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
        at = end + 1;
    }
    return open.empty() ? "" : "not closed: " + open.back();
}

TEST(ReportPage, is_well_formed) {
    EXPECT_EQ(fault_of(to_html(make_report())), "");
    EXPECT_EQ(fault_of(to_html(make_open_report())), "");
}

// Before, plain transfers seemed to compare schedulers, none of which had run.
TEST(ReportPage, says_where_no_scheduler_had_a_part) {
    constexpr const char* kNote = "dag, 2 workers, declared: no scheduler had a part in it";
    BenchReport report = make_report();
    EXPECT_THAT(to_table(report.subjects[0]), Not(HasSubstr(kNote)));
    EXPECT_THAT(to_html(report), Not(HasSubstr(kNote)));
    report.subjects[0].cells[1].counters = {{"dispatched", 0}, {"blocks from lists", 3}};
    EXPECT_THAT(to_table(report.subjects[0]), Not(HasSubstr(kNote)));
    report.subjects[0].cells[1].counters = {{"dispatched", 0}, {"blocks from lists", 0}};
    EXPECT_THAT(to_table(report.subjects[0]), HasSubstr(kNote));
    EXPECT_THAT(to_html(report), HasSubstr(kNote));
}

TEST(ReportPage, points_to_nothing_outside) {
    const std::string page = to_html(make_open_report());

    for (const char* outside :
         {"http:", "https:", "src=", "href=", "url(", "@import", "<link", "<iframe", "<script"})
        EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(ReportPage, escapes_every_text_that_comes_from_elsewhere) {
    const std::string evil = "<script>alert('x')</script>&\"";
    BenchReport report = make_open_report();
    report.program = report.command = report.began = evil;
    report.machine.processor = report.machine.system = evil;
    SubjectResult& subject = report.subjects[0];
    subject.name = subject.digest = evil;
    for (Cell& cell : subject.cells) {
        cell.scheduler = evil;
        cell.knowledge = evil;
        cell.counters = {{evil, 1}};
    }

    const std::string page = to_html(report);

    EXPECT_EQ(fault_of(page), "");
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, Not(HasSubstr("alert('")));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"));
}

TEST(ReportPage, has_every_plot_that_there_are_figures_for) {
    const std::string page = to_html(make_open_report());

    for (const char* title :
         {"Throughput", "Latency of transactions over load", "Speed-up of each block",
          "Where the time of blocks went", "MODELLED, not measured: speed-up over cores"})
        EXPECT_THAT(page, HasSubstr(title));
    EXPECT_THAT(to_html(make_report()), Not(HasSubstr("Latency of transactions over load")));
}

/// Two subjects that differ in one setting of one workload.
BenchReport make_sweep() {
    BenchReport report = make_report();
    report.subjects.push_back(report.subjects[0]);
    report.subjects[0].name = "ycsb:records=100";
    report.subjects[1].name = "ycsb:records=100,skew=0.9";
    return report;
}

TEST(ReportPage, has_curves_where_one_setting_of_a_workload_is_varied) {
    const std::string page = to_html(make_sweep());

    EXPECT_EQ(fault_of(page), "");
    EXPECT_THAT(page, HasSubstr("Throughput over skew"));
    EXPECT_THAT(page, HasSubstr("skew = 0.9, transactions/s = 400k"));
    EXPECT_THAT(page, HasSubstr("MODELLED, not measured: speed-up over skew"));
    EXPECT_THAT(page, HasSubstr("<td class=\"best\">2.00</td>"));
}

TEST(ReportPage, has_a_table_alone_where_subjects_differ_in_more) {
    BenchReport report = make_sweep();
    report.subjects[1].name = "ycsb:records=200,skew=0.9";

    EXPECT_THAT(to_html(report), HasSubstr("All together"));
    EXPECT_THAT(to_html(report), Not(HasSubstr(" over skew")));
}

TEST(ReportPage, has_bars_where_there_is_one_number_of_workers) {
    BenchReport report = make_report();
    EXPECT_THAT(to_html(report), HasSubstr("<figcaption>Throughput</figcaption>"));
    report.subjects[0].cells.push_back(make_cell("dag", {3, 3, 3}));
    report.subjects[0].cells.back().workers = 4;

    EXPECT_THAT(to_html(report), HasSubstr("<figcaption>Throughput over workers</figcaption>"));
}

TEST(ReportPage, says_noise_and_critical_path) {
    const std::string page = to_html(make_report());

    EXPECT_THAT(page, HasSubstr("differs from itself by 0.4 %"));
    EXPECT_THAT(page, HasSubstr("Critical paths take 10.0 %"));
}

TEST(ReportPage, leaves_out_what_was_not_modelled) {
    BenchReport report = make_report();
    report.subjects[0].model = {};

    EXPECT_THAT(to_html(report), Not(HasSubstr("MODELLED")));
    EXPECT_THAT(to_table(report.subjects[0]), Not(HasSubstr("modelled")));
}

TEST(ReportTable, compares_everybody_with_the_first_contender) {
    const std::string table = to_table(make_open_report().subjects[0]);

    EXPECT_THAT(table, HasSubstr("noise 0.4 %"));
    EXPECT_THAT(table, HasSubstr("5.000     12.250     400000    18000    2.00\n"));
    EXPECT_THAT(table, HasSubstr("140000        100        300        400\n"));
    EXPECT_THAT(table, HasSubstr("8 cores 6.50\n"));
}

TEST(ReportTable, says_where_noise_makes_it_worthless) {
    SubjectResult subject = make_report().subjects[0];
    EXPECT_THAT(to_table(subject), Not(HasSubstr("so much noise")));
    subject.noise = 0.11;

    EXPECT_THAT(to_table(subject), HasSubstr("so much noise"));
}

TEST(ReportTable, says_that_processors_moved_while_it_was_measured) {
    SubjectResult subject = make_report().subjects[0];
    EXPECT_THAT(to_table(subject), Not(HasSubstr("cache line")));
    subject.handover = {28, 160};

    EXPECT_THAT(to_table(subject), HasSubstr("a cache line took 28 to 160 ns"));
}

TEST(ReportPage, says_how_near_the_processors_were_where_that_is_known) {
    BenchReport report = make_report();
    EXPECT_THAT(to_html(report), HasSubstr("took 40 to 50 ns from one processor to another."));
    report.subjects[0].handover = {};

    EXPECT_THAT(to_html(report), Not(HasSubstr("cache line")));
}

TEST(Plot, survives_values_that_cannot_be_drawn) {
    Plot plot{"t", "x", "y", {{"a", {{0, 0}, {1, 1.0 / 0.0}, {-1, 3}, {2, 5}}}}, true, true};

    const std::string drawn = draw(plot);

    EXPECT_EQ(fault_of("\n" + drawn), "");
    EXPECT_THAT(drawn, Not(HasSubstr("nan")));
    EXPECT_THAT(drawn, Not(HasSubstr("inf")));
    EXPECT_EQ(draw(Plot{"t", "x", "y", {{"a", {{0, 0}}}}, true, true}), "");
    EXPECT_EQ(draw(BarPlot{"t", "ms", {"a"}, {{"b", {0}}}}), "");
}

TEST(Plot, of_one_point_has_axes_around_it) {
    const std::string drawn = draw(Plot{"t", "x", "y", {{"a", {{2, 5}}}}});

    EXPECT_THAT(drawn, HasSubstr("<circle"));
    EXPECT_THAT(drawn, Not(HasSubstr("nan")));
}

TEST(EscapeHtml, keeps_letters_and_drops_control_characters) {
    EXPECT_EQ(escape_html("a µ\x01 <&>\"'"), "a µ &lt;&amp;&gt;&quot;&#39;");
}

}  // namespace
}  // namespace heddle::node::benchmark
