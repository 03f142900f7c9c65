// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/timeline.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include <types/assert.hpp>

namespace heddle::node {

namespace {

using executor::BlockGraph;
using executor::GraphEdge;

template <typename T>
using Smallest = std::priority_queue<T, std::vector<T>, std::greater<>>;

/// Transactions run from the ready set as workers become free.
class Model {
public:
    Model(const BlockGraph& graph, std::uint32_t workers)
        : graph_(graph), missing_(graph.costs.size()), successors_(graph.costs.size()) {
        for (const GraphEdge& edge : graph.edges) {
            ++missing_[edge.to];
            successors_[edge.from].push_back(edge.to);
        }
        for (std::uint32_t transaction = 0; transaction < missing_.size(); ++transaction)
            if (missing_[transaction] == 0) ready_.push(transaction);
        for (std::uint32_t lane = 0; lane < workers; ++lane)
            free_.push(lane);
        timeline_.lanes = workers;
    }

    Timeline run() {
        for (std::uint64_t now = 0;;) {
            while (!free_.empty() && !ready_.empty())
                begin(now);
            if (running_.empty()) break;
            now = running_.top().first;
            while (!running_.empty() && running_.top().first == now)
                end();
        }
        HEDDLE_ASSERT(timeline_.bars.size() == graph_.costs.size());
        return std::move(timeline_);
    }

private:
    void begin(std::uint64_t now) {
        const Bar bar{.transaction = ready_.top(),
                      .lane = free_.top(),
                      .begin = now,
                      .end = now + graph_.costs[ready_.top()]};
        ready_.pop();
        free_.pop();
        running_.emplace(bar.end, timeline_.bars.size());
        timeline_.bars.push_back(bar);
        timeline_.end = std::max(timeline_.end, bar.end);
    }
    void end() {
        const Bar& bar = timeline_.bars[running_.top().second];
        running_.pop();
        free_.push(bar.lane);
        for (const std::uint32_t successor : successors_[bar.transaction])
            if (--missing_[successor] == 0) ready_.push(successor);
    }

    const BlockGraph& graph_;
    std::vector<std::uint32_t> missing_;  // predecessors that have not ended, by transaction
    std::vector<std::vector<std::uint32_t>> successors_;
    Smallest<std::uint32_t> ready_;                            // transactions
    Smallest<std::uint32_t> free_;                             // lanes
    Smallest<std::pair<std::uint64_t, std::size_t>> running_;  // ends, and which bars
    Timeline timeline_;
};

}  // namespace

Timeline model_timeline(const BlockGraph& graph, std::uint32_t workers) {
    HEDDLE_ASSERT(workers > 0);
    return Model{graph, workers}.run();
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
