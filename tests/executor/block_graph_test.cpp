// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <executor/block_graph.hpp>

#include <algorithm>
#include <random>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "announced_seed.hpp"

namespace heddle::executor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kRead = AccessMode::read;
constexpr auto kWrite = AccessMode::write;
constexpr auto kAdd = AccessMode::add;
constexpr auto kDebit = AccessMode::debit;

ObjectId balance(std::uint64_t address) {
    return {address_from_low64(address), ObjectKind::balance, {}};
}
ObjectId nonce(std::uint64_t address) {
    return {address_from_low64(address), ObjectKind::nonce, {}};
}

/// One transaction for each mode, all on one object, each of cost 1.
BlockGraph graph_of(const std::vector<AccessMode>& modes) {
    std::vector<ObjectSet> sets;
    sets.reserve(modes.size());
    for (const AccessMode mode : modes)
        sets.push_back(ObjectSet{{{balance(1), mode}}});
    return make_block_graph(sets, std::vector<std::uint64_t>(sets.size(), 1));
}

std::vector<std::pair<int, int>> edges_of(const BlockGraph& graph) {
    std::vector<std::pair<int, int>> edges;
    edges.reserve(graph.edges.size());
    for (const GraphEdge& edge : graph.edges)
        edges.emplace_back(edge.from, edge.to);
    return edges;
}

TEST(BlockGraph, readers_wait_for_the_last_writer_only) {
    EXPECT_THAT(edges_of(graph_of({kWrite, kWrite, kRead, kRead})),
                ElementsAre(std::pair(0, 1), std::pair(1, 2), std::pair(1, 3)));
}

TEST(BlockGraph, nobody_waits_for_a_reader) {
    EXPECT_THAT(edges_of(graph_of({kRead, kWrite})), IsEmpty());
    EXPECT_THAT(edges_of(graph_of({kRead, kAdd, kRead})), ElementsAre(std::pair(1, 2)));
}

TEST(BlockGraph, deltas_wait_for_nothing) {
    EXPECT_THAT(edges_of(graph_of({kAdd, kDebit, kAdd, kDebit})), IsEmpty());
    EXPECT_THAT(edges_of(graph_of({kWrite, kAdd})), IsEmpty());
    EXPECT_THAT(edges_of(graph_of({kWrite, kDebit})), IsEmpty());
}

TEST(BlockGraph, reading_a_balance_waits_for_all_deltas_since_the_last_write) {
    EXPECT_THAT(edges_of(graph_of({kAdd, kWrite, kAdd, kDebit, kRead, kRead})),
                ElementsAre(std::pair(0, 1), std::pair(1, 4), std::pair(2, 4), std::pair(3, 4),
                            std::pair(1, 5), std::pair(2, 5), std::pair(3, 5)));
    EXPECT_THAT(edges_of(graph_of({kAdd, kWrite, kRead})),
                ElementsAre(std::pair(0, 1), std::pair(1, 2)));
}

TEST(BlockGraph, an_edge_names_every_object_that_causes_it) {
    const std::vector<ObjectSet> sets{
        ObjectSet{{{balance(1), kWrite}, {balance(2), kWrite}, {balance(3), kRead}}},
        ObjectSet{{{balance(1), kRead}, {balance(2), kWrite}, {balance(3), kWrite}}}};

    const BlockGraph graph = make_block_graph(sets, std::vector<std::uint64_t>{5, 7});

    ASSERT_EQ(graph.edges.size(), 1u);
    EXPECT_THAT(graph.causes_of(graph.edges[0]), ElementsAre(0u, 1u));
    EXPECT_THAT(graph.objects, ElementsAre(balance(1), balance(2), balance(3)));
    EXPECT_THAT(graph.serialisers, ElementsAre(ObjectLoad{0, 1, 5}, ObjectLoad{1, 1, 5}));
}

TEST(BlockGraph, a_senders_own_nonce_orders_nothing_where_senders_are_known) {
    const std::vector<ObjectSet> sets(3, ObjectSet{{{nonce(1), kWrite}, {balance(1), kDebit}}});
    const std::vector<std::uint64_t> costs(3, 1);
    const std::vector<Address> senders(3, address_from_low64(1));
    const std::vector<Address> others(3, address_from_low64(2));

    EXPECT_EQ(make_block_graph(sets, costs).critical_cost, 3u);
    EXPECT_EQ(make_block_graph(sets, costs, senders).critical_cost, 1u);
    EXPECT_EQ(make_block_graph(sets, costs, others).critical_cost, 3u);
}

