// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Merging of ordered logs alone: entries a second by the share of transactions with several homes,
// and one component of any size (Detock's worst case: every transaction on the same two objects).
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <consensus_adapter/lanes/merger.hpp>
#include <measure/statistics.hpp>
#include <workload/random.hpp>

#include "arguments.hpp"
#include "table.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::consensus_adapter::lanes;
using measure::median;
using workload::Random;

/// For --help.
constexpr const char* kPurpose =
    "Merging of ordered logs alone: entries a second by the share of transactions with "
    "several homes, and one component of any size (Detock).";

struct Settings {
    std::size_t lanes = 0;
    std::size_t entries = 0;
    std::size_t entries_per_cut = 0;
    std::uint64_t repetitions = 0;
    std::uint64_t seed = 0;
};

struct Pattern {
    std::uint64_t multi_home_percent = 0;
    std::uint32_t accesses = 0;  // of a transaction, all lanes together; half of them exclusive
    std::uint32_t objects = 0;   // of a lane
};

/// What each cut takes of each lane.
using Cuts = std::vector<std::vector<MergeBlock>>;

Hash digest_of(std::uint64_t number) {
    Hash hash;
    std::memcpy(hash.bytes.data(), &number, sizeof number);
    return hash;
}

ObjectId object_of(std::size_t lane, std::uint32_t number) {
    return {address_from_low64(lane << 32 | number), ObjectKind::balance, {}};
}

LaneSet lanes_of(std::initializer_list<std::size_t> lanes) {
    LaneSet result;
    for (const std::size_t lane : lanes)
        result.add(static_cast<LaneNumber>(lane));
    return result;
}

/// Every transaction has both entries in one cut, at about the same place of both logs.
Cuts make_cuts(const Settings& settings, const Pattern& pattern) {
    Random random(settings.seed);
    Cuts cuts;
    std::size_t in_cut = settings.entries_per_cut;
    std::uint64_t number = 0;
    std::vector<LaneAccess> accesses;
    for (std::size_t made = 0; made < settings.entries;) {
        if (in_cut >= settings.entries_per_cut) {
            cuts.emplace_back(settings.lanes);
            in_cut = 0;
        }
        const std::size_t first = random.below(std::uint32_t(settings.lanes));
        const bool is_multi_home =
            settings.lanes > 1 && random.below(100) < pattern.multi_home_percent;
        const std::size_t second =
            is_multi_home
                ? (first + 1 + random.below(std::uint32_t(settings.lanes - 1))) % settings.lanes
                : first;
        const std::uint32_t share = pattern.accesses / (is_multi_home ? 2 : 1);
        ++number;
        MergeEntry entry{{number, static_cast<LaneNumber>(first)},
                         digest_of(number),
                         lanes_of({first, second}),
                         number};
        for (const std::size_t lane : {first, second}) {
            accesses.clear();
            for (std::uint32_t i = 0; i < share; ++i)
                accesses.push_back({object_of(lane, random.below(pattern.objects)), i % 2 == 0});
            cuts.back()[lane].add(entry, accesses);
            entry.content = 0;
            ++made;
            ++in_cut;
            if (!is_multi_home) break;
        }
    }
    return cuts;
}

struct Run {
    double seconds = 0;
    std::uint64_t transactions = 0;
    std::uint64_t components = 0;
    std::uint64_t largest = 0;
    MergeWork work;
};

/// Of this thread: what others do beside it does not count.
double processor_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Run run(const Settings& settings, const Cuts& cuts) {
    MergeRules rules;
    rules.lane_count = settings.lanes;
    Merger merger(rules);
    std::vector<std::vector<const MergeBlock*>> lanes(settings.lanes);
    Run result;
    const double begin = processor_seconds();
    for (const auto& cut : cuts) {
        for (std::size_t lane = 0; lane < settings.lanes; ++lane)
            lanes[lane] = {&cut[lane]};
        const MergedCut merged = merger.merge(lanes);
        result.transactions += merged.order.size();
        result.components += merged.components;
        result.largest = std::max(result.largest, merged.largest_component);
    }
    result.seconds = processor_seconds() - begin;
    result.work = merger.work();
    return result;
}

