// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What `heddle inspect` knows of a block, and how it shows it. Where the block comes from is
// inspect.hpp's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <executor/block_graph.hpp>
#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>

namespace heddle::node {

/// Invariant: all vectors are as long as the block has transactions; hashes and senders may be
/// empty instead.
struct Inspection {
    std::uint64_t number = 0;
    Hash hash;
    bool is_gas = true;  // costs are gas; else each transaction counts 1
    std::vector<Hash> hashes;
    std::vector<Address> senders;
    std::vector<ObjectSet> sets;
    executor::BlockGraph graph;
};

/// What is known of a block's transactions.
struct InspectedBlock {
    std::uint64_t number = 0;
    Hash hash{};
    std::vector<ObjectSet> sets{};
    std::vector<std::uint64_t> costs{};  // gas used; empty: each transaction counts 1
    std::vector<Address> senders{};
    std::vector<Hash> hashes{};
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

/// The SVG that Graphviz's `dot` makes of a graph. Runs it as a child process, without a shell.
/// Errors: InputError, also where `dot` is not installed.
[[nodiscard]] std::string to_svg(const std::string& dot);

}  // namespace heddle::node
