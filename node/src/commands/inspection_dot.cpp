// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <types/counted.hpp>

#include "commands/inspection.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "program/temporary_folder.hpp"

namespace heddle::node {

namespace {

using executor::BlockGraph;
using executor::GraphEdge;

/// Finding what follows takes a bit for each pair of transactions.
constexpr std::size_t kMaxTransactionsReduced = 20'000;
/// Beyond this, edges carry their objects as tooltips only: nobody could read the labels.
constexpr std::size_t kMaxEdgesLabelled = 300;
constexpr std::size_t kMaxSvgBytes = std::size_t{1} << 30;

bool is_on_path(const BlockGraph& graph, const GraphEdge& edge) {
    const auto place = std::ranges::find(graph.critical_path, edge.from);
    return place != graph.critical_path.end() && place + 1 != graph.critical_path.end() &&
           *(place + 1) == edge.to;
}

std::string short_text(const ObjectId& object) {
    // The address' beginning and the slot's end are what people recognise.
    std::string text = to_text(object);
    if (object.kind != ObjectKind::storage) return text.substr(0, text.size() - 34) + "…";
    const std::string slot = to_hex(object.slot);
    const std::string short_slot = slot.size() <= 10 ? slot : "0x…" + slot.substr(slot.size() - 6);
    return fmt::format("slot {} of {}…", short_slot, to_string(object.address).substr(0, 8));
}

void append_edge(const Inspection& block, const GraphEdge& edge, bool has_label,
                 std::string& text) {
    const auto causes = block.graph.causes_of(edge);
    const ObjectId& first = block.graph.objects[causes.front()];
    const std::string more =
        causes.size() > 1 ? fmt::format(" and {} more", causes.size() - 1) : std::string{};
    text += fmt::format("  t{} -> t{} [tooltip=\"{}{}\"", edge.from, edge.to, to_text(first), more);
    if (has_label) text += fmt::format(", label=\"{}{}\"", short_text(first), more);
    if (is_on_path(block.graph, edge)) text += ", color=\"#c0392b\", penwidth=2.5";
    text += "];\n";
}

void append_node(const Inspection& block, std::uint32_t tx, bool is_critical, std::string& text) {
    text += fmt::format("  t{} [label=\"{}", tx, tx);
    if (block.is_gas) text += fmt::format("\\n{} gas", block.graph.costs[tx]);
    text += "\"";
    if (!block.hashes.empty()) text += fmt::format(", tooltip=\"{}\"", to_string(block.hashes[tx]));
    if (is_critical) text += ", color=\"#c0392b\", penwidth=2.5";
    text += "];\n";
}

/// Runs `dot` and waits for its end.
void run_dot(std::string in, std::string out) {
    std::string program = "dot";
    std::string format = "-Tsvg";
    std::string to = "-o";
    char* const argv[] = {program.data(), format.data(), to.data(), out.data(), in.data(), nullptr};
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, program.c_str(), nullptr, nullptr, argv, environ);
    if (error == ENOENT)
        fail_input(
            "inspect: Graphviz's `dot` is not installed: install the package graphviz, or use "
            "--format dot and draw the graph elsewhere");
    if (error != 0) fail_input("inspect: cannot run `dot`: {}", std::strerror(error));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail_input("inspect: lost sight of `dot`: {}", std::strerror(errno));
    if (WIFSIGNALED(status))
        fail_input("inspect: `dot` was ended by signal {}: use --format dot", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        fail_input("inspect: `dot` failed with exit code {}: use --format dot",
                   WEXITSTATUS(status));
}

}  // namespace

std::vector<GraphEdge> essential_edges(const BlockGraph& graph) {
    const std::size_t count = graph.costs.size();
    if (count > kMaxTransactionsReduced) return graph.edges;
    std::vector<std::vector<bool>> is_before(count, std::vector<bool>(count, false));
    std::vector<GraphEdge> kept;
    for (auto begin = graph.edges.begin(); begin != graph.edges.end();) {
        const auto end = std::find_if(begin, graph.edges.end(),
                                      [begin](const GraphEdge& e) { return e.to != begin->to; });
        std::vector<bool>& before = is_before[begin->to];
        // Nearest first: whoever is reached through a nearer one needs no edge of its own.
        for (auto edge = end; edge-- != begin;) {
            if (before[edge->from]) continue;
            kept.push_back(*edge);
            before[edge->from] = true;
            const std::vector<bool>& further = is_before[edge->from];
            for (std::size_t tx = 0; tx < edge->from; ++tx)
                if (further[tx]) before[tx] = true;
        }
        begin = end;
    }
    std::ranges::sort(kept, {}, [](const GraphEdge& e) { return std::pair{e.to, e.from}; });
    return kept;
}

std::string to_dot(const Inspection& block) {
    const BlockGraph& graph = block.graph;
    const std::vector<GraphEdge> edges = essential_edges(graph);
    std::vector<bool> is_shown(graph.costs.size(), false);
    std::vector<bool> is_critical(graph.costs.size(), false);
    for (const GraphEdge& edge : edges)
        is_shown[edge.from] = is_shown[edge.to] = true;
    for (const std::uint32_t tx : graph.critical_path)
        is_shown[tx] = is_critical[tx] = true;
    const auto left_out = std::ranges::count(is_shown, false);

    std::string text = fmt::format("digraph \"block {}\" {{\n", block.number);
    text += fmt::format(
        "  label=\"block {}: {}, critical path {} of {} {}\\nleft out: {} without edges, {} from "
        "others\";\n",
        block.number, counted(graph.costs.size(), "transaction"), graph.critical_cost,
        graph.total_cost, block.is_gas ? "gas" : "transactions",
        counted(static_cast<std::uint64_t>(left_out), "transaction"),
        counted(graph.edges.size() - edges.size(), "edge that follows", "edges that follow"));
    text +=
        "  labelloc=t;\n  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=10];\n"
        "  edge [fontname=\"sans-serif\", fontsize=8];\n";
    for (std::uint32_t tx = 0; tx < graph.costs.size(); ++tx)
        if (is_shown[tx]) append_node(block, tx, is_critical[tx], text);
    for (const GraphEdge& edge : edges)
        append_edge(block, edge, edges.size() <= kMaxEdgesLabelled, text);
    return text + "}\n";
}

std::string to_svg(const std::string& dot) {
    const TemporaryFolder folder{"heddle-dot-",
                                 "set it to one, or use --format dot and draw the graph elsewhere"};
    const std::string in = folder.path() + "/graph.dot";
    const std::string out = folder.path() + "/graph.svg";
    write_file(in, dot);
    run_dot(in, out);
    std::string svg;
    read_file(out, kMaxSvgBytes, svg);
    return svg;
}

}  // namespace heddle::node
