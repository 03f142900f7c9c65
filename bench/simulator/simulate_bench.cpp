// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Exports the DAGs of the witness blocks with measured costs, and predicts their speed-up on 1 to
// 64 cores. Every figure but the costs is MODELLED. bench/README.md has the method.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <measure/list_scheduler.hpp>

#include "arguments.hpp"
#include "fixtures.hpp"
#include "graph_file.hpp"
#include "measured_block.hpp"
#include "table.hpp"
#include "witness_folder.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::measure;

/// For --help.
constexpr const char* kPurpose =
    "Exports the dependences of the witness blocks of HEDDLE_FIXTURES with measured costs, "
    "and predicts their speed-up on more cores. Every figure but the costs is MODELLED.";

std::vector<BlockCosts> read_graphs(const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    auto blocks = from_csv(text.str());
    if (!stream.good() || !blocks.has_value()) {
        std::fprintf(stderr, "%s: %s\n", file.c_str(),
                     stream.good() ? blocks.error().c_str() : "cannot be read");
        std::exit(1);
    }
    return *std::move(blocks);
}

std::vector<BlockCosts> measure_blocks(const std::filesystem::path& folder, unsigned repetitions) {
    std::vector<BlockCosts> blocks;
    for (const node::Witness& witness : load_witnesses(folder)) {
        blocks.push_back(measure_block(mainnet_config(), witness, repetitions));
        blocks.back().listed = measure_listed(mainnet_config(), witness, repetitions);
    }
    return blocks;
}

void write_text(const std::string& file, const std::string& text) {
    if (file.empty()) return;
    std::ofstream stream(file, std::ios::trunc);
    stream << text;
    stream.close();
    if (stream.good()) return;
    std::fprintf(stderr, "%s: cannot be written\n", file.c_str());
    std::exit(1);
}

double ratio(std::uint64_t serial, std::uint64_t parallel) {
    return parallel == 0 ? 1 : static_cast<double>(serial) / static_cast<double>(parallel);
}

/// All blocks one after another, each with a barrier behind it.
void add_totals(Tables& tables, const std::vector<BlockCosts>& blocks,
                const std::vector<std::uint64_t>& cores) {
    Table& table = tables.add("MODELLED makespan and speed-up of all blocks by cores, milliseconds",
                              {{"cores"},
                               {"stream_ms", 2},
                               {"stream", 2},
                               {"longest_ms", 2},
                               {"longest", 2},
                               {"bound", 2}});
    std::uint64_t serial = 0;
    std::uint64_t critical = 0;
    for (const BlockCosts& block : blocks) {
        serial += block.graph.total_cost;
        critical += block.graph.critical_cost;
    }
    for (const std::uint64_t count : cores) {
        std::uint64_t in_order = 0;
        std::uint64_t longest_first = 0;
        std::uint64_t bound = 0;
        for (const BlockCosts& block : blocks) {
            const auto workers = static_cast<unsigned>(count);
            in_order += schedule(block.graph, workers, Priority::stream_order).makespan;
            longest_first += schedule(block.graph, workers, Priority::longest_path).makespan;
            bound += executor::makespan_bound(block.graph, workers);
        }
        table.add({std::to_string(count), static_cast<double>(in_order) / 1e6,
                   ratio(serial, in_order), static_cast<double>(longest_first) / 1e6,
                   ratio(serial, longest_first), ratio(serial, bound)});
    }
    table.add({"unlimited", static_cast<double>(critical) / 1e6, ratio(serial, critical),
               static_cast<double>(critical) / 1e6, ratio(serial, critical),
               ratio(serial, critical)});
}

/// How long the block's transactions take from its list: what comes before the first one, then all
/// of them without any order, each dearer by what comparing with the list costs the whole block on
/// one core. What serial execution does beside its transactions is left out here as there.
std::uint64_t listed_makespan(const BlockCosts& block, unsigned cores) {
    const ListedCosts& listed = *block.listed;
    const std::uint64_t same = listed.serial + listed.prepare;
    const auto compare = static_cast<double>(listed.listed - std::min(same, listed.listed));
    const auto total = static_cast<double>(std::max<std::uint64_t>(block.graph.total_cost, 1));
    executor::BlockGraph graph;
    for (const std::uint64_t cost : block.graph.costs)
        graph.costs.push_back(
            static_cast<std::uint64_t>(static_cast<double>(cost) * (1 + compare / total)));
    return listed.prepare + schedule(graph, cores, Priority::stream_order).makespan;
}

