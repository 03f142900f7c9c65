// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/timeline.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include <measure/list_scheduler.hpp>
#include <types/assert.hpp>

namespace heddle::node {

namespace {

using executor::BlockGraph;
using executor::GraphEdge;

template <typename T>
using Smallest = std::priority_queue<T, std::vector<T>, std::greater<>>;

}  // namespace

Timeline model_timeline(const BlockGraph& graph, std::uint32_t workers) {
    const measure::Schedule plan =
        measure::schedule(graph, workers, measure::Priority::stream_order);
    std::vector<std::uint32_t> order(plan.starts.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t tx) { return std::pair{plan.starts[tx], tx}; });

    Timeline timeline;
    timeline.lanes = workers;
    timeline.end = plan.makespan;
    Smallest<std::uint32_t> free;
    for (std::uint32_t lane = 0; lane < workers; ++lane)
        free.push(lane);
    Smallest<std::pair<std::uint64_t, std::uint32_t>> running;  // ends, and in which lanes
    for (const std::uint32_t tx : order) {
        const std::uint64_t begin = plan.starts[tx];
        for (; !running.empty() && running.top().first <= begin; running.pop())
            free.push(running.top().second);
        HEDDLE_ASSERT(!free.empty());
        const Bar bar{
            .transaction = tx, .lane = free.top(), .begin = begin, .end = begin + graph.costs[tx]};
        free.pop();
        running.emplace(bar.end, bar.lane);
        timeline.bars.push_back(bar);
    }
    return timeline;
}

std::vector<AccountLoad> account_loads(const BlockGraph& graph) {
    std::map<Address, AccountLoad> loads;
    for (const executor::ObjectLoad& load : graph.serialisers)
        loads[graph.objects[load.object].address].critical_cost += load.critical_cost;
    std::vector<std::pair<Address, std::uint32_t>> waiting;
    waiting.reserve(graph.causes.size());
    for (const GraphEdge& edge : graph.edges)
        for (const std::uint32_t object : graph.causes_of(edge))
            waiting.emplace_back(graph.objects[object].address, edge.to);
    std::ranges::sort(waiting);
    waiting.erase(std::ranges::unique(waiting).begin(), waiting.end());
    for (const auto& [address, transaction] : waiting)
        ++loads[address].waiting;
    std::vector<AccountLoad> result;
    result.reserve(loads.size());
    for (auto& [address, load] : loads) {
        load.address = address;
        result.push_back(load);
    }
    std::ranges::sort(result, [](const AccountLoad& a, const AccountLoad& b) {
        return std::tie(b.critical_cost, b.waiting, a.address) <
               std::tie(a.critical_cost, a.waiting, b.address);
    });
    return result;
}

Box place(const Bar& bar, std::uint64_t end) {
    const double scale = kTimelineWidth / static_cast<double>(end);
    const double width = static_cast<double>(bar.end - bar.begin) * scale;
    return {.x = static_cast<double>(bar.begin) * scale,
            .y = bar.lane * kLaneHeight,
            .width = std::max(width, kLeastBarWidth),
            .height = kBarHeight};
}

}  // namespace heddle::node
