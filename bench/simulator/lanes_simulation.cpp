// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Regions that order by lanes, in virtual time: latency, components and what waits, over the share
// of transactions with several homes, jitter, overshoot and asymmetry (Detock, figures 6 to 9 and
// 12). docs/lanes.md has what came of it.
#include <cstdint>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "lane_network.hpp"
#include "table.hpp"

namespace {

using namespace heddle::bench;

/// For --help.
constexpr const char* kPurpose =
    "Regions that order by lanes, in virtual time (MODELLED): latency, components and what "
    "waits (Detock, figures 6 to 9 and 12). docs/lanes.md has what came of it.";

std::vector<Table::Column> columns() {
    return {{"ordering"},         {"hot_objects", 0},   {"multi_home_%", 0}, {"jitter_ms", 0},
            {"overshoot_ms", 0},  {"asymmetry_%", 0},   {"offered/s", 0},    {"ordered/s", 0},
            {"single_p50_ms", 1}, {"single_p99_ms", 1}, {"multi_p50_ms", 1}, {"multi_p99_ms", 1},
            {"all_p50_ms", 1},    {"block_p50_ms", 1},  {"block_p99_ms", 1}, {"components", 0},
            {"in_them_%", 2},     {"largest", 0},       {"most_waiting", 0}, {"rejected", 0}};
}

void run(Table& table, const LaneNetwork& network) {
    const LaneNetworkResult result = simulate(network);
    table.add({std::string{to_string(network.ordering)},
               static_cast<double>(network.hot_objects),
               static_cast<double>(network.multi_home_percent),
               network.jitter_ms,
               network.overshoot_ms,
               network.asymmetry * 100,
               network.transactions_per_second,
               result.ordered_per_second,
               result.single_home.p50_ms,
               result.single_home.p99_ms,
               result.multi_home.p50_ms,
               result.multi_home.p99_ms,
               result.all.p50_ms,
               result.block.p50_ms,
               result.block.p99_ms,
               static_cast<double>(result.components),
               result.in_components_percent,
               static_cast<double>(result.largest_component),
               static_cast<double>(result.most_waiting),
               static_cast<double>(result.rejected)});
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    LaneNetwork base;
    base.seed = arguments.number("seed", 1, "what a run follows from");
    base.seconds =
        static_cast<double>(arguments.number("milliseconds", 3'000, "virtual time of a run")) / 1e3;
    base.transactions_per_second = static_cast<double>(
        arguments.number("rate", 20'000, "transactions a second, all regions together"));
    const auto shares =
        arguments.numbers("multi-home", {0, 10, 50, 100}, "percent of transactions with two homes");
    const auto hot = arguments.numbers("hot", {10'000, 400, 100},
                                       "objects of a region that its transactions write");
    const auto jitters = arguments.numbers("jitter", {1, 5, 10, 15, 25},
                                           "greatest random delay of a message, in milliseconds");
    const auto overshoots = arguments.numbers(
        "overshoot", {0, 2, 10},
        "what is added to the time at which a transaction is due, in milliseconds");
    const auto asymmetries = arguments.numbers("asymmetry", {50, 60, 70, 80},
                                               "percent of a round trip that one direction takes");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    Tables tables;
    Table& sharing = tables.add("by share of transactions with two homes", columns());
    for (const std::uint64_t objects : hot)
        for (const std::uint64_t share : shares)
            for (const Ordering ordering : {Ordering::global, Ordering::replicated, Ordering::slog,
                                            Ordering::lanes, Ordering::opportunistic}) {
                LaneNetwork network = base;
                network.ordering = ordering;
                network.hot_objects = static_cast<std::uint32_t>(objects);
                network.multi_home_percent = static_cast<std::uint32_t>(share);
                run(sharing, network);
            }
    Table& jitter = tables.add("by jitter and overshoot", columns());
    for (const std::uint64_t ms : jitters)
        for (const std::uint64_t overshoot : overshoots) {
            LaneNetwork network = base;
            network.jitter_ms = static_cast<double>(ms);
            network.overshoot_ms = static_cast<double>(overshoot);
            run(jitter, network);
        }
    Table& asymmetry = tables.add("by asymmetry of delays", columns());
    for (const std::uint64_t percent : asymmetries) {
        LaneNetwork network = base;
        network.asymmetry = static_cast<double>(percent) / 100;
        run(asymmetry, network);
    }
    tables.write_json(json);
    return 0;
}
