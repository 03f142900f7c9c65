// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "inputs/memory_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace heddle::node {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kNoMost = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kShares = 64;

/// All parts but the ledger's, which has the rest. docs/operating.md has the same table.
struct Part {
    std::string_view name;
    std::size_t MemoryPlan::* bytes;
    std::size_t share;  // of kShares
    std::size_t most;   // more would be of no use
};
constexpr std::array kParts{
    Part{"executor", &MemoryPlan::executor, 12, 1'024 * kMiB},
    Part{"its code", &MemoryPlan::executor_code, 4, 256 * kMiB},
    Part{"code of calls", &MemoryPlan::call_code, 2, 64 * kMiB},
    Part{"served blocks", &MemoryPlan::served_blocks, 2, 48 * kMiB},
    Part{"logs", &MemoryPlan::logs, 2, 64 * kMiB},
    Part{"blooms", &MemoryPlan::blooms, 2, 64 * kMiB},
    Part{"fees", &MemoryPlan::fees, 1, 32 * kMiB},
    Part{"executions", &MemoryPlan::executions, 1, 32 * kMiB},
    Part{"mempool", &MemoryPlan::mempool, 8, kNoMost},
    Part{"messages", &MemoryPlan::messages, 6, 64 * kMiB},
};
static_assert(
    [] {
        std::size_t shares = 0;
        for (const Part& part : kParts)
            shares += part.share;
        return shares;
    }() <= 5 * kShares / 8,
    "three eighths at least are the ledger's");

/// Each part has its share, but not more than `most_of(part)`; the rest is the ledger's.
template <class MostOf>
MemoryPlan plan_parts(std::size_t total, const MostOf& most_of) {
    MemoryPlan plan;
    plan.total = total;
    plan.ledger = total;
    for (const Part& part : kParts) {
        std::size_t& bytes = plan.*part.bytes;
        bytes = std::min(total / kShares * part.share, most_of(part));
        plan.ledger -= bytes;
    }
    return plan;
}

}  // namespace

MemoryPlan plan_memory(std::size_t total, std::size_t mempool_most) {
    return plan_parts(total, [&](const Part& part) {
        return part.bytes == &MemoryPlan::mempool ? mempool_most : part.most;
    });
}

MemoryPlan plan_replay_memory(std::size_t total) {
    return plan_parts(total, [](const Part& part) -> std::size_t {
        const bool used =
            part.bytes == &MemoryPlan::executor || part.bytes == &MemoryPlan::executor_code;
        return used ? part.most : 0;
    });
}

std::size_t stream_bytes(const MemoryPlan& plan) noexcept {
    return std::min(plan.total / 16, 64 * kMiB);
}

MomentBytes moment_bytes(const MemoryPlan& plan) noexcept {
    return {.proposals = std::min(plan.total / 16, 64 * kMiB),
            .removed_logs = std::min(plan.total / 64, 16 * kMiB),
            .arrivals = std::min(plan.total / 32, 32 * kMiB),
            .snapshots = std::min(plan.total / 4, 256 * kMiB),
            .source_blocks = std::min(plan.total / 32, 64 * kMiB)};
}

void bound_executor(const MemoryPlan& plan, executor::ParallelOptions& options) noexcept {
    // The window's usual bounds are for a gibibyte: with what the budget lets an attempt do for
    // nothing (10,000 gas), each transaction in flight may hold some five kilobytes.
    constexpr std::size_t kUsual = 1'024 * kMiB;
    const std::size_t total = std::min(plan.total, kUsual);
    const executor::ParallelOptions usual;
    options.kept_bytes = plan.executor;
    options.unfinished_bytes = stream_bytes(plan);
    options.window_transactions = total / (kUsual / usual.window_transactions);
    options.window_objects = total / (kUsual / usual.window_objects);
}

std::string to_string(const MemoryPlan& plan) {
    const auto whole = [](std::size_t bytes) { return (bytes + kMiB / 2) / kMiB; };
    std::string text = fmt::format("{} MiB: ledger {}", whole(plan.total), whole(plan.ledger));
    for (const Part& part : kParts)
        text += fmt::format(", {} {}", part.name, whole(plan.*part.bytes));
    return text;
}

}  // namespace heddle::node