/// What the model of execution from lists stands on.
void add_listed_blocks(Tables& tables, const std::vector<BlockCosts>& blocks) {
    Table& table = tables.add(
        "MEASURED on one core: whole blocks serially and from their access lists, milliseconds",
        {{"block"},
         {"txs", 0},
         {"txs_ms", 3},
         {"serial_ms", 3},
         {"prepare_ms", 3},
         {"listed_ms", 3},
         {"ratio", 2}});
    for (const BlockCosts& block : blocks) {
        if (!block.listed.has_value()) continue;
        const auto to_ms = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e6; };
        const ListedCosts& listed = *block.listed;
        table.add({std::to_string(block.number), static_cast<double>(block.graph.costs.size()),
                   to_ms(block.graph.total_cost), to_ms(listed.serial), to_ms(listed.prepare),
                   to_ms(listed.listed), ratio(listed.serial, listed.listed)});
    }
}

/// Blocks that have lists, from these and from their object sets.
void add_listed(Tables& tables, const std::vector<BlockCosts>& blocks,
                const std::vector<std::uint64_t>& cores) {
    Table& table = tables.add(
        "MODELLED makespan and speed-up from access lists, of blocks from Byzantium on, "
        "milliseconds",
        {{"cores"},
         {"serial_ms", 2},
         {"prepare_ms", 2},
         {"values_ms", 2},
         {"values", 2},
         {"declared_ms", 2},
         {"declared", 2}});
    for (const std::uint64_t count : cores) {
        const auto workers = static_cast<unsigned>(count);
        std::uint64_t serial = 0;
        std::uint64_t prepare = 0;
        std::uint64_t values = 0;
        std::uint64_t declared = 0;
        for (const BlockCosts& block : blocks) {
            if (!block.listed.has_value()) continue;
            serial += block.graph.total_cost;
            prepare += block.listed->prepare;
            values += listed_makespan(block, workers);
            declared += schedule(block.graph, workers, Priority::stream_order).makespan;
        }
        table.add({std::to_string(count), static_cast<double>(serial) / 1e6,
                   static_cast<double>(prepare) / 1e6, static_cast<double>(values) / 1e6,
                   ratio(serial, values), static_cast<double>(declared) / 1e6,
                   ratio(serial, declared)});
    }
}

void add_blocks(Tables& tables, const std::vector<BlockCosts>& blocks) {
    Table& table = tables.add("MODELLED speed-up of each block from measured costs, milliseconds",
                              {{"block"},
                               {"txs", 0},
                               {"edges", 0},
                               {"serial_ms", 3},
                               {"critical_ms", 3},
                               {"2_cores", 2},
                               {"2_longest", 2},
                               {"8_cores", 2},
                               {"unlimited", 2}});
    for (const BlockCosts& block : blocks) {
        const executor::BlockGraph& graph = block.graph;
        const auto speed_up = [&](unsigned cores, Priority priority) {
            return ratio(graph.total_cost, schedule(graph, cores, priority).makespan);
        };
        table.add(
            {std::to_string(block.number), static_cast<double>(graph.costs.size()),
             static_cast<double>(graph.edges.size()), static_cast<double>(graph.total_cost) / 1e6,
             static_cast<double>(graph.critical_cost) / 1e6, speed_up(2, Priority::stream_order),
             speed_up(2, Priority::longest_path), speed_up(8, Priority::stream_order),
             ratio(graph.total_cost, graph.critical_cost)});
    }
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    const auto repetitions = static_cast<unsigned>(
        arguments.number("repetitions", 9, "runs of each, of which the median counts"));
    const auto cores =
        arguments.numbers("cores", {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}, "numbers of cores");
    const std::string dag =
        arguments.text("dag", "", "blocks that were exported, in place of measured ones");
    const std::string csv =
        arguments.text("export", "", "also write the blocks to this file, as CSV");
    const std::string exported_json = arguments.text("export-json", "", "the same as JSON");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    const auto folder = dag.empty() ? test::fixture_archive("mainnet") : std::nullopt;
    if (dag.empty() && !folder) {
        std::printf("%s\n", test::missing_fixture_message("mainnet").c_str());
        return 0;
    }
    const std::vector<BlockCosts> blocks =
        folder.has_value() ? measure_blocks(*folder, repetitions) : read_graphs(dag);
    write_text(csv, to_csv(blocks));
    write_text(exported_json, to_json(blocks));

    Tables tables;
    add_blocks(tables, blocks);
    add_totals(tables, blocks, cores);
    if (dag.empty()) {  // graphs that were exported have no costs of lists
        add_listed_blocks(tables, blocks);
        add_listed(tables, blocks, cores);
    }
    tables.write_json(json);
    return 0;
}
