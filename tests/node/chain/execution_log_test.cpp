// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is kept of how blocks ran, and how much of it.
#include "chain/execution_log.hpp"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::node {
namespace {

using executor::ScheduleEvent;
using Kind = ScheduleEvent::Kind;

Hash hash_of(std::uint64_t number) {
    Hash hash;
    hash.bytes[0] = static_cast<std::uint8_t>(number);
    hash.bytes[1] = static_cast<std::uint8_t>(number >> 8);
    return hash;
}

ScheduleEvent event(std::uint64_t block, std::uint32_t index, Kind kind, std::uint32_t worker = 0,
                    std::uint32_t attempt = 0) {
    const std::uint64_t now = ExecutionLog::now_ns();
    return {kind, index, worker, attempt, block, now, now + 5};
}

void stage(ExecutionLog& log, std::uint64_t number, std::size_t transactions = 1) {
    BlockHeader header;
    header.number = number;
    const std::uint64_t now = ExecutionLog::now_ns();
    log.staged(header, hash_of(number), transactions, now, now + 7);
}

TEST(ExecutionLog, tells_what_became_of_each_transaction) {
    ExecutionLog log;
    log.on_block(1);
    log.on_event(event(1, 0, Kind::attempted));
    log.on_event(event(1, 0, Kind::accepted));
    log.on_event(event(1, 1, Kind::attempted, 1));
    log.on_event(event(1, 1, Kind::repaired));
    log.on_event(event(1, 2, Kind::given_up, 1));
    log.on_event(event(1, 2, Kind::in_order));
    log.recovered(11);
    stage(log, 1, 3);
    log.acknowledged(13);

    const auto found = log.find(hash_of(1));
    ASSERT_TRUE(found.has_value());
    const ExecutionFigures& figures = found->figures;
    EXPECT_EQ(figures.transactions, 3u);
    EXPECT_EQ(figures.attempted, 2u);
    EXPECT_EQ(figures.lost, 2u);
    EXPECT_EQ(figures.repaired, 1u);
    EXPECT_EQ(figures.in_order, 1u);
    EXPECT_EQ(figures.workers, 2u);
    EXPECT_EQ(figures.recovery_ns, 11u);
    EXPECT_EQ(figures.tries_ns, 7u);
    EXPECT_EQ(figures.disk_ns, 13u);
    EXPECT_EQ(figures.busy_ns, 25u);
    ASSERT_TRUE(found->runs);
    EXPECT_EQ(found->runs->size(), 5u);
}

TEST(ExecutionLog, of_several_runs_of_a_transaction_the_last_that_holds_is_final) {
    const std::vector<ScheduleEvent> events{
        {Kind::attempted, 0, 0, 0, 1, 100, 110}, {Kind::attempted, 0, 1, 1, 1, 120, 130},
        {Kind::accepted, 0, 0, 1, 1, 140, 141},  {Kind::confirmed, 1, 0, 0, 1, 100, 105},
        {Kind::in_order, 1, 0, 0, 1, 150, 160},
    };

    const BlockRuns runs = make_runs(events, 90);

    ASSERT_EQ(runs.size(), 4u);
    std::vector<std::pair<std::uint64_t, bool>> finals;
    for (const TransactionRun& run : runs)
        finals.emplace_back(run.begin_ns, run.is_final);
    EXPECT_THAT(finals, testing::ElementsAre(testing::Pair(10, false), testing::Pair(10, false),
                                             testing::Pair(30, true), testing::Pair(60, true)));
}

TEST(ExecutionLog, drops_what_a_block_that_came_to_nothing_has_left) {
    ExecutionLog log;
    log.on_block(4);
    log.on_event(event(4, 0, Kind::in_order));
    log.on_event(event(4, 1, Kind::in_order));
    log.on_block(4);
    log.on_event(event(4, 0, Kind::in_order));
    stage(log, 4);

    EXPECT_EQ(log.find(hash_of(4))->figures.in_order, 1u);
}

TEST(ExecutionLog, keeps_apart_blocks_that_are_under_way_together) {
    ExecutionLog log;
    log.on_block(1);
    log.on_event(event(1, 0, Kind::in_order));
    log.on_block(2);
    log.on_event(event(2, 0, Kind::in_order));
    log.on_event(event(2, 1, Kind::in_order));
    log.on_event(event(1, 1, Kind::in_order));
    stage(log, 1);
    stage(log, 2);

    EXPECT_EQ(log.find(hash_of(1))->figures.in_order, 2u);
    EXPECT_EQ(log.find(hash_of(2))->figures.in_order, 2u);
}

TEST(ExecutionLog, a_block_takes_the_place_of_those_that_were_taken_back) {
    ExecutionLog log;
    for (std::uint64_t number = 1; number <= 5; ++number)
        stage(log, number);
    stage(log, 3);

    std::vector<std::uint64_t> numbers;
    for (const ExecutionFigures& figures : log.newest(10))
        numbers.push_back(figures.number);
    EXPECT_THAT(numbers, testing::ElementsAre(1, 2, 3));
    EXPECT_FALSE(log.find(hash_of(5)).has_value());
}

TEST(ExecutionLog, keeps_so_many_blocks_and_no_more) {
    ExecutionLog log({.blocks = 10});
    for (std::uint64_t number = 1; number <= 100; ++number)
        stage(log, number);

    EXPECT_EQ(log.newest(1'000).size(), 10u);
    EXPECT_EQ(log.newest(3).front().number, 98u);
    EXPECT_FALSE(log.find(hash_of(90)).has_value());
    EXPECT_TRUE(log.find(hash_of(91)).has_value());
}

TEST(ExecutionLog, forgets_the_runs_of_old_blocks_before_their_figures) {
    constexpr std::size_t kRuns = 100;
    ExecutionLog log({.run_bytes = 3 * kRuns * sizeof(TransactionRun)});
    for (std::uint64_t number = 1; number <= 10; ++number) {
        log.on_block(number);
        for (std::uint32_t index = 0; index < kRuns; ++index)
            log.on_event(event(number, index, Kind::in_order));
        stage(log, number, kRuns);
    }

    EXPECT_FALSE(log.find(hash_of(7))->runs);
    EXPECT_EQ(log.find(hash_of(7))->figures.in_order, kRuns);
    ASSERT_TRUE(log.find(hash_of(8))->runs);
    EXPECT_EQ(log.find(hash_of(8))->runs->size(), kRuns);
}

TEST(ExecutionLog, counts_what_it_has_no_room_for) {
    ExecutionLog log({.events_of_block = 40, .events_in_flight_of_worker = 50});
    log.on_block(1);
    for (std::uint32_t index = 0; index < 60; ++index)
        log.on_event(event(1, index, Kind::in_order));
    stage(log, 1, 60);

    const auto found = log.find(hash_of(1));
    EXPECT_EQ(found->runs->size(), 40u);
    EXPECT_EQ(found->figures.not_kept, 20u);
}

TEST(ExecutionLog, is_told_by_many_workers_while_others_read) {
    constexpr std::uint32_t kWorkers = 4;
    constexpr std::uint32_t kEach = 2'000;
    ExecutionLog log;
    log.on_block(1);
    std::vector<std::thread> workers;
    for (std::uint32_t worker = 0; worker < kWorkers; ++worker)
        workers.emplace_back([&log, worker] {
            for (std::uint32_t i = 0; i < kEach; ++i) {
                log.on_event(event(1, worker * kEach + i, Kind::in_order, worker));
                if (i % 100 == 0) (void)log.newest(5);
            }
        });
    for (std::thread& worker : workers)
        worker.join();
    stage(log, 1, kWorkers * kEach);

    EXPECT_EQ(log.find(hash_of(1))->figures.in_order, kWorkers * kEach);
    EXPECT_EQ(log.find(hash_of(1))->figures.workers, kWorkers);
}

}  // namespace
}  // namespace heddle::node
