// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "graph_file.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>

namespace heddle::bench {
namespace {

constexpr std::string_view kHeading = "block,index,cost_ns,gas_used,waits_for";

/// `visit(index, predecessors)` in order.
template <typename Visit>
void for_each_transaction(const BlockCosts& block, Visit&& visit) {
    auto edge = block.graph.edges.begin();
    std::vector<std::uint32_t> before;
    for (std::uint32_t i = 0; i < block.graph.costs.size(); ++i) {
        before.clear();
        for (; edge != block.graph.edges.end() && edge->to == i; ++edge)
            before.push_back(edge->from);
        visit(i, before);
    }
}

std::string join(const std::vector<std::uint32_t>& values, char separator) {
    std::string text;
    for (const std::uint32_t value : values) {
        if (!text.empty()) text += separator;
        text += std::to_string(value);
    }
    return text;
}

/// The number up to `end`, which is taken off the front too.
std::optional<std::uint64_t> take_number(std::string_view& text, char end) {
    const std::string number(text.substr(0, text.find(end)));
    std::uint64_t value = 0;
    const char* last = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), last, value);
    if (error != std::errc{} || stop != last) return std::nullopt;
    text.remove_prefix(std::min(number.size() + 1, text.size()));
    return value;
}

bool add_line(std::string_view line, std::vector<BlockCosts>& blocks) {
    const auto number = take_number(line, ',');
    const auto index = take_number(line, ',');
    const auto cost = take_number(line, ',');
    const auto gas = take_number(line, ',');
    if (!number || !index || !cost || !gas) return false;
    if (blocks.empty() || blocks.back().number != *number) {
        blocks.emplace_back();
        blocks.back().number = *number;
    }
    BlockCosts& block = blocks.back();
    if (*index != block.graph.costs.size()) return false;
    block.graph.costs.push_back(*cost);
    block.gas_used.push_back(*gas);
    while (!line.empty()) {
        const auto before = take_number(line, ' ');
        if (!before || *before >= *index) return false;
        executor::GraphEdge edge;
        edge.from = static_cast<std::uint32_t>(*before);
        edge.to = static_cast<std::uint32_t>(*index);
        block.graph.edges.push_back(edge);
    }
    return true;
}

void fill_totals(executor::BlockGraph& graph) {
    graph.total_cost = std::accumulate(graph.costs.begin(), graph.costs.end(), std::uint64_t{0});
    std::vector<std::uint64_t> ends(graph.costs.size());
    auto edge = graph.edges.begin();
    for (std::size_t i = 0; i < ends.size(); ++i) {
        for (; edge != graph.edges.end() && edge->to == i; ++edge)
            ends[i] = std::max(ends[i], ends[edge->from]);
        ends[i] += graph.costs[i];
        graph.critical_cost = std::max(graph.critical_cost, ends[i]);
    }
}

}  // namespace

std::string to_csv(const std::vector<BlockCosts>& blocks) {
    std::string text(kHeading);
    text += '\n';
    for (const BlockCosts& block : blocks)
        for_each_transaction(block, [&](std::uint32_t i, const std::vector<std::uint32_t>& before) {
            text += std::to_string(block.number) + ',' + std::to_string(i) + ',' +
                    std::to_string(block.graph.costs[i]) + ',' + std::to_string(block.gas_used[i]) +
                    ',' + join(before, ' ') + '\n';
        });
    return text;
}

std::string to_json(const std::vector<BlockCosts>& blocks) {
    std::string text = "[";
    for (const BlockCosts& block : blocks) {
        text += &block == &blocks.front() ? "\n" : ",\n";
        text += "{\"block\": " + std::to_string(block.number) +
                ", \"total_ns\": " + std::to_string(block.graph.total_cost) +
                ", \"critical_path_ns\": " + std::to_string(block.graph.critical_cost) +
                ", \"transactions\": [";
        for_each_transaction(block, [&](std::uint32_t i, const std::vector<std::uint32_t>& before) {
            text += i == 0 ? "\n" : ",\n";
            text += " {\"index\": " + std::to_string(i) +
                    ", \"cost_ns\": " + std::to_string(block.graph.costs[i]) +
                    ", \"gas_used\": " + std::to_string(block.gas_used[i]) + ", \"waits_for\": [" +
                    join(before, ',') + "]}";
        });
        text += "]}";
    }
    return text + "\n]\n";
}

std::expected<std::vector<BlockCosts>, std::string> from_csv(const std::string& text) {
    std::istringstream stream(text);
    std::string line;
    if (!std::getline(stream, line) || line != kHeading)
        return std::unexpected("line 1: not \"" + std::string(kHeading) + '"');
    std::vector<BlockCosts> blocks;
    for (std::size_t count = 2; std::getline(stream, line); ++count)
        if (!add_line(line, blocks))
            return std::unexpected("line " + std::to_string(count) + ": " + line);
    for (BlockCosts& block : blocks)
        fill_totals(block.graph);
    return blocks;
}

}  // namespace heddle::bench
