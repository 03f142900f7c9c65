// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "late/shared_graph.hpp"

#include <array>
#include <memory>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Event = DagNode::Event;

/// Both graphs say the same of one thread that does everything.
class SharedGraphTest : public testing::TestWithParam<bool> {
protected:
    SharedGraphTest() { make(kWindow); }
    void make(std::size_t window) {
        if (GetParam())
            graph_ = std::make_unique<LockedGraph>(window, parking_);
        else
            graph_ = std::make_unique<LockFreeGraph>(1, window, parking_);
    }
    std::size_t add(std::uint64_t position, const std::vector<GraphWait>& waits) {
        graph_->enter(position, 21'000);
        return graph_->connect(position, waits);
    }
    std::vector<std::uint64_t> take_all() {
        std::vector<std::uint64_t> positions;
        std::array<ReadyItem, 4> items;
        for (;;) {
            const ReadyBundle taken = graph_->take(0, items);
            if (taken.count == 0) return positions;
            for (std::size_t i = 0; i < taken.count; ++i)
                positions.push_back(items[i].position);
        }
    }

    static constexpr std::size_t kWindow = 64;
    WorkerParking parking_;
    std::unique_ptr<SharedGraph> graph_;
};

TEST_P(SharedGraphTest, gives_out_what_waits_for_nobody_in_order) {
    for (std::uint64_t position = 1; position <= 5; ++position)
        EXPECT_EQ(add(position, {}), 0u);
    EXPECT_EQ(graph_->ready_count(), 5u);

    EXPECT_THAT(take_all(), ElementsAre(1, 2, 3, 4, 5));
    EXPECT_EQ(graph_->ready_count(), 0u);
}

TEST_P(SharedGraphTest, readies_a_transaction_with_the_last_event_that_it_waits_for) {
    EXPECT_EQ(add(1, {}), 0u);
    EXPECT_EQ(add(2, {}), 0u);
    EXPECT_EQ(add(3, {{1, Event::complete}, {2, Event::commit}}), 2u);
    EXPECT_THAT(take_all(), ElementsAre(1, 2));
    EXPECT_FALSE(graph_->is_awaited(1, Event::commit));
    EXPECT_TRUE(graph_->is_awaited(2, Event::commit));

    graph_->pass(0, 1, Event::complete);
    graph_->pass(0, 2, Event::complete);
    graph_->pass(0, 1, Event::commit);
    EXPECT_THAT(take_all(), IsEmpty());
    graph_->pass(0, 2, Event::commit);

    EXPECT_THAT(take_all(), ElementsAre(3));
}

TEST_P(SharedGraphTest, waits_for_nothing_that_has_happened) {
    EXPECT_EQ(add(1, {}), 0u);
    EXPECT_THAT(take_all(), ElementsAre(1));
    graph_->pass(0, 1, Event::complete);

    EXPECT_EQ(add(2, {{1, Event::complete}}), 0u);
    EXPECT_EQ(add(3, {{1, Event::commit}}), 1u);

    EXPECT_THAT(take_all(), ElementsAre(2));
}

#if defined(__GLIBC__)
/// There are thousands of places: what each has once needed would add up.
TEST_P(SharedGraphTest, places_keep_no_memory_of_the_many_that_once_waited) {
    constexpr std::size_t kLarge = 4'096;
    constexpr std::uint64_t kMany = 1'024;
    const auto held = [] { return mallinfo2().uordblks; };
    make(kLarge);
    const std::size_t before = held();
    if (before == 0) GTEST_SKIP() << "another allocator";
    const auto pass = [&](std::uint64_t position) {
        graph_->pass(0, position, Event::complete);
        graph_->pass(0, position, Event::commit);
        take_all();
    };
    std::uint64_t position = 1;
    std::vector<GraphWait> waits;
    for (; position <= 2 * kLarge; ++position) {
        waits.clear();
        for (std::uint64_t i = 1; i <= kMany && i < position; ++i)
            waits.push_back({position - i, Event::commit});
        add(position, waits);
        if (position > kMany) pass(position - kMany);
    }
    for (const std::uint64_t end = position + 2 * kLarge; position < end; ++position) {
        add(position, {});
        pass(position - kMany);
    }

    constexpr std::size_t kPlaces = kLarge * 512;
    static_assert(PlaceMemory::kMostBytes + kPlaces < kLarge * kMany * sizeof(std::uint64_t) / 2);
    EXPECT_LT(held(), before + PlaceMemory::kMostBytes + kPlaces);
}
#endif

INSTANTIATE_TEST_SUITE_P(Graphs, SharedGraphTest, testing::Bool());

}  // namespace
}  // namespace heddle::executor
