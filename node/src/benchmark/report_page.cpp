// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/report_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include <measure/statistics.hpp>

#include <types/counted.hpp>

#include "benchmark/report_overview.hpp"
#include "benchmark/svg_plot.hpp"
#include "program/quantities.hpp"

namespace heddle::node::benchmark {
namespace {

constexpr double kMuchNoise = 0.1;  // share
/// Behind how long handovers took, see Handover::has_changed().
constexpr std::string_view kMoved =
    ": they moved, or something else had them, and parallel times are a mixture";

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid #8888; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
.plots { display: flex; flex-wrap: wrap; gap: 1.5rem; }
figure { margin: 0; flex: 1 1 30rem; max-width: 40rem; }
figcaption { font-weight: 600; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: currentColor; }
.rule { stroke: #8884; }
.best { font-weight: 700; }
.note { opacity: .75; }
)";

std::string row(std::string_view tag, const std::vector<std::string>& cells) {
    std::string out = "<tr>";
    for (const std::string& cell : cells)
        out += fmt::format("<{0}>{1}</{0}>", tag, escape_html(cell));
    return out + "</tr>\n";
}

std::string percent(double share) {
    return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "unknown";
}

/// What lines of one plot have in common: the same scheduler with the same knowledge.
std::string line_name(const Cell& cell) {
    return cell.knowledge.empty() || cell.knowledge == cell.scheduler
               ? cell.scheduler
               : fmt::format("{}, {}", cell.scheduler, cell.knowledge);
}

/// Where there is one number of workers only.
std::string throughput_bars(const SubjectResult& subject) {
    BarPlot plot{"Throughput", "transactions/s", {"median"}, {}};
    for (const Cell* cell : closed_cells(subject))
        plot.bars.push_back({cell->label(), {std::round(tps_of(subject, *cell))}});
    return draw(plot);
}

std::string throughput_plot(const SubjectResult& subject) {
    Plot plot{"Throughput over workers", "workers", "transactions/s", {}};
    std::set<double> workers;
    for (const Cell* cell : closed_cells(subject))
        if (!cell->knowledge.empty()) workers.insert(cell->workers);
    if (workers.size() < 2) return throughput_bars(subject);
    plot.x_marks.assign(workers.begin(), workers.end());
    std::map<std::string, std::size_t> lines;
    for (const Cell* cell : closed_cells(subject)) {
        const double tps = tps_of(subject, *cell);
        const auto [found, is_new] = lines.try_emplace(line_name(*cell), plot.lines.size());
        const auto colour = static_cast<unsigned>(found->second);
        if (is_new)
            plot.lines.push_back({found->first, {}, cell->knowledge.empty(), false, colour});
        PlotLine& line = plot.lines[found->second];
        if (!cell->knowledge.empty())
            line.points.emplace_back(cell->workers, tps);
        else  // one thread, for comparison all along
            line.points = {{*workers.begin(), tps}, {*workers.rbegin(), tps}};
    }
    for (PlotLine& line : plot.lines)
        std::ranges::sort(line.points);
    return draw(plot);
}

std::string latency_plot(const SubjectResult& subject) {
    Plot plot{"Latency of transactions over load, open loop",
              "transactions offered per second",
              "µs from the intended arrival",
              {},
              false,
              true};
    std::map<std::string, std::size_t> lines;
    for (const Cell& cell : subject.cells) {
        if (!cell.is_open_loop() || cell.is_twin) continue;
        const auto [found, is_new] = lines.try_emplace(cell.label(), plot.lines.size());
        if (is_new) {
            const auto colour = static_cast<unsigned>(plot.lines.size() / 2);
            plot.lines.push_back({cell.label() + ": p50", {}, true, false, colour});
            plot.lines.push_back({cell.label() + ": p99", {}, false, false, colour});
        }
        plot.lines[found->second].points.emplace_back(cell.offered_tps,
                                                      cell.transaction_latency.p50);
        plot.lines[found->second + 1].points.emplace_back(cell.offered_tps,
                                                          cell.transaction_latency.p99);
    }
    for (PlotLine& line : plot.lines)
        std::ranges::sort(line.points);
    return draw(plot);
}

std::string block_plot(const SubjectResult& subject) {
    const Cell& baseline = subject.cells.front();
    Plot plot{fmt::format("Speed-up of each block over {}", baseline.label()),
              "block",
              "times",
              {},
              false,
              false};
    for (const Cell* cell : closed_cells(subject)) {
        if (cell == &baseline || cell->block_ms.size() != subject.blocks.size() ||
            baseline.block_ms.size() != subject.blocks.size())
            continue;
        PlotLine line{cell->label(), {}, false, true, static_cast<unsigned>(plot.lines.size())};
        for (std::size_t i = 0; i < subject.blocks.size(); ++i)
            line.points.emplace_back(static_cast<double>(i + 1),
                                     baseline.block_ms[i] / cell->block_ms[i]);
        plot.lines.push_back(std::move(line));
    }
    const std::size_t step = subject.blocks.size() / 12 + 1;
    for (std::size_t i = 1; i < subject.blocks.size(); i += step)
        plot.x_marks.push_back(static_cast<double>(i));
    plot.x_marks.push_back(static_cast<double>(subject.blocks.size()));
    return draw(plot);
}

std::string phase_plot(const SubjectResult& subject) {
    BarPlot plot{"Where the time of blocks went, phase by phase",
                 "ms",
                 {"recovering senders", "executing", "verifying", "committing"},
                 {}};
    for (const Cell* cell : closed_cells(subject))
        plot.bars.push_back({cell->label(),
                             {cell->phases.recovery, cell->phases.execution,
                              cell->phases.verification, cell->phases.commit}});
    return draw(plot);
}

std::string model_plot(const SubjectResult& subject) {
    Plot plot{"MODELLED, not measured: speed-up over cores", "cores", "times", {}, true, true};
    PlotLine in_order{"oldest transaction first", {}, false, false, 0};
    PlotLine longest{"longest path first", {}, true, false, 1};
    for (const ModelPoint& point : subject.model.points) {
        in_order.points.emplace_back(point.cores, point.stream_order);
        longest.points.emplace_back(point.cores, point.longest_path);
    }
    for (const ModelPoint& point : subject.model.points)
        plot.x_marks.push_back(point.cores);
    plot.lines = {std::move(in_order), std::move(longest)};
    return draw(plot);
}

std::string closed_table(const SubjectResult& subject) {
    std::string out = "<table>\n" + row("th", {"closed loop", "ms", "least", "most", "cold",
                                               "transactions/s", "Mgas/s", "times"});
    for (const Cell& cell : subject.cells) {
        if (cell.is_open_loop()) continue;
        const auto [least, most] = std::ranges::minmax(cell.samples_ms);
        out +=
            row("td",
                {cell.label(), fmt::format("{:.3f}", median_ms(cell)), fmt::format("{:.3f}", least),
                 fmt::format("{:.3f}", most), fmt::format("{:.3f}", cell.cold_ms),
                 fmt::format("{:.0f}", tps_of(subject, cell)),
                 fmt::format("{:.0f}", static_cast<double>(subject.gas) / median_ms(cell) / 1e3),
                 fmt::format("{:.2f}", subject.baseline_ms() / median_ms(cell))});
    }
    return out + "</table>\n";
}

std::string open_table(const SubjectResult& subject) {
    if (std::ranges::none_of(subject.cells, &Cell::is_open_loop)) return {};
    std::string out = "<table>\n" + row("th", {"open loop", "offered/s", "p50 µs", "p90 µs",
                                               "p99 µs", "p99.9 µs", "most µs", "block p99 µs"});
    for (const Cell& cell : subject.cells) {
        if (!cell.is_open_loop()) continue;
        const LatencyFigures& latency = cell.transaction_latency;
        std::vector<std::string> cells = {cell.label(), fmt::format("{:.0f}", cell.offered_tps)};
        for (const double value : {latency.p50, latency.p90, latency.p99, latency.p999, latency.max,
                                   cell.block_latency.p99})
            cells.push_back(fmt::format("{:.0f}", value));
        out += row("td", cells);
    }
    return out + "</table>\n";
}

/// What parallel schedulers counted, a run on average; what none counted is left out.
std::string counter_table(const SubjectResult& subject) {
    std::vector<const Cell*> cells = closed_cells(subject);
    std::erase_if(cells, [](const Cell* cell) { return cell->counters.empty(); });
    if (cells.empty()) return {};
    std::vector<std::string> heads = {"counted, a run on average"};
    for (const Cell* cell : cells)
        heads.push_back(cell->label());
    std::string out = "<table>\n" + row("th", heads);
    for (const auto& [name, first] : cells.front()->counters) {
        std::vector<std::string> values = {name};
        bool is_zero = true;
        for (const Cell* cell : cells) {
            const auto found = std::ranges::find(cell->counters, name,
                                                 [](const auto& counter) { return counter.first; });
            const double value = found == cell->counters.end() ? 0 : found->second;
            is_zero &= value == 0;
            values.push_back(fmt::format("{:.0f}", value));
        }
        if (!is_zero) out += row("td", values);
    }
    return out + "</table>\n";
}

std::string model_note(const Model& model) {
    if (model.points.empty()) return {};
    return fmt::format(
        "<p>Critical paths take {} of the transactions' time (block by block: {} in the median), "
        "so that no number of cores gives more than {:.2f} times with a barrier between blocks. "
        "MODELLED from costs measured on one core and from what transactions access; scheduling, "
        "memory and commit cost nothing there.</p>\n",
        percent(model.total_ms > 0 ? model.critical_ms / model.total_ms : 0),
        percent(model.critical_shares.empty() ? 0 : measure::median(model.critical_shares)),
        model.critical_ms > 0 ? model.total_ms / model.critical_ms : 1);
}

/// Names the parallel contenders that were handed nothing: whichever the scheduler, light and small
/// blocks are executed by one thread, and their times say nothing of schedulers. Empty: none.
std::string one_thread_note(const SubjectResult& subject) {
    const auto is_of_scheduler = [](const auto& counter) {
        constexpr std::array<std::string_view, 3> kOfSchedulers{"dispatched", "blocks from lists",
                                                                "batches"};
        return counter.second > 0 &&
               std::ranges::find(kOfSchedulers, counter.first) != kOfSchedulers.end();
    };
    std::string names;
    for (const Cell& cell : subject.cells) {
        if (cell.is_open_loop() || cell.workers == 1 || cell.counters.empty() ||
            std::ranges::any_of(cell.counters, is_of_scheduler))
            continue;
        names += (names.empty() ? "" : "; ") + cell.label();
    }
    if (names.empty()) return {};
    return names +
           ": no scheduler had a part in it; one thread executed these light or small blocks";
}

std::string section(const SubjectResult& subject) {
    std::string out = fmt::format("<h2>{}</h2>\n", escape_html(subject.name));
    out += fmt::format(
        "<p>{} in {}, {}; {}. The first contender, measured twice, "
        "differs from itself by {}: smaller differences mean nothing.</p>\n",
        counted(subject.transactions, "transaction"), counted(subject.blocks.size(), "block"),
        format_gas(subject.gas), escape_html(subject.digest), percent(subject.noise));
    if (subject.handover.most_ns > 0)
        out += fmt::format(
            "<p>A cache line took {:.0f} to {:.0f} ns from one processor to another{}.</p>\n",
            subject.handover.least_ns, subject.handover.most_ns,
            subject.handover.has_changed() ? kMoved : "");
    if (const std::string note = one_thread_note(subject); !note.empty())
        out += fmt::format("<p>{}.</p>\n", escape_html(note));
    out += closed_table(subject) + open_table(subject) + "<div class=\"plots\">\n";
    out += throughput_plot(subject) + latency_plot(subject) + block_plot(subject);
    out += phase_plot(subject) + model_plot(subject) + "</div>\n";
    return out + model_note(subject.model) + counter_table(subject);
}

}  // namespace

std::string to_html(const BenchReport& report) {
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"/>";
    out += fmt::format("<title>heddle bench, {}</title><style>{}</style></head>\n<body>\n",
                       escape_html(report.began), kStyle);
    out += fmt::format(
        "<h1>heddle bench</h1>\n<p>{}, {}. {}: {}, {}; load {:.2f} when "
        "it began.</p>\n<p><code>{}</code></p>\n",
        escape_html(report.program), escape_html(report.began),
        escape_html(report.machine.processor), counted(report.machine.processors, "processor"),
        escape_html(report.machine.system), report.machine.load_average,
        escape_html(report.command));
    out += fmt::format(
        "<p class=\"note\">State in memory, no tries, senders known; time from the first block's "
        "begin to the last one accepted. Contenders take turns, {} repetitions, medians. {} "
        "<i>Cold</i> is the very first run: code not analysed, tables empty. Of a parallel "
        "scheduler a block's time is from the one before it being accepted.</p>\n",
        report.repetitions,
        report.is_cold ? "Every run was made by a fresh executor (cold)."
                       : "Executors stay from run to run (warm), after one run to warm up.");
    out += overview(report);
    for (const SubjectResult& subject : report.subjects)
        out += section(subject);
    return out + "</body>\n</html>\n";
}

std::string to_table(const SubjectResult& subject) {
    std::size_t width = 24;
    for (const Cell& cell : subject.cells)
        width = std::max(width, cell.label().size());
    std::string out = fmt::format("\n{}: {} in {}, {}; noise {}\n", subject.name,
                                  counted(subject.transactions, "transaction"),
                                  counted(subject.blocks.size(), "block"), format_gas(subject.gas),
                                  percent(subject.noise));
    out += fmt::format("  {:<{}} {:>10} {:>10} {:>10} {:>8} {:>7}\n", "", width, "ms", "cold ms",
                       "tx/s", "Mgas/s", "times");
    for (const Cell& cell : subject.cells) {
        if (cell.is_open_loop()) continue;
        const double ms = median_ms(cell);
        out += fmt::format("  {:<{}} {:>10.3f} {:>10.3f} {:>10.0f} {:>8.0f} {:>7.2f}\n",
                           cell.label(), width, ms, cell.cold_ms, tps_of(subject, cell),
                           static_cast<double>(subject.gas) / ms / 1e3, subject.baseline_ms() / ms);
    }
    if (std::ranges::any_of(subject.cells, &Cell::is_open_loop)) {
        out += fmt::format("  {:<{}} {:>10} {:>10} {:>10} {:>10}\n", "latency, µs", width,
                           "offered/s", "p50", "p99", "p99.9");
        for (const Cell& cell : subject.cells)
            if (cell.is_open_loop())
                out +=
                    fmt::format("  {:<{}} {:>10.0f} {:>10.0f} {:>10.0f} {:>10.0f}\n", cell.label(),
                                width, cell.offered_tps, cell.transaction_latency.p50,
                                cell.transaction_latency.p99, cell.transaction_latency.p999);
    }
    if (subject.noise > kMuchNoise)
        out += "  so much noise: something else ran, or repetitions are too few or too short\n";
    if (subject.handover.has_changed())
        out +=
            fmt::format("  a cache line took {:.0f} to {:.0f} ns from one processor to another{}\n",
                        subject.handover.least_ns, subject.handover.most_ns, kMoved);
    if (const std::string note = one_thread_note(subject); !note.empty()) out += "  " + note + "\n";
    if (subject.model.points.empty()) return out;
    out += fmt::format(
        "  modelled: critical path {}; on",
        percent(subject.model.total_ms > 0 ? subject.model.critical_ms / subject.model.total_ms
                                           : 0));
    for (const ModelPoint& point : subject.model.points)
        if (point.cores > 1)
            fmt::format_to(std::back_inserter(out), " {} cores {:.2f}{}", point.cores,
                           point.stream_order, &point == &subject.model.points.back() ? "\n" : ",");
    return out;
}

}  // namespace heddle::node::benchmark
