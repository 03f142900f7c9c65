// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block on workers over time: which transaction runs where from when to when. What is drawn by
// the inspect command's page; pure functions, apart from how it looks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <executor/block_graph.hpp>
#include <types/address.hpp>

namespace heddle::node {

/// One execution of a transaction.
struct Bar {
    enum class Kind : std::uint8_t {
        ahead,     // ahead of its turn, and it counts
        lost,      // ahead of its turn, for nothing
        repaired,  // at its turn, after that
        in_order,  // at its turn only
    };
    std::uint32_t transaction = 0;
    std::uint32_t lane = 0;
    std::uint64_t begin = 0;  // in the timeline's unit
    std::uint64_t end = 0;
    std::uint32_t attempt = 0;  // ahead of its turn, from 0 on
    Kind kind = Kind::ahead;
    friend bool operator==(const Bar&, const Bar&) = default;
};

struct Timeline {
    std::string title;
    std::string unit;         // of its times
    std::uint32_t lanes = 0;  // one for each worker
    std::uint64_t end = 0;    // of the last bar
    std::vector<Bar> bars;    // as they begin
};

/// How the block's graph runs on so many workers if nothing but executing took time: a free worker
/// takes the oldest transaction that is ready. Modelled, not measured.
///
/// @param workers  At least one.
/// Complexity: O((n + edges) · log n).
[[nodiscard]] Timeline model_timeline(const executor::BlockGraph& graph, std::uint32_t workers);

/// Text as it may stand in an element of a page or in a quoted attribute.
[[nodiscard]] std::string escape_html(std::string_view text);
/// JSON as it may stand in a script element of a page: nothing in it ends that.
[[nodiscard]] std::string escape_script(std::string json);

/// What the objects of one account cost the block.
struct AccountLoad {
    Address address;
    std::uint64_t critical_cost = 0;  // see ObjectLoad; an edge counts for each of its objects
    std::uint32_t waiting = 0;        // transactions that wait because of one of them
    friend bool operator==(const AccountLoad&, const AccountLoad&) = default;
};
/// Those that somebody waits for, dearest first, then by how many wait, then by address.
[[nodiscard]] std::vector<AccountLoad> account_loads(const executor::BlockGraph& graph);

/// A bar in the page's units (CSS pixels), lanes beneath each other from 0.
struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
    friend bool operator==(const Box&, const Box&) = default;
};
inline constexpr double kTimelineWidth = 1'180;
inline constexpr double kLaneHeight = 26;
inline constexpr double kBarHeight = 20;
/// What takes less is drawn as wide as this, so that it can be seen and pointed at.
inline constexpr double kLeastBarWidth = 0.75;
/// @param end  Time at the right edge; not 0.
[[nodiscard]] Box place(const Bar& bar, std::uint64_t end);

}  // namespace heddle::node
