// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/inspection.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/block_access_list.hpp>
#include <types/counted.hpp>

#include "formats/json_writer.hpp"

namespace heddle::node {

namespace {

using executor::BlockGraph;
using executor::GraphEdge;
using executor::ObjectLoad;

/// Lines of text for objects and predecessors; JSON has all of them.
constexpr std::size_t kMaxObjectsShown = 20;
constexpr std::size_t kMaxPredecessorsShown = 8;
/// What is left without an object is computed for so many of them.
constexpr std::size_t kMaxObjectsWeighed = 100;

std::string_view to_string(ObjectKind kind) noexcept {
    switch (kind) {
        case ObjectKind::balance:
            return "balance";
        case ObjectKind::nonce:
            return "nonce";
        case ObjectKind::code:
            return "code";
        case ObjectKind::storage:
            return "slot";
        case ObjectKind::storage_all:
            return "all storage";
    }
    return "object";
}

/// How often each mode occurs, by the number of the AccessMode.
using ModeCounts = std::array<std::size_t, 4>;

ModeCounts count_modes(const ObjectSet& set) noexcept {
    ModeCounts counts{};
    for (const Access& access : set.accesses())
        ++counts[static_cast<std::size_t>(access.mode)];
    return counts;
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// By how much a machine with any number of workers can be faster than one.
double parallelism(const BlockGraph& graph) {
    return graph.critical_cost == 0
               ? 1
               : static_cast<double>(graph.total_cost) / static_cast<double>(graph.critical_cost);
}

std::uint64_t greatest_cost(const BlockGraph& graph) {
    return graph.costs.empty() ? 0 : *std::ranges::max_element(graph.costs);
}

/// What no machine is faster than where no transaction waits for another: all workers busy, and the
/// greatest transaction on one of them.
std::uint64_t listed_bound(const BlockGraph& graph, unsigned workers) {
    return std::max(greatest_cost(graph), (graph.total_cost + workers - 1) / workers);
}

double ratio(std::uint64_t total, std::uint64_t bound) {
    return bound == 0 ? 1 : static_cast<double>(total) / static_cast<double>(bound);
}

/// By how much any number of workers can be faster than one, from the list.
double listed_parallelism(const BlockGraph& graph) {
    return ratio(graph.total_cost, greatest_cost(graph));
}

std::string_view unit(const Inspection& block) noexcept {
    return block.is_gas ? "gas" : "transactions";
}

/// Edges that end at a transaction.
std::span<const GraphEdge> edges_to(const BlockGraph& graph, std::uint32_t tx) {
    const auto [begin, end] = std::ranges::equal_range(graph.edges, tx, {}, &GraphEdge::to);
    return {begin, end};
}

std::size_t count_shared_objects(const Inspection& block) {
    std::vector<ObjectId> all;
    for (const ObjectSet& set : block.sets)
        for (const Access& access : set.accesses())
            all.push_back(access.object);
    std::ranges::sort(all);
    std::size_t shared = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i] == all[i - 1] && (i == 1 || all[i] != all[i - 2])) ++shared;
    return shared;
}

std::string head_text(const Inspection& block) {
    const BlockGraph& graph = block.graph;
    ModeCounts modes{};
    std::size_t accesses = 0;
    std::size_t waiting = 0;
    for (std::uint32_t tx = 0; tx < block.sets.size(); ++tx) {
        const ModeCounts counts = count_modes(block.sets[tx]);
        for (std::size_t mode = 0; mode < modes.size(); ++mode)
            modes[mode] += counts[mode];
        accesses += block.sets[tx].accesses().size();
        waiting += edges_to(graph, tx).empty() ? 0u : 1u;
    }
    std::string text = fmt::format("block {}, hash {}\n{}", block.number, to_string(block.hash),
                                   counted(block.sets.size(), "transaction"));
    if (block.is_gas) text += fmt::format(", {} gas", graph.total_cost);
    text += fmt::format(
        "\n{}: {} read, {} add, {} debit, {} write\n"
        "{}, {} of them used by more than one transaction\n"
        "{} for others, {}\n",
        counted(accesses, "access", "accesses"), modes[0], modes[1], modes[2], modes[3],
        counted(graph.objects.size(), "object"), count_shared_objects(block),
        counted(waiting, "transaction waits", "transactions wait"),
        counted(graph.edges.size(), "edge"));
    if (block.senders.empty())
        text += "senders are not known: nonces put the transactions of one sender in a row\n";
    text += fmt::format("critical path: {}, {} ({:.1f} %)\n",
                        counted(graph.critical_path.size(), "transaction"),
                        block.is_gas ? fmt::format("{} gas", graph.critical_cost)
                                     : counted(graph.critical_cost, "transaction"),
                        percent(graph.critical_cost, graph.total_cost));
    text += fmt::format("parallelism: at most {:.2f}; on 2, 4, 8, 16 workers", parallelism(graph));
    for (const unsigned workers : {2u, 4u, 8u, 16u})
        text += fmt::format(" {:.2f}", ratio(graph.total_cost, makespan_bound(graph, workers)));
    return text + "\n";
}

std::string list_text(const Inspection& block) {
    if (!block.list.has_value()) return {};
    const ListFigures& list = *block.list;
    const BlockGraph& graph = block.graph;
    std::string text = fmt::format(
        "access list: {} bytes beside the block's {} ({:.1f} % of both), object sets {}\n"
        "  {}: {}, {} changed, {} read; {}\n"
        "  parallelism from it: at most {:.2f}; on 2, 4, 8, 16 workers",
        list.bytes, list.block_bytes, percent(list.bytes, list.bytes + list.block_bytes),
        list.set_bytes, counted(list.accounts + list.changed_slots + list.read_slots, "item"),
        counted(list.accounts, "account"), counted(list.changed_slots, "slot"),
        counted(list.read_slots, "slot"), counted(list.changes, "change"),
        listed_parallelism(graph));
    for (const unsigned workers : {2u, 4u, 8u, 16u})
        text += fmt::format(" {:.2f}", ratio(graph.total_cost, listed_bound(graph, workers)));
    return text + "\n";
}

std::string objects_text(const Inspection& block) {
    const BlockGraph& graph = block.graph;
    if (graph.serialisers.empty()) return {};
    std::string text =
        "\nobjects that serialise it\n"
        "  of the path   waiting   path without it   object\n";
    const std::size_t shown = std::min(graph.serialisers.size(), kMaxObjectsShown);
    for (const ObjectLoad& load : std::span{graph.serialisers}.first(shown))
        text += fmt::format("  {:>9.1f} % {:>9} {:>17}   {}\n",
                            percent(load.critical_cost, graph.critical_cost), load.waiting,
                            critical_cost_without(graph, load.object),
                            to_text(graph.objects[load.object]));
    if (shown < graph.serialisers.size())
        text += fmt::format("  and {} more\n", graph.serialisers.size() - shown);
    return text;
}

std::string path_text(const Inspection& block) {
    const BlockGraph& graph = block.graph;
    std::string text = "\ncritical path\n";
    std::optional<std::uint32_t> before;
    for (const std::uint32_t tx : graph.critical_path) {
        text += fmt::format("  {:>5} {:>10}", tx, graph.costs[tx]);
        if (before.has_value()) {
            const auto edges = edges_to(graph, tx);
            const auto edge = std::ranges::find(edges, *before, &GraphEdge::from);
            text += fmt::format("   waits for {} because of ", *before);
            const auto causes = graph.causes_of(*edge);
            text += to_text(graph.objects[causes.front()]);
            if (causes.size() > 1) text += fmt::format(" and {} more", causes.size() - 1);
        }
        text += "\n";
        before = tx;
    }
    return text;
}

std::string transactions_text(const Inspection& block) {
    const BlockGraph& graph = block.graph;
    std::string text = fmt::format(
        "\ntransactions\n"
        "  index {:>10}   read    add  debit  write   waits for\n",
        block.is_gas ? "gas" : "cost");
    for (std::uint32_t tx = 0; tx < block.sets.size(); ++tx) {
        const ModeCounts modes = count_modes(block.sets[tx]);
        text += fmt::format("  {:>5} {:>10} {:>6} {:>6} {:>6} {:>6}  ", tx, graph.costs[tx],
                            modes[0], modes[1], modes[2], modes[3]);
        const auto edges = edges_to(graph, tx);
        const std::size_t shown = std::min(edges.size(), kMaxPredecessorsShown);
        for (const GraphEdge& edge : edges.first(shown))
            text += fmt::format(" {}", edge.from);
        if (shown < edges.size()) text += fmt::format(" and {} more", edges.size() - shown);
        while (text.ends_with(' '))
            text.pop_back();
        text += "\n";
    }
    return text;
}

void write_transactions(const Inspection& block, JsonWriter& json) {
    json.key("transactions");
    json.begin_array();
    for (std::size_t tx = 0; tx < block.sets.size(); ++tx) {
        json.begin_object();
        json.key("index");
        json.number(tx);
        if (!block.hashes.empty()) {
            json.key("hash");
            json.hash(block.hashes[tx]);
        }
        if (!block.senders.empty()) {
            json.key("from");
            json.address(block.senders[tx]);
        }
        json.key("cost");
        json.number(block.graph.costs[tx]);
        const ModeCounts modes = count_modes(block.sets[tx]);
        constexpr std::array<std::string_view, 4> kNames = {"reads", "adds", "debits", "writes"};
        for (std::size_t mode = 0; mode < kNames.size(); ++mode) {
            json.key(kNames[mode]);
            json.number(modes[mode]);
        }
        json.end_object();
    }
    json.end_array();
}

void write_graph(const BlockGraph& graph, JsonWriter& json) {
    json.key("objects");
    json.begin_array();
    for (const ObjectId& object : graph.objects) {
        json.begin_object();
        json.key("kind");
        json.string(to_string(object.kind));
        json.key("address");
        json.address(object.address);
        if (object.kind == ObjectKind::storage) {
            json.key("slot");
            json.quantity(object.slot);
        }
        json.end_object();
    }
    json.end_array();
    json.key("edges");
    json.begin_array();
    for (const GraphEdge& edge : graph.edges) {
        json.begin_object();
        json.key("from");
        json.number(edge.from);
        json.key("to");
        json.number(edge.to);
        json.key("objects");
        json.begin_array();
        for (const std::uint32_t object : graph.causes_of(edge))
            json.number(object);
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.key("criticalPath");
    json.begin_array();
    for (const std::uint32_t tx : graph.critical_path)
        json.number(tx);
    json.end_array();
}

void write_list(const Inspection& block, JsonWriter& json) {
    if (!block.list.has_value()) return;
    const ListFigures& list = *block.list;
    const auto number = [&](std::string_view name, std::uint64_t value) {
        json.key(name);
        json.number(value);
    };
    json.key("accessList");
    json.begin_object();
    number("bytes", list.bytes);
    number("blockBytes", list.block_bytes);
    number("objectSetBytes", list.set_bytes);
    number("items", list.accounts + list.changed_slots + list.read_slots);
    number("accounts", list.accounts);
    number("changedSlots", list.changed_slots);
    number("readSlots", list.read_slots);
    number("changes", list.changes);
    number("greatestCost", greatest_cost(block.graph));
    json.key("parallelism");
    json.raw(fmt::format("{:.4f}", listed_parallelism(block.graph)));
    json.end_object();
}

void write_serialisers(const BlockGraph& graph, JsonWriter& json) {
    json.key("serialisers");
    json.begin_array();
    for (std::size_t i = 0; i < graph.serialisers.size(); ++i) {
        const ObjectLoad& load = graph.serialisers[i];
        json.begin_object();
        json.key("object");
        json.number(load.object);
        json.key("waiting");
        json.number(load.waiting);
        json.key("criticalCost");
        json.number(load.critical_cost);
        if (i < kMaxObjectsWeighed) {
            json.key("criticalCostWithout");
            json.number(critical_cost_without(graph, load.object));
        }
        json.end_object();
    }
    json.end_array();
}

}  // namespace

std::optional<ListFigures> measure_list(BytesView encoded) {
    const auto list = decode_block_access_list(encoded);
    if (!list.has_value()) return std::nullopt;
    ListFigures figures;
    figures.bytes = encoded.size();
    figures.accounts = list->accounts.size();
    for (const ListedAccount& account : list->accounts) {
        figures.changed_slots += account.storage_changes.size();
        figures.read_slots += account.storage_reads.size();
        figures.changes += account.balance_changes.size() + account.nonce_changes.size() +
                           account.code_changes.size();
        for (const ListedSlot& slot : account.storage_changes)
            figures.changes += slot.changes.size();
    }
    return figures;
}

Inspection make_inspection(InspectedBlock known) {
    Inspection block;
    block.number = known.number;
    block.hash = known.hash;
    block.is_gas = !known.costs.empty() || known.sets.empty();
    block.hashes = std::move(known.hashes);
    block.senders = std::move(known.senders);
    block.recipients = std::move(known.recipients);
    block.list = known.list;
    block.traces = std::move(known.traces);
    block.sets = std::move(known.sets);
    if (known.costs.empty()) known.costs.assign(block.sets.size(), 1);
    block.graph = executor::make_block_graph(block.sets, known.costs, block.senders);
    return block;
}

std::string to_text(const ObjectId& object) {
    if (object.kind == ObjectKind::storage)
        return fmt::format("slot {} of {}", to_hex(object.slot), to_string(object.address));
    return fmt::format("{} of {}", to_string(object.kind), to_string(object.address));
}

std::string to_text(const Inspection& block) {
    return head_text(block) + list_text(block) + objects_text(block) + path_text(block) +
           transactions_text(block);
}

std::string to_json(const Inspection& block) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.key("number");
    json.number(block.number);
    json.key("hash");
    json.hash(block.hash);
    json.key("costUnit");
    json.string(unit(block));
    json.key("totalCost");
    json.number(block.graph.total_cost);
    json.key("criticalCost");
    json.number(block.graph.critical_cost);
    json.key("parallelism");
    json.raw(fmt::format("{:.4f}", parallelism(block.graph)));
    write_list(block, json);
    write_transactions(block, json);
    write_graph(block.graph, json);
    write_serialisers(block.graph, json);
    json.end_object();
    return text + "\n";
}

}  // namespace heddle::node
