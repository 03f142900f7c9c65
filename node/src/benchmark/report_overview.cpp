// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/report_overview.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <workload/scenario.hpp>

#include "benchmark/svg_plot.hpp"

namespace heddle::node::benchmark {
namespace {

/// Modelled numbers of cores that have curves of their own.
constexpr unsigned kModelledCores[] = {2, 8, 64};

/// One setting of one workload, with its value for each subject.
struct Sweep {
    std::string setting;
    std::vector<double> values;
};

/// nullopt: the subjects differ in more than one setting, or in something else.
std::optional<Sweep> find_sweep(const BenchReport& report) {
    std::vector<workload::ScenarioChoice> choices;
    for (const SubjectResult& subject : report.subjects) {
        auto choice = workload::parse_scenario(subject.name);
        if (!choice || (!choices.empty() && choice->info != choices.front().info))
            return std::nullopt;
        choices.push_back(*std::move(choice));
    }
    std::optional<Sweep> sweep;
    for (std::size_t i = 0; i < choices.front().values.size(); ++i) {
        const auto is_like_first = [&](const workload::ScenarioChoice& choice) {
            return choice.values[i] == choices.front().values[i];
        };
        if (std::ranges::all_of(choices, is_like_first)) continue;
        if (sweep) return std::nullopt;
        const workload::ScenarioSetting& setting = choices.front().info->settings[i];
        sweep.emplace(std::string{setting.name});
        for (const workload::ScenarioChoice& choice : choices)
            sweep->values.push_back(static_cast<double>(choice.values[i]) /
                                    (setting.is_share ? workload::kMillion : 1));
    }
    return sweep;
}

/// A line for each contender over the values of the setting.
template <typename Figure>
std::string curve(const BenchReport& report, const Sweep& sweep, const std::string& title,
                  const std::string& unit, Figure&& figure) {
    Plot plot{title + " over " + sweep.setting, sweep.setting, unit, {}};
    std::map<std::string, std::size_t> lines;
    for (std::size_t i = 0; i < report.subjects.size(); ++i)
        for (const Cell* cell : closed_cells(report.subjects[i])) {
            const auto [found, is_new] = lines.try_emplace(cell->label(), plot.lines.size());
            const auto colour = static_cast<unsigned>(found->second);
            if (is_new) plot.lines.push_back({found->first, {}, false, false, colour});
            plot.lines[found->second].points.emplace_back(sweep.values[i],
                                                          figure(report.subjects[i], *cell));
        }
    for (PlotLine& line : plot.lines)
        std::ranges::sort(line.points);
    return draw(plot);
}

std::string model_curve(const BenchReport& report, const Sweep& sweep) {
    Plot plot{"MODELLED, not measured: speed-up over " + sweep.setting, sweep.setting, "times", {}};
    for (const unsigned cores : kModelledCores) {
        PlotLine line{fmt::format("{} cores", cores),
                      {},
                      true,
                      false,
                      static_cast<unsigned>(plot.lines.size())};
        for (std::size_t i = 0; i < report.subjects.size(); ++i)
            for (const ModelPoint& point : report.subjects[i].model.points)
                if (point.cores == cores)
                    line.points.emplace_back(sweep.values[i], point.stream_order);
        std::ranges::sort(line.points);
        plot.lines.push_back(std::move(line));
    }
    return draw(plot);
}

/// Every subject's speed-ups, the best of each in bold.
std::string table(const BenchReport& report) {
    std::vector<std::string> labels;
    for (const SubjectResult& subject : report.subjects)
        for (const Cell* cell : closed_cells(subject))
            if (std::ranges::find(labels, cell->label()) == labels.end())
                labels.push_back(cell->label());
    std::string out = "<table>\n<tr><th>times the first contender</th><th>noise</th>";
    for (const std::string& label : labels)
        out += fmt::format("<th>{}</th>", escape_html(label));
    out += "</tr>\n";
    for (const SubjectResult& subject : report.subjects) {
        const auto cells = closed_cells(subject);
        double best = 0;
        for (const Cell* cell : cells)
            best = std::max(best, subject.baseline_ms() / median_ms(*cell));
        out += fmt::format("<tr><td>{}</td><td>{:.1f} %</td>", escape_html(subject.name),
                           100 * subject.noise);
        for (const std::string& label : labels) {
            const auto found = std::ranges::find(cells, label, &Cell::label);
            if (found == cells.end()) {
                out += "<td></td>";
                continue;
            }
            const double times = subject.baseline_ms() / median_ms(**found);
            out += fmt::format("<td{}>{:.2f}</td>", times == best ? " class=\"best\"" : "", times);
        }
        out += "</tr>\n";
    }
    return out + "</table>\n";
}

}  // namespace

std::string overview(const BenchReport& report) {
    if (report.subjects.size() < 2) return {};
    std::string out = "<h2>All together</h2>\n" + table(report);
    const auto sweep = find_sweep(report);
    if (!sweep) return out;
    out += "<div class=\"plots\">\n";
    out += curve(report, *sweep, "Throughput", "transactions/s", tps_of);
    out += curve(report, *sweep, "Speed-up", "times the first contender",
                 [](const SubjectResult& subject, const Cell& cell) {
                     return subject.baseline_ms() / median_ms(cell);
                 });
    return out + model_curve(report, *sweep) + "</div>\n";
}

}  // namespace heddle::node::benchmark
