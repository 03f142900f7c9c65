// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "inputs/memory_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/error.hpp"
#include "service/node_options.hpp"

namespace heddle::node {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

constexpr std::array kOthers{&MemoryPlan::executor,  &MemoryPlan::executor_code,
                             &MemoryPlan::call_code, &MemoryPlan::served_blocks,
                             &MemoryPlan::logs,      &MemoryPlan::blooms,
                             &MemoryPlan::fees,      &MemoryPlan::executions,
                             &MemoryPlan::mempool,   &MemoryPlan::messages};

std::size_t sum_of(const MemoryPlan& plan) {
    std::size_t sum = plan.ledger;
    for (const auto part : kOthers)
        sum += plan.*part;
    return sum;
}

TEST(MemoryPlan, gives_away_all_of_it_and_nothing_twice) {
    for (std::size_t total = 64 * kMiB; total < 40'000 * kMiB; total += 37 * kMiB + 1) {
        const MemoryPlan plan = plan_memory(total, 256 * kMiB);
        ASSERT_EQ(plan.total, total);
        ASSERT_EQ(sum_of(plan), total);
    }
}

TEST(MemoryPlan, leaves_the_ledger_three_eighths_and_everybody_something) {
    for (std::size_t total = 64 * kMiB; total < 40'000 * kMiB; total += 100 * kMiB) {
        const MemoryPlan plan = plan_memory(total, kAny);
        ASSERT_GE(plan.ledger, total / 8 * 3) << total;
        for (const auto part : kOthers)
            ASSERT_GE(plan.*part, std::min(total / 65, 32 * kMiB)) << total;
    }
}

TEST(MemoryPlan, gives_nobody_less_where_there_is_more) {
    MemoryPlan before = plan_memory(64 * kMiB, 256 * kMiB);
    for (std::size_t total = 65 * kMiB; total < 20'000 * kMiB; total += 13 * kMiB) {
        const MemoryPlan plan = plan_memory(total, 256 * kMiB);
        ASSERT_GE(plan.ledger, before.ledger);
        for (const auto part : kOthers)
            ASSERT_GE(plan.*part, before.*part) << total;
        before = plan;
    }
}

/// As docs/operating.md says.
TEST(MemoryPlan, divides_a_gibibyte_as_the_documents_say) {
    EXPECT_EQ(to_string(plan_memory(1'024 * kMiB, 256 * kMiB)),
              "1024 MiB: ledger 416, executor 192, its code 64, code of calls 32, served blocks "
              "32, logs 32, blooms 32, fees 16, executions 16, mempool 128, messages 64");
}

TEST(MemoryPlan, gives_a_replay_what_a_node_has_for_requests) {
    for (std::size_t total = 64 * kMiB; total < 40'000 * kMiB; total += 37 * kMiB + 1) {
        const MemoryPlan node = plan_memory(total, 256 * kMiB);
        const MemoryPlan replay = plan_replay_memory(total);
        ASSERT_EQ(sum_of(replay), total);
        ASSERT_EQ(replay.executor, node.executor);
        ASSERT_EQ(replay.executor_code, node.executor_code);
        ASSERT_EQ(replay.ledger, total - node.executor - node.executor_code);
    }
}

TEST(MemoryPlan, bounds_what_is_in_flight_by_bytes_that_it_has) {
    const executor::ParallelOptions usual;
    for (const std::size_t total : {64 * kMiB, 256 * kMiB, 1'024 * kMiB, 16'384 * kMiB}) {
        const MemoryPlan plan = plan_replay_memory(total);
        executor::ParallelOptions options;
        bound_executor(plan, options);
        EXPECT_EQ(options.kept_bytes, plan.executor);
        EXPECT_EQ(options.unfinished_bytes, std::min(total / 16, 64 * kMiB));
        EXPECT_EQ(stream_bytes(plan), options.unfinished_bytes);
        const std::size_t part = std::max<std::size_t>(1'024 * kMiB / total, 1);
        EXPECT_EQ(options.window_transactions, usual.window_transactions / part);
        EXPECT_EQ(options.window_objects, usual.window_objects / part);
    }
}

TEST(MemoryPlan, gives_no_part_more_than_is_of_use) {
    const MemoryPlan plan = plan_memory(100'000 * kMiB, 256 * kMiB);
    EXPECT_EQ(plan.executor, 1'024 * kMiB);
    EXPECT_EQ(plan.executor_code, 256 * kMiB);
    EXPECT_EQ(plan.call_code, 64 * kMiB);
    EXPECT_EQ(plan.served_blocks, 48 * kMiB);
    EXPECT_EQ(plan.logs, 64 * kMiB);
    EXPECT_EQ(plan.blooms, 64 * kMiB);
    EXPECT_EQ(plan.fees, 32 * kMiB);
    EXPECT_EQ(plan.executions, 32 * kMiB);
    EXPECT_EQ(plan.mempool, 256 * kMiB);
    EXPECT_EQ(plan.messages, 64 * kMiB);
}

TEST(MemoryPlan, bounds_what_others_make_a_node_hold_for_a_while) {
    for (const std::size_t mebibytes : {64U, 256U, 1'024U, 100'000U}) {
        const MemoryPlan plan = plan_memory(mebibytes * kMiB, 256 * kMiB);
        const MomentBytes moment = moment_bytes(plan);
        const std::size_t together = moment.proposals + 2 * moment.removed_logs + moment.arrivals +
                                     moment.snapshots + moment.source_blocks;
        EXPECT_LE(together, plan.total / 2);
        EXPECT_GE(moment.removed_logs, kMiB);
    }
    const MomentBytes usual = moment_bytes(plan_memory(1'024 * kMiB, 256 * kMiB));
    EXPECT_EQ(usual.removed_logs, 16 * kMiB);
    EXPECT_EQ(usual.arrivals, 32 * kMiB);
    EXPECT_EQ(usual.snapshots, 256 * kMiB);
}

// --- Each part reaches what it is for ------------------------------------------------------------

NodeConfig config_with(std::uint64_t memory_mib) {
    NodeConfig config;
    config.ledger.memory = memory_mib;
    return config;
}

TEST(NodeOptions, every_limit_of_memory_is_the_plans) {
    for (const std::uint64_t memory : {64U, 128U, 1'024U, 8'192U}) {
        const NodeConfig config = config_with(memory);
        const MemoryPlan plan = memory_plan(config);
        EXPECT_EQ(plan.total, memory * kMiB);
        EXPECT_EQ(ledger_options(config).memory_bytes, plan.ledger);
        const executor::ParallelOptions parallel = building_options(config).executor.parallel;
        EXPECT_EQ(parallel.kept_bytes, plan.executor);
        EXPECT_EQ(parallel.unfinished_bytes, stream_bytes(plan));
        EXPECT_EQ(mempool_options(config).max_bytes, plan.mempool);
        EXPECT_EQ(server_options(config, false).max_buffered_bytes, plan.messages);
        EXPECT_EQ(method_limits(config).kept_log_bytes, plan.logs);
        EXPECT_EQ(method_limits(config).kept_bloom_bytes, plan.blooms);
        EXPECT_EQ(method_limits(config).kept_fee_bytes, plan.fees);
        EXPECT_EQ(method_limits(config).removed_log_bytes, moment_bytes(plan).removed_logs);
        EXPECT_EQ(method_limits(config).arrival_bytes, moment_bytes(plan).arrivals);
        EXPECT_EQ(execution_log(config)->limits().run_bytes, plan.executions);
    }
}

TEST(NodeOptions, memory_that_nobody_can_have_meant_is_refused) {
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{63}, std::uint64_t{1} << 40})
        EXPECT_THROW((void)memory_plan(config_with(memory)), InputError) << memory;
}

TEST(NodeOptions, a_request_and_its_answer_have_room_beside_each_other) {
    for (const std::uint64_t memory : {64U, 128U, 1'024U, 8'192U}) {
        const NodeConfig config = config_with(memory);
        EXPECT_LE(server_options(config, false).max_request_bytes +
                      responder_limits(config, false).response_bytes,
                  memory_plan(config).messages);
    }
    const NodeConfig config;
    EXPECT_EQ(responder_limits(config, false).response_bytes,
              std::size_t{config.rpc.max_response_kilobytes} << 10)
        << "by default nothing is cut";
}

}  // namespace
}  // namespace heddle::node
