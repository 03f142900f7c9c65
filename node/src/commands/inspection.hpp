// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What `heddle inspect` knows of a block, and how it shows it. Where the block comes from is
// inspect.hpp's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <executor/block_graph.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>

#include "commands/timeline.hpp"

namespace heddle::node {

/// The size of a block's access list (EIP-7928), and what it is made of.
struct ListFigures {
    std::size_t bytes = 0;          // RLP
    std::size_t accounts = 0;       // accessed, if only that
    std::size_t changed_slots = 0;  // by any index
    std::size_t read_slots = 0;     // by no more than reading
    std::size_t changes = 0;        // of balances, nonces, code and slots, by index
    std::size_t block_bytes = 0;    // RLP of the block, without the list
    std::size_t set_bytes = 0;      // of its object sets, encoded
};
/// @param encoded  RLP. nullopt: it is no list.
[[nodiscard]] std::optional<ListFigures> measure_list(BytesView encoded);

/// Invariant: all vectors are as long as the block has transactions; hashes, senders and recipients
/// may be empty instead.
struct Inspection {
    std::uint64_t number = 0;
    Hash hash;
    bool is_gas = true;  // costs are gas; else each transaction counts 1
    std::vector<Hash> hashes;
    std::vector<Address> senders;
    std::vector<std::optional<Address>> recipients;  // nullopt: a creation
    std::vector<ObjectSet> sets;
    std::optional<ListFigures> list;  // nullopt: there is none, or it is not known
    executor::BlockGraph graph;
    std::vector<Timeline> traces;  // of real runs, to be shown first
};

/// What is known of a block's transactions.
struct InspectedBlock {
    std::uint64_t number = 0;
    Hash hash{};
    std::vector<ObjectSet> sets{};
    std::vector<std::uint64_t> costs{};  // gas used; empty: each transaction counts 1
    std::vector<Address> senders{};
    std::vector<std::optional<Address>> recipients{};
    std::vector<Hash> hashes{};
    std::optional<ListFigures> list{};
    std::vector<Timeline> traces{};
};
/// Builds the graph.
[[nodiscard]] Inspection make_inspection(InspectedBlock known);

/// `balance of 0x…`, `slot 0x… of 0x…`.
[[nodiscard]] std::string to_text(const ObjectId& object);

[[nodiscard]] std::string to_text(const Inspection& block);
[[nodiscard]] std::string to_json(const Inspection& block);
/// A graph in Graphviz's language. Left out, and counted in its title: transactions without edges,
/// edges that follow from others.
[[nodiscard]] std::string to_dot(const Inspection& block);

/// A page that shows the block on workers over time, as it is told: self-contained, for a browser
/// without a network. All that comes from the block or a title is escaped.
[[nodiscard]] std::string to_html(const Inspection& block, std::span<const Timeline> timelines);
/// The block on so many workers, at least one, by its graph alone. See model_timeline().
[[nodiscard]] Timeline modelled(const Inspection& block, std::uint32_t workers);

/// The edges that do not follow from others, ascending by `to`, then `from`. Of more than 20,000
/// transactions all.
[[nodiscard]] std::vector<executor::GraphEdge> essential_edges(const executor::BlockGraph& graph);

/// The SVG that Graphviz's `dot` makes of a graph. Runs it as a child process, without a shell.
/// Errors: InputError, also where `dot` is not installed.
[[nodiscard]] std::string to_svg(const std::string& dot);

}  // namespace heddle::node
