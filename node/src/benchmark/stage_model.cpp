// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/stage_model.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include <measure/list_scheduler.hpp>

#include <types/counted.hpp>

#include "program/quantities.hpp"

namespace heddle::node::benchmark {
namespace {

constexpr std::array kCores = {1u, 2u, 4u, 8u, 16u, 32u, 64u};
constexpr std::size_t kLanes = 6;

double time_on(const StageCost& stage, unsigned cores) {
    if (stage.is_of_parallel && cores == 1) return 0;
    if (stage.graphs.empty()) {
        const unsigned threads = std::max(cores / stage.cores_per_thread, 1U);
        return stage.alone_ms + (stage.total_ms - stage.alone_ms) / threads;
    }
    double ms = 0;
    for (const executor::BlockGraph& graph : stage.graphs)
        ms += static_cast<double>(
                  measure::schedule(graph, cores, measure::Priority::stream_order).makespan) /
              1e6;
    return ms;
}

std::string rate(double gas, double ms) {
    return ms > 0 ? fmt::format("{:.0f}", gas / 1e3 / ms) : "-";
}

}  // namespace

StagePoint model_stages(std::span<const StageCost> stages, unsigned cores) {
    StagePoint point;
    point.cores = cores;
    std::array<double, kLanes> lanes{};
    double work_ms = 0;
    for (const StageCost& stage : stages) {
        point.stage_ms.push_back(time_on(stage, cores));
        lanes[static_cast<std::size_t>(stage.lane)] += point.stage_ms.back();
        if (!stage.is_of_parallel || cores > 1) work_ms += stage.total_ms;
    }
    point.all_ms = work_ms / cores;
    const auto slowest = std::ranges::max_element(lanes);
    if (*slowest <= point.all_ms) return point;
    point.all_ms = *slowest;
    const auto lane = static_cast<StageLane>(std::distance(lanes.begin(), slowest));
    for (std::size_t i = 0; i < stages.size(); ++i)
        if (stages[i].lane == lane &&
            (!point.slowest || point.stage_ms[i] > point.stage_ms[*point.slowest]))
            point.slowest = i;
    return point;
}

std::string to_table(const StagedBlocks& blocks, std::span<const StageCost> stages) {
    std::string text = fmt::format(
        "{}: {} in {}, {}; medians of {}. MODELLED from what each stage takes by itself "
        "on one thread:\n",
        blocks.name, counted(blocks.transactions, "transaction"), counted(blocks.blocks, "block"),
        format_gas(blocks.gas), counted(blocks.runs, "run"));
    std::vector<StagePoint> points;
    text += fmt::format("  {:<18} {:>9} {:>9}  Mgas/s:", "", "ms", "alone");
    for (const unsigned cores : kCores) {
        points.push_back(model_stages(stages, cores));
        text += fmt::format("{:>8}", cores);
    }
    text += " cores\n";
    const auto gas = static_cast<double>(blocks.gas);
    for (std::size_t i = 0; i < stages.size(); ++i) {
        text += fmt::format("  {:<18} {:>9.2f} {:>9.2f}         ", stages[i].name,
                            stages[i].total_ms, stages[i].alone_ms);
        for (const StagePoint& point : points)
            text += fmt::format("{:>8}", rate(gas, point.stage_ms[i]));
        text += '\n';
    }
    text += fmt::format("  {:<47}", "all together");
    for (const StagePoint& point : points)
        text += fmt::format("{:>8}", rate(gas, point.all_ms));
    text += "\n  slowest:";
    for (const StagePoint& point : points)
        text += fmt::format(" {} {};", point.cores,
                            point.slowest ? stages[*point.slowest].name : "the cores");
    text.back() = '\n';
    return text;
}

}  // namespace heddle::node::benchmark