void measure_entries(Table& table, const Settings& settings, const Pattern& pattern) {
    const Cuts cuts = make_cuts(settings, pattern);
    std::vector<double> seconds;
    Run last;
    for (std::uint64_t i = 0; i <= settings.repetitions; ++i) {
        last = run(settings, cuts);
        if (i != 0) seconds.push_back(last.seconds);
    }
    const auto entries = static_cast<double>(last.work.entries);
    table.add({static_cast<double>(pattern.multi_home_percent),
               static_cast<double>(pattern.accesses), static_cast<double>(pattern.objects), entries,
               median(seconds) * 1e9 / entries, entries / median(seconds) / 1e6,
               static_cast<double>(last.components), static_cast<double>(last.largest)});
}

/// Two lanes that have the same transactions in opposite orders, all on one object each.
void measure_component(Table& table, const Settings& settings, std::size_t size) {
    Cuts cuts(1, std::vector<MergeBlock>(2));
    for (std::size_t lane = 0; lane < 2; ++lane) {
        const LaneAccess hot{object_of(lane, 0), true};
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint64_t number = lane == 0 ? i + 1 : size - i;
            cuts[0][lane].add({{number, 0}, digest_of(number), lanes_of({0, 1}), number},
                              {&hot, 1});
        }
    }
    Settings two = settings;
    two.lanes = 2;
    std::vector<double> seconds;
    Run last;
    for (std::uint64_t i = 0; i <= settings.repetitions; ++i) {
        last = run(two, cuts);
        if (i != 0) seconds.push_back(last.seconds);
    }
    table.add({static_cast<double>(size), static_cast<double>(last.largest), median(seconds) * 1e3,
               median(seconds) * 1e9 / static_cast<double>(size),
               static_cast<double>(last.work.visits + last.work.edge_visits) /
                   static_cast<double>(size)});
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    Settings settings;
    settings.lanes = arguments.number("lanes", 4, "lanes");
    settings.entries = arguments.number("entries", 2'000'000, "entries of a run");
    settings.entries_per_cut =
        arguments.number("entries-per-cut", 10'000, "entries that are merged at a time");
    settings.repetitions =
        arguments.number("repetitions", 5, "runs of each, of which the median counts");
    settings.seed = arguments.number("seed", 1, "what entries follow from");
    const auto shares =
        arguments.numbers("multi-home", {0, 10, 50, 100}, "percent of transactions with two homes");
    const auto accesses = arguments.numbers("accesses", {2, 4, 10}, "objects of a transaction");
    const auto objects = arguments.numbers("objects", {10'000, 1'000'000}, "objects of a lane");
    const auto components = arguments.numbers("components", {1'000, 10'000, 100'000, 1'000'000},
                                              "transactions of the one component");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    Tables tables;
    Table& merging =
        tables.add("merging entries of several lanes, one thread", {{"multi_home_%", 0},
                                                                    {"accesses", 0},
                                                                    {"objects", 0},
                                                                    {"entries", 0},
                                                                    {"ns", 1},
                                                                    {"Mentries/s", 2},
                                                                    {"components", 0},
                                                                    {"largest", 0}});
    for (const std::uint64_t count : accesses)
        for (const std::uint64_t universe : objects)
            for (const std::uint64_t share : shares)
                measure_entries(merging, settings,
                                {share, static_cast<std::uint32_t>(count),
                                 static_cast<std::uint32_t>(universe)});
    Table& worst = tables.add("one component: every transaction on the same two objects",
                              {{"transactions", 0},
                               {"component", 0},
                               {"ms", 2},
                               {"ns", 1},
                               {"steps_per_transaction", 2}});
    for (const std::uint64_t size : components)
        measure_component(worst, settings, size);
    tables.write_json(json);
    return 0;
}
