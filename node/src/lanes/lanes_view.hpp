// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a node that merges lanes tells of them: JSON-RPC and metrics read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <types/hash.hpp>

#include <consensus_adapter/lanes/directory.hpp>

namespace heddle::node::lanes {

/// One lane.
struct LaneState {
    std::string address;              // without what may be a secret
    bool is_connected = false;        // it has answered the last question
    std::uint64_t height = 0;         // of its log, as it says
    std::uint64_t kept = 0;           // as far as it is here
    std::uint64_t merged = 0;         // as far as it is merged
    std::uint64_t waiting = 0;        // entries that wait for a place in it
    std::int64_t offset_us = 0;       // time from here to it, by its clock
    std::uint64_t round_trip_us = 0;  // of the last question
    bool is_silent = false;           // as the last cut says
    std::string fault;                // why it is not followed; empty: it is
    std::string trouble;              // why it does not answer; empty: it does
};

/// All of them, and what came of them since the node was started, what was merged again included.
struct LanesStatus {
    std::uint64_t merged_number = 0;  // of the last merged block: a height of the leading lane
    std::uint64_t leading = 0;
    std::vector<LaneState> lanes;
    std::uint64_t waiting = 0;     // transactions that are not in the order yet
    std::uint64_t incomplete = 0;  // of these, without all their entries
    std::uint64_t transactions = 0;
    std::uint64_t several_homes = 0;
    std::uint64_t components = 0;
    std::uint64_t rejected = 0;
    std::uint64_t refused = 0;
    std::uint64_t wrong_home = 0;
    std::uint64_t left_out = 0;
    std::uint64_t moves = 0;
    std::uint64_t sent_again = 0;  // entries, to lanes that lacked them or might
};

/// What became of a transaction that this node has placed.
struct PlacedTransaction {
    std::vector<std::uint64_t> lanes;
    std::string outcome;  // why it is in no block; empty: it waits, or it is in one
};

/// Thread safety: any.
class LanesView {
public:
    LanesView() = default;
    virtual ~LanesView() = default;
    LanesView(const LanesView&) = delete;
    LanesView& operator=(const LanesView&) = delete;
    LanesView(LanesView&&) = delete;
    LanesView& operator=(LanesView&&) = delete;

    [[nodiscard]] virtual LanesStatus status() const = 0;
    /// Of the units that an account is divided into, the homes now.
    struct UnitHome {
        consensus_adapter::lanes::HomeUnit unit;
        consensus_adapter::lanes::Home home;
    };
    [[nodiscard]] virtual std::vector<UnitHome> homes_of(const Address& address) const = 0;
    /// nullopt: this node has not placed it lately.
    [[nodiscard]] virtual std::optional<PlacedTransaction> placed(const Hash& hash) const = 0;
};

}  // namespace heddle::node::lanes
