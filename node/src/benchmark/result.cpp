// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <measure/statistics.hpp>
#include <types/assert.hpp>

namespace heddle::node::benchmark {

std::string Cell::label() const {
    std::string text = scheduler;
    if (!knowledge.empty()) text += fmt::format(", {} worker{}", workers, workers == 1 ? "" : "s");
    if (!knowledge.empty() && knowledge != scheduler) text += ", " + knowledge;
    if (is_twin) text += " (again)";
    return text;
}

void Handover::add(double ns) noexcept {
    if (ns <= 0) return;
    least_ns = least_ns > 0 ? std::min(least_ns, ns) : ns;
    most_ns = std::max(most_ns, ns);
}

bool Handover::has_changed() const noexcept {
    // Within one place it scatters by less than this.
    constexpr double kApart = 2;
    return most_ns > kApart * least_ns;
}

double median_ms(const Cell& cell) {
    return measure::median(cell.samples_ms);
}

double tps_of(const SubjectResult& subject, const Cell& cell) {
    return static_cast<double>(subject.transactions) / median_ms(cell) * 1e3;
}

std::vector<const Cell*> closed_cells(const SubjectResult& subject) {
    std::vector<const Cell*> cells;
    for (const Cell& cell : subject.cells)
        if (!cell.is_open_loop() && !cell.is_twin) cells.push_back(&cell);
    return cells;
}

double SubjectResult::baseline_ms() const {
    HEDDLE_ASSERT(!cells.empty());
    return median_ms(cells.front());
}

}  // namespace heddle::node::benchmark
