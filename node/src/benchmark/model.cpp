// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/model.hpp"

#include <array>

#include <executor/block_graph.hpp>
#include <measure/list_scheduler.hpp>

#include "benchmark/block_costs.hpp"

namespace heddle::node::benchmark {
namespace {

using measure::Priority;
using measure::schedule;

constexpr unsigned kRuns = 3;
constexpr std::array kCores = {1u, 2u, 4u, 8u, 16u, 32u, 64u};

/// By block of all series. The first run warms up.
std::vector<TransactionTimes> measure_costs(const Subject& subject) {
    TransactionClock clock(subject.natives);
    std::vector<TransactionTimes> costs;
    for (const Series& series : subject.series) {
        const std::size_t first = costs.size();
        for (const KnownBlock& block : series.blocks)
            costs.emplace_back(block.transactions.size());
        for (unsigned run = 0; run <= kRuns; ++run) {
            ledger::MemoryState state = series.state;
            for (std::size_t i = 0; i < series.blocks.size(); ++i)
                state.apply(clock.run(series, series.blocks[i], state,
                                      run == 0 ? nullptr : &costs[first + i]));
        }
    }
    return costs;
}

}  // namespace

Model model_subject(const Subject& subject) {
    const std::vector<TransactionTimes> costs = measure_costs(subject);
    std::vector<executor::BlockGraph> graphs;
    Model model;
    std::size_t next = 0;
    for (const Series& series : subject.series)
        for (const KnownBlock& block : series.blocks) {
            graphs.push_back(make_graph(block, costs[next++]));
            const executor::BlockGraph& graph = graphs.back();
            const auto total = static_cast<double>(graph.total_cost);
            const auto critical = static_cast<double>(graph.critical_cost);
            model.total_ms += total / 1e6;
            model.critical_ms += critical / 1e6;
            model.critical_shares.push_back(total == 0 ? 0 : critical / total);
        }
    for (const unsigned cores : kCores) {
        double in_order = 0;
        double longest = 0;
        for (const executor::BlockGraph& graph : graphs) {
            in_order +=
                static_cast<double>(schedule(graph, cores, Priority::stream_order).makespan);
            longest += static_cast<double>(schedule(graph, cores, Priority::longest_path).makespan);
        }
        model.points.push_back({cores, in_order == 0 ? 1 : model.total_ms * 1e6 / in_order,
                                longest == 0 ? 1 : model.total_ms * 1e6 / longest});
    }
    return model;
}

}  // namespace heddle::node::benchmark
