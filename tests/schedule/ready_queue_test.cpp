// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The queue of ready transactions under every interleaving: each item is taken once, in order.
#include "workers/ready_queue.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"
#include "workers/parking_lot.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomics;
using test::MakeCase;

using Queue = BasicReadyQueue<ExploredAtomics>;

/// What one thread has taken. Room for all, so that nothing is allocated under way.
struct Taken {
    std::array<std::uint64_t, 16> positions{};
    std::size_t count = 0;

    void add(std::span<const ReadyItem> items) {
        for (const ReadyItem& item : items) {
            test::expect(count == 0 || positions[count - 1] < item.position, "out of order");
            positions[count++] = item.position;
        }
    }
};

struct Plan {
    std::size_t capacity = 2;
    std::uint64_t items = 3;
    std::size_t takers = 2;
    std::size_t looks = 2;  // of each taker
    std::size_t most = 1;   // taken at once
};

/// The owner pushes all, taking itself when the queue is full; takers look a few times.
class QueueCase final : public Case {
public:
    explicit QueueCase(const Plan& plan) : plan_(plan), queue_(plan.capacity) {}

    std::vector<Thread> threads() override {
        std::vector<Thread> result{{"owner", [this] { push_all(); }}};
        static constexpr std::array kNames{"taker", "other taker", "third taker"};
        for (std::size_t i = 0; i < plan_.takers; ++i)
            result.push_back({kNames[i], [this, i] {
                                  for (std::size_t look = 0; look < plan_.looks; ++look)
                                      take(i + 1);
                              }});
        return result;
    }
    void at_end() override {
        std::array<ReadyItem, 16> rest;
        while (const std::size_t count = queue_.take(rest, ~std::uint64_t{0}))
            taken_[0].add(std::span{rest}.first(count));
        std::vector<std::uint64_t> all;
        for (const Taken& taken : taken_)
            all.insert(all.end(), taken.positions.begin(),
                       taken.positions.begin() + static_cast<std::ptrdiff_t>(taken.count));
        std::ranges::sort(all);
        std::vector<std::uint64_t> expected;
        for (std::uint64_t i = 1; i <= plan_.items; ++i)
            expected.push_back(i);
        test::expect(all == expected, "an item is lost or taken twice");
        test::expect(queue_.size() == 0, "not empty");
    }

private:
    void push_all() {
        for (std::uint64_t i = 1; i <= plan_.items; ++i)
            while (!queue_.push({i, ReadyQueue::kGasUnit}))
                take(0);
    }
    void take(std::size_t taker) {
        std::array<ReadyItem, 4> items;
        const std::size_t count =
            queue_.take(std::span{items}.first(plan_.most), ~std::uint64_t{0});
        taken_[taker].add(std::span{items}.first(count));
    }

    const Plan plan_;
    Queue queue_;
    std::array<Taken, 4> taken_;
};

MakeCase queue_case(const Plan& plan) {
    return [=] { return std::make_unique<QueueCase>(plan); };
}

/// The queue and the parking lot together, as the worker pool has them.
class PoolCase final : public Case {
public:
    PoolCase(unsigned workers, std::uint32_t items) : workers_(workers), items_(items), queue_(4) {}

    std::vector<Thread> threads() override {
        std::vector<Thread> result{{"pusher", [this] {
                                        for (std::uint32_t i = 1; i <= items_; ++i) {
                                            test::expect(queue_.push({i, 0}), "full");
                                            lot_.notify();
                                        }
                                    }}};
        for (unsigned i = 0; i < workers_; ++i)
            result.push_back({i == 0 ? "worker" : "other worker", [this] { work(); }});
        return result;
    }
    [[nodiscard]] unsigned spurious_failures() const override { return 0; }

private:
    /// Who has taken the last item wakes everybody to go home.
    void work() {
        while (done_.load() != items_) {
            ReadyItem item;
            if (queue_.take(std::span{&item, 1}, 0) != 0) {
                if (done_.fetch_add(1) + 1 == items_)
                    while (lot_.notify()) {
                    }
                continue;
            }
            lot_.park([this] { return queue_.size() != 0 || done_.load() == items_; });
        }
    }

    const unsigned workers_;
    const std::uint32_t items_;
    Queue queue_;
    BasicParkingLot<ExploredAtomics> lot_;
    ExploredAtomics::Atomic<std::uint32_t> done_{0};
};

TEST(ReadyQueueSchedule, one_taker_takes_everything_in_order) {
    const Exploration exploration =
        explore_all(queue_case({.capacity = 2, .items = 4, .takers = 1, .looks = 3}));
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(ReadyQueueSchedule, two_takers_share_a_ring_that_wraps) {
    const Exploration exploration =
        explore_all(queue_case({.capacity = 1, .items = 2, .takers = 2, .looks = 1}));
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
    expect_holds(explore_bounded(queue_case({.capacity = 2, .items = 4}), 2));
}

TEST(ReadyQueueSchedule, several_are_taken_at_once) {
    expect_holds(explore_bounded(
        queue_case({.capacity = 4, .items = 6, .takers = 2, .looks = 2, .most = 2}), 2));
}

TEST(ReadyQueueSchedule, holds_under_random_schedules) {
    expect_holds(explore_randomly(
        queue_case({.capacity = 4, .items = 12, .takers = 3, .looks = 4, .most = 3}),
        test::announced_seed(), 20'000));
}

TEST(ReadyQueueSchedule, nothing_waits_while_a_worker_sleeps) {
    expect_holds(test::explore_bounded([] { return std::make_unique<PoolCase>(2, 2); }, 2));
    expect_holds(test::explore_randomly([] { return std::make_unique<PoolCase>(2, 3); },
                                        test::announced_seed(), 20'000));
}

}  // namespace
}  // namespace heddle::executor
