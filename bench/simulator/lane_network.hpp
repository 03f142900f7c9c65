// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Regions with delays between them, in virtual time, that order transactions by lanes, by one
// orderer, or by lanes and an orderer for what has several homes. Merging is the node's own code;
// everything around it is modelled. The same seed gives the same run.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::bench {

/// Detock's eight regions (table 1): round trips in milliseconds.
inline constexpr std::size_t kRegions = 8;

enum class Ordering : std::uint8_t {
    lanes,          // Detock: each home orders for itself
    opportunistic,  // the same, and entries say when they are to be inserted
    slog,           // an orderer for what has several homes, then the homes' lanes in its order
    global,         // Calvin: an orderer for everything, in one region
    replicated,     // the same, and a batch is final when most regions have it (Paxos, Raft)
};
[[nodiscard]] std::string_view to_string(Ordering ordering) noexcept;

struct LaneNetwork {
    Ordering ordering = Ordering::opportunistic;
    std::uint64_t seed = 1;
    double seconds = 2;                       // of load
    double transactions_per_second = 20'000;  // all regions together
    std::uint32_t multi_home_percent = 10;
    std::uint32_t hot_objects = 100;  // of a region; a transaction writes two
    double jitter_ms = 1;             // of each message, uniform
    double overshoot_ms = 2;
    /// Part of a round trip that the slower direction of a pair of regions takes.
    double asymmetry = 0.5;
    double batch_ms = 5;      // of a lane and of an orderer
    double consensus_ms = 1;  // until a batch is final
};

struct Latency {
    double p50_ms = 0;
    double p99_ms = 0;
};

struct LaneNetworkResult {
    std::uint64_t transactions = 0;
    /// A second, while there is load: order known in the region of the sender.
    double ordered_per_second = 0;
    // From sending until the order is known there; for those that began in the load's second half.
    Latency single_home;
    Latency multi_home;
    Latency all;
    /// Until the merged block of the leading lane's cut is there. Zero where there are no cuts.
    Latency block;
    // Of the blocks.
    std::uint64_t components = 0;
    double in_components_percent = 0;  // of transactions
    std::uint64_t largest_component = 0;
    std::uint64_t rejected = 0;
    /// Most transactions that waited at once in the region that had most.
    std::uint64_t most_waiting = 0;
};

[[nodiscard]] LaneNetworkResult simulate(const LaneNetwork& network);

}  // namespace heddle::bench
