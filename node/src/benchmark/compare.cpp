// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/compare.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <measure/statistics.hpp>

#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

constexpr double kLeastChange = 0.01;
constexpr double kLeastLatencyChange = 0.1;

/// What a cell is found by in another report. Rates that were asked for as shares of a throughput
/// differ from run to run, so the share is what names them.
std::string key_of(const Cell& cell) {
    std::string text = cell.label();
    if (cell.load_share > 0)
        text += fmt::format(", load {:g}", cell.load_share);
    else if (cell.is_open_loop())
        text += fmt::format(", {:g}/s", cell.offered_tps);
    return text;
}

const Cell* find(const SubjectResult& subject, const std::string& key) {
    const auto found = std::ranges::find(subject.cells, key, key_of);
    return found == subject.cells.end() ? nullptr : &*found;
}

const SubjectResult* find(const BenchReport& report, const std::string& name) {
    const auto found = std::ranges::find(report.subjects, name, &SubjectResult::name);
    return found == report.subjects.end() ? nullptr : &*found;
}

/// Noise where it could be told, so that reports of two repetitions still can be compared.
double finite(double noise) {
    return std::isfinite(noise) ? noise : 0;
}

/// The first contender's cell under the same load as `cell`. It is there, as every contender has
/// run under every load; where somebody has taken it out, the cell itself.
const Cell& reference_of(const SubjectResult& subject, const Cell& cell) {
    const Cell& first = subject.cells.front();
    const auto found = std::ranges::find_if(subject.cells, [&](const Cell& other) {
        return other.label() == first.label() && other.load_share == cell.load_share &&
               (cell.load_share > 0 || other.offered_tps == cell.offered_tps);
    });
    return found == subject.cells.end() ? cell : *found;
}

/// More is slower.
double figure_of(const Cell& cell) {
    return cell.is_open_loop() ? cell.transaction_latency.p99 : median_ms(cell);
}

double figure_of(const SubjectResult& subject, const Cell& cell, bool is_relative) {
    if (!is_relative) return figure_of(cell);
    const double reference = figure_of(reference_of(subject, cell));
    return reference > 0 ? figure_of(cell) / reference : 0;
}

double threshold_of(const SubjectResult& old_subject, const Cell& old_cell,
                    const SubjectResult& new_subject, const Cell& new_cell) {
    const double noise = std::max(finite(old_subject.noise), finite(new_subject.noise));
    if (old_cell.is_open_loop()) return std::max(noise, kLeastLatencyChange);
    const double errors = std::hypot(finite(measure::relative_error(old_cell.samples_ms)),
                                     finite(measure::relative_error(new_cell.samples_ms)));
    return std::max({kLeastChange, noise, 3 * errors});
}

void check_alike(const BenchReport& before, const BenchReport& after,
                 const CompareOptions& options) {
    const auto differ = [&](std::string_view what, std::string_view one, std::string_view other) {
        if (one != other)
            fail_input("{} and {}: measured {}: '{}' and '{}'; compare ratios with --relative",
                       options.before, options.after, what, one, other);
    };
    if (!options.is_relative) {
        differ("on different processors", before.machine.processor, after.machine.processor);
        differ("with different numbers of processors", std::to_string(before.machine.processors),
               std::to_string(after.machine.processors));
    }
    const auto way = [](const BenchReport& report) {
        return fmt::format("{}, {}", report.is_cold ? "cold" : "warm",
                           report.is_pinned ? "pinned" : "not pinned");
    };
    if (way(before) != way(after))
        fail_input("{} and {}: measured in different ways: {} and {}; measure one of them again",
                   options.before, options.after, way(before), way(after));
}

void compare_subjects(const SubjectResult& before, const SubjectResult& after, bool is_relative,
                      ComparisonResult& result) {
    for (const Cell& cell : before.cells) {
        const std::string key = key_of(cell);
        const Cell* other = find(after, key);
        if (other == nullptr) {
            result.only_before.push_back(before.name + ": " + key);
            continue;
        }
        // It would be compared twice, or with itself.
        if (cell.is_twin || (is_relative && &cell == &reference_of(before, cell))) continue;
        Comparison row;
        row.subject = before.name;
        row.cell = key;
        row.before = figure_of(before, cell, is_relative);
        row.after = figure_of(after, *other, is_relative);
        row.change = row.before > 0 ? row.after / row.before - 1 : 0;
        row.threshold = threshold_of(before, cell, after, *other);
        if (row.change > row.threshold) row.verdict = Verdict::slower;
        // The same ratio downwards, so that swapping the reports swaps the verdicts.
        if (row.change < 1 / (1 + row.threshold) - 1) row.verdict = Verdict::faster;
        result.comparisons.push_back(std::move(row));
    }
    for (const Cell& cell : after.cells)
        if (find(before, key_of(cell)) == nullptr)
            result.only_after.push_back(after.name + ": " + key_of(cell));
}

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::slower:
            return "SLOWER";
        case Verdict::faster:
            return "faster";
        case Verdict::same:
            break;
    }
    return "";
}

}  // namespace

bool ComparisonResult::has_slower() const noexcept {
    return std::ranges::any_of(
        comparisons, [](const Comparison& row) { return row.verdict == Verdict::slower; });
}

ComparisonResult compare(const BenchReport& before, const BenchReport& after,
                         const CompareOptions& options) {
    check_alike(before, after, options);
    ComparisonResult result;
    for (const SubjectResult& subject : before.subjects) {
        const SubjectResult* other = find(after, subject.name);
        if (other == nullptr) {
            result.only_before.push_back(subject.name);
            continue;
        }
        if (other->digest != subject.digest)
            fail_input("{} and {}: {} is not the same blocks in both: {} and {}", options.before,
                       options.after, subject.name, subject.digest, other->digest);
        compare_subjects(subject, *other, options.is_relative, result);
    }
    for (const SubjectResult& subject : after.subjects)
        if (find(before, subject.name) == nullptr) result.only_after.push_back(subject.name);
    if (result.comparisons.empty())
        fail_input("{} and {}: nothing was measured in both", options.before, options.after);
    return result;
}

std::string to_text(const ComparisonResult& result) {
    std::size_t width = 7;
    for (const Comparison& row : result.comparisons)
        width = std::max(width, row.subject.size() + row.cell.size() + 2);
    std::string text = fmt::format("{:<{}} {:>12} {:>12} {:>9} {:>8}\n", "", width, "before",
                                   "after", "change", "noise");
    for (const Comparison& row : result.comparisons)
        text += fmt::format("{:<{}} {:>12.3f} {:>12.3f} {:>+8.1f}% {:>7.1f}% {}\n",
                            row.subject + ": " + row.cell, width, row.before, row.after,
                            100 * row.change, 100 * row.threshold, to_string(row.verdict));
    for (const std::string& name : result.only_before)
        text += fmt::format("only in the first: {}\n", name);
    for (const std::string& name : result.only_after)
        text += fmt::format("only in the second: {}\n", name);
    const auto count = [&](Verdict verdict) {
        return std::ranges::count(result.comparisons, verdict, &Comparison::verdict);
    };
    return text + fmt::format("{} slower, {} faster, {} the same as far as noise lets it be told\n",
                              count(Verdict::slower), count(Verdict::faster), count(Verdict::same));
}

}  // namespace heddle::node::benchmark
