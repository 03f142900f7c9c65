// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <executor/block_graph.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <types/assert.hpp>

namespace heddle::executor {

namespace {

/// One object as the stream goes by.
struct ObjectHistory {
    std::optional<std::uint32_t> last_write;
    std::vector<std::uint32_t> deltas;  // since then
    std::uint32_t waiting = 0;
};

/// What a transaction waits for, and why.
struct Wait {
    std::uint32_t from = 0;
    std::uint32_t object = 0;
    friend auto operator<=>(const Wait&, const Wait&) = default;
};

std::vector<ObjectId> distinct_objects(std::span<const ObjectSet> sets) {
    std::vector<ObjectId> objects;
    for (const ObjectSet& set : sets)
        for (const Access& access : set.accesses())
            objects.push_back(access.object);
    std::ranges::sort(objects);
    objects.erase(std::ranges::unique(objects).begin(), objects.end());
    return objects;
}

class GraphMaker {
public:
    GraphMaker(std::span<const ObjectSet> sets, std::span<const std::uint64_t> costs,
               std::span<const Address> senders)
        : sets_(sets), senders_(senders) {
        HEDDLE_ASSERT(sets.size() == costs.size());
        HEDDLE_ASSERT(senders.empty() || senders.size() == sets.size());
        HEDDLE_ASSERT(sets.size() < std::numeric_limits<std::uint32_t>::max());
        graph_.costs.assign(costs.begin(), costs.end());
        graph_.objects = distinct_objects(sets);
        histories_.resize(graph_.objects.size());
    }

    BlockGraph make() {
        for (std::uint32_t tx = 0; tx < sets_.size(); ++tx)
            add(tx);
        for (const std::uint64_t cost : graph_.costs)
            graph_.total_cost += cost;
        find_critical_path();
        weigh_objects();
        return std::move(graph_);
    }

private:
    AccessMode effective_mode(std::uint32_t tx, const Access& access) const {
        const bool is_own_nonce = !senders_.empty() && access.object.kind == ObjectKind::nonce &&
                                  access.object.address == senders_[tx];
        return is_own_nonce && access.mode == AccessMode::write ? AccessMode::add : access.mode;
    }

    void add(std::uint32_t tx) {
        waits_.clear();
        auto object = graph_.objects.begin();
        for (const Access& access : sets_[tx].accesses()) {
            object = std::lower_bound(object, graph_.objects.end(), access.object);
            const auto index = static_cast<std::uint32_t>(object - graph_.objects.begin());
            add_access(tx, index, effective_mode(tx, access));
        }
        std::ranges::sort(waits_);
        for (const Wait& wait : waits_) {
            const auto cause = static_cast<std::uint32_t>(graph_.causes.size());
            graph_.causes.push_back(wait.object);
            if (graph_.edges.empty() || graph_.edges.back().to != tx ||
                graph_.edges.back().from != wait.from)
                graph_.edges.push_back({wait.from, tx, cause, 0});
            ++graph_.edges.back().cause_count;
        }
    }

    void add_access(std::uint32_t tx, std::uint32_t object, AccessMode mode) {
        ObjectHistory& history = histories_[object];
        if (mode == AccessMode::add || mode == AccessMode::debit) {
            history.deltas.push_back(tx);
            return;
        }
        const std::size_t before = waits_.size();
        if (history.last_write.has_value()) waits_.push_back({*history.last_write, object});
        for (const std::uint32_t delta : history.deltas)
            waits_.push_back({delta, object});
        if (waits_.size() != before) ++history.waiting;
        if (mode == AccessMode::write) {
            history.last_write = tx;
            history.deltas.clear();
        }
    }

    void find_critical_path() {
        const std::size_t count = graph_.costs.size();
        if (count == 0) return;
        // Edges lead forward and are sorted by where they end: one pass.
        std::vector<std::uint64_t> start(count, 0);
        std::vector<std::optional<std::uint32_t>> predecessor(count);
        for (const GraphEdge& edge : graph_.edges) {
            const std::uint64_t end = start[edge.from] + graph_.costs[edge.from];
            if (end > start[edge.to] || !predecessor[edge.to].has_value()) {
                start[edge.to] = end;
                predecessor[edge.to] = edge.from;
            }
        }
        std::uint32_t last = 0;
        for (std::uint32_t tx = 0; tx < count; ++tx) {
            const std::uint64_t end = start[tx] + graph_.costs[tx];
            if (tx != 0 && end <= graph_.critical_cost) continue;
            graph_.critical_cost = end;
            last = tx;
        }
        for (std::optional<std::uint32_t> tx = last; tx.has_value(); tx = predecessor[*tx])
            graph_.critical_path.push_back(*tx);
        std::ranges::reverse(graph_.critical_path);
    }

    void weigh_objects() {
        std::vector<ObjectLoad> loads(graph_.objects.size());
        for (std::uint32_t object = 0; object < loads.size(); ++object)
            loads[object] = {object, histories_[object].waiting, 0};
        const auto key = [](const GraphEdge& edge) { return std::pair{edge.to, edge.from}; };
        for (std::size_t i = 1; i < graph_.critical_path.size(); ++i) {
            const std::pair step{graph_.critical_path[i], graph_.critical_path[i - 1]};
            const auto edge = std::ranges::lower_bound(graph_.edges, step, {}, key);
            HEDDLE_ASSERT(edge != graph_.edges.end() && key(*edge) == step);
            for (const std::uint32_t object : graph_.causes_of(*edge))
                loads[object].critical_cost += graph_.costs[edge->from];
        }
        std::erase_if(loads, [](const ObjectLoad& load) { return load.waiting == 0; });
        std::ranges::sort(loads, [](const ObjectLoad& a, const ObjectLoad& b) {
            if (a.critical_cost != b.critical_cost) return a.critical_cost > b.critical_cost;
            if (a.waiting != b.waiting) return a.waiting > b.waiting;
            return a.object < b.object;
        });
        graph_.serialisers = std::move(loads);
    }

    const std::span<const ObjectSet> sets_;
    const std::span<const Address> senders_;
    std::vector<ObjectHistory> histories_;  // parallel to graph_.objects
    std::vector<Wait> waits_;               // of the transaction at hand
    BlockGraph graph_;
};

}  // namespace

BlockGraph make_block_graph(std::span<const ObjectSet> sets, std::span<const std::uint64_t> costs,
                            std::span<const Address> senders) {
    return GraphMaker{sets, costs, senders}.make();
}

std::uint64_t critical_cost_without(const BlockGraph& graph, std::uint32_t object) {
    std::vector<std::uint64_t> start(graph.costs.size(), 0);
    for (const GraphEdge& edge : graph.edges) {
        const bool is_only_cause =
            edge.cause_count == 1 && graph.causes[edge.first_cause] == object;
        if (is_only_cause) continue;
        start[edge.to] = std::max(start[edge.to], start[edge.from] + graph.costs[edge.from]);
    }
    std::uint64_t longest = 0;
    for (std::size_t tx = 0; tx < graph.costs.size(); ++tx)
        longest = std::max(longest, start[tx] + graph.costs[tx]);
    return longest;
}

std::uint64_t makespan_bound(const BlockGraph& graph, unsigned workers) noexcept {
    HEDDLE_ASSERT(workers > 0);
    const std::uint64_t share =
        graph.total_cost / workers + (graph.total_cost % workers == 0 ? 0 : 1);
    return std::max(graph.critical_cost, share);
}

}  // namespace heddle::executor