TEST(BlockGraph, the_critical_path_is_the_dearest_chain) {
    // 0 and 1 write an object each; 2 waits for 0, 3 for 1 and 2, 4 stands alone.
    const std::vector<ObjectSet> sets{
        ObjectSet{{{balance(1), kWrite}}}, ObjectSet{{{balance(2), kWrite}}},
        ObjectSet{{{balance(1), kRead}, {balance(3), kWrite}}},
        ObjectSet{{{balance(2), kRead}, {balance(3), kRead}}}, ObjectSet{{{balance(4), kWrite}}}};

    const BlockGraph first = make_block_graph(sets, std::vector<std::uint64_t>{10, 15, 10, 1, 20});
    const BlockGraph second = make_block_graph(sets, std::vector<std::uint64_t>{10, 25, 10, 1, 20});
    const BlockGraph alone = make_block_graph(sets, std::vector<std::uint64_t>{1, 1, 1, 1, 20});

    EXPECT_THAT(first.critical_path, ElementsAre(0u, 2u, 3u));
    EXPECT_EQ(first.critical_cost, 21u);
    EXPECT_EQ(first.total_cost, 56u);
    EXPECT_THAT(second.critical_path, ElementsAre(1u, 3u));
    EXPECT_EQ(second.critical_cost, 26u);
    EXPECT_THAT(alone.critical_path, ElementsAre(4u));
    // Objects 0 and 2 are on the path, 1 makes somebody wait elsewhere, 3 nobody.
    EXPECT_THAT(first.serialisers,
                ElementsAre(ObjectLoad{0, 1, 10}, ObjectLoad{2, 1, 10}, ObjectLoad{1, 1, 0}));
}

TEST(BlockGraph, tells_what_a_block_would_gain_without_an_object) {
    const std::vector<ObjectSet> sets(
        4, ObjectSet{{{balance(1), kWrite}, {balance(2), kWrite}, {balance(3), kRead}}});
    std::vector<ObjectSet> single(4, ObjectSet{{{balance(1), kWrite}}});
    const std::vector<std::uint64_t> costs(4, 10);

    // Either of two objects alone keeps the chain.
    EXPECT_EQ(critical_cost_without(make_block_graph(sets, costs), 0), 40u);
    EXPECT_EQ(critical_cost_without(make_block_graph(single, costs), 0), 10u);
}

TEST(BlockGraph, no_schedule_beats_the_path_or_an_even_share) {
    const BlockGraph chain = graph_of({kWrite, kWrite, kWrite, kWrite});
    const BlockGraph free = graph_of({kAdd, kAdd, kAdd, kAdd, kAdd});

    EXPECT_EQ(makespan_bound(chain, 1), 4u);
    EXPECT_EQ(makespan_bound(chain, 8), 4u);
    EXPECT_EQ(makespan_bound(free, 2), 3u);
    EXPECT_EQ(makespan_bound(free, 100), 1u);
}

TEST(BlockGraph, an_empty_block_has_nothing) {
    const BlockGraph graph = make_block_graph({}, {});
    EXPECT_THAT(graph.critical_path, IsEmpty());
    EXPECT_EQ(graph.critical_cost, 0u);
    EXPECT_EQ(makespan_bound(graph, 1), 0u);
    EXPECT_EQ(
        make_block_graph(std::vector<ObjectSet>(2), std::vector<std::uint64_t>{3, 4}).critical_cost,
        4u);
}

/// The rules once more, pair by pair.
bool must_wait(const std::vector<ObjectSet>& sets, std::size_t from, std::size_t to) {
    for (const Access& access : sets[to].accesses()) {
        if (access.mode != kRead && access.mode != kWrite) continue;
        const Access* earlier = sets[from].find(access.object);
        if (earlier == nullptr || earlier->mode == kRead) continue;
        bool is_hidden = false;
        for (std::size_t between = from + 1; between < to; ++between) {
            const Access* other = sets[between].find(access.object);
            is_hidden = is_hidden || (other != nullptr && other->mode == kWrite);
        }
        if (!is_hidden) return true;
    }
    return false;
}

TEST(BlockGraph, equals_the_rules_applied_pair_by_pair) {
    std::mt19937_64 random(heddle::test::announced_seed(11));
    for (int round = 0; round < 300; ++round) {
        std::vector<ObjectSet> sets(random() % 20);
        std::vector<std::uint64_t> costs;
        for (ObjectSet& set : sets) {
            std::vector<Access> accesses(random() % 5);
            for (Access& access : accesses)
                access = {balance(random() % 6), static_cast<AccessMode>(random() % 4)};
            set = ObjectSet{std::move(accesses)};
            costs.push_back(random() % 10);
        }
        std::vector<std::pair<int, int>> expected;
        std::vector<std::uint64_t> end(costs);
        std::uint64_t longest = 0;
        for (std::size_t to = 0; to < sets.size(); ++to) {
            for (std::size_t from = 0; from < to; ++from)
                if (must_wait(sets, from, to)) {
                    expected.emplace_back(from, to);
                    end[to] = std::max(end[to], end[from] + costs[to]);
                }
            longest = std::max(longest, end[to]);
        }

        const BlockGraph graph = make_block_graph(sets, costs);

        ASSERT_EQ(edges_of(graph), expected) << "round " << round;
        ASSERT_EQ(graph.critical_cost, longest) << "round " << round;
        std::uint64_t path_cost = 0;
        for (const std::uint32_t tx : graph.critical_path)
            path_cost += costs[tx];
        ASSERT_EQ(path_cost, longest) << "round " << round;
    }
}

}  // namespace
}  // namespace heddle::executor
