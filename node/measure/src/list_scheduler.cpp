// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <measure/list_scheduler.hpp>

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include <types/assert.hpp>

namespace heddle::measure {
namespace {

/// Edges by the transaction they leave.
struct Successors {
    explicit Successors(const executor::BlockGraph& graph)
        : first(graph.costs.size() + 1), to(graph.edges.size()) {
        for (const executor::GraphEdge& edge : graph.edges)
            ++first[edge.from + 1];
        for (std::size_t i = 1; i < first.size(); ++i)
            first[i] += first[i - 1];
        std::vector<std::size_t> next(first.begin(), first.end() - 1);
        for (const executor::GraphEdge& edge : graph.edges)
            to[next[edge.from]++] = edge.to;
    }

    template <typename Visit>
    void for_each(std::size_t from, Visit&& visit) const {
        for (std::size_t i = first[from]; i < first[from + 1]; ++i)
            visit(to[i]);
    }

    std::vector<std::size_t> first;
    std::vector<std::uint32_t> to;
};

/// By transaction, what the dearest chain costs that starts with it. Edges lead forward only.
std::vector<std::uint64_t> chain_costs(const executor::BlockGraph& graph,
                                       const Successors& successors) {
    std::vector<std::uint64_t> result(graph.costs.size());
    for (std::size_t i = graph.costs.size(); i-- > 0;) {
        successors.for_each(i,
                            [&](std::uint32_t to) { result[i] = std::max(result[i], result[to]); });
        result[i] += graph.costs[i];
    }
    return result;
}

}  // namespace

std::string_view to_string(Priority priority) noexcept {
    return priority == Priority::stream_order ? "stream order" : "longest path";
}

Schedule schedule(const executor::BlockGraph& graph, unsigned cores, Priority priority) {
    HEDDLE_ASSERT(cores > 0);
    const std::size_t count = graph.costs.size();
    const Successors successors(graph);
    // Smaller is taken first.
    std::vector<std::uint64_t> rank(count);
    if (priority == Priority::longest_path) {
        rank = chain_costs(graph, successors);
        for (std::uint64_t& value : rank)
            value = ~value;
    }
    std::vector<std::uint32_t> waits_for(count);
    for (const executor::GraphEdge& edge : graph.edges)
        ++waits_for[edge.to];

    using Entry = std::pair<std::uint64_t, std::uint32_t>;
    using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
    Heap ready;    // by rank, then index
    Heap running;  // by end
    for (std::uint32_t i = 0; i < count; ++i)
        if (waits_for[i] == 0) ready.emplace(rank[i], i);

    Schedule result;
    result.starts.resize(count);
    while (!ready.empty() || !running.empty()) {
        while (!ready.empty() && running.size() < cores) {
            const std::uint32_t tx = ready.top().second;
            ready.pop();
            result.starts[tx] = result.makespan;
            running.emplace(result.makespan + graph.costs[tx], tx);
        }
        // All that end at the same moment, before anything starts.
        result.makespan = running.top().first;
        while (!running.empty() && running.top().first == result.makespan) {
            successors.for_each(running.top().second, [&](std::uint32_t to) {
                if (--waits_for[to] == 0) ready.emplace(rank[to], to);
            });
            running.pop();
        }
    }
    return result;
}

}  // namespace heddle::measure
