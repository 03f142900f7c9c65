// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Exports the DAGs of the witness blocks with measured costs, and predicts their speed-up on 1 to
// 64 cores. Every figure but the costs is MODELLED. bench/README.md has the method.
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "fixtures.hpp"
#include "graph_file.hpp"
#include "list_scheduler.hpp"
#include "measured_block.hpp"
#include "table.hpp"
#include "witness_folder.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;

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
void add_totals(Table& table, const std::vector<BlockCosts>& blocks,
                const std::vector<std::uint64_t>& cores) {
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

void add_blocks(Table& table, const std::vector<BlockCosts>& blocks) {
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
    Arguments arguments(argc, argv);
    const auto repetitions = static_cast<unsigned>(arguments.number("repetitions", 9));
    const auto cores = arguments.numbers("cores", {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64});
    const std::string dag = arguments.text("dag", "");
    const std::string csv = arguments.text("export", "");
    const std::string exported_json = arguments.text("export-json", "");
    const std::string json = arguments.text("json", "");
    arguments.finish();

    std::vector<BlockCosts> blocks;
    if (!dag.empty()) {
        blocks = read_graphs(dag);
    } else {
        const auto folder = test::fixture_archive("mainnet");
        if (!folder) {
            std::printf("%s\n", test::missing_fixture_message("mainnet").c_str());
            return 0;
        }
        for (const node::Witness& witness : load_witnesses(*folder))
            blocks.push_back(measure_block(mainnet_config(), witness, repetitions));
    }
    write_text(csv, to_csv(blocks));
    write_text(exported_json, to_json(blocks));

    Tables tables;
    Table& by_block = tables.add(
        "MODELLED speed-up of each block from measured costs, milliseconds", {{"block"},
                                                                              {"txs", 0},
                                                                              {"edges", 0},
                                                                              {"serial_ms", 3},
                                                                              {"critical_ms", 3},
                                                                              {"2_cores", 2},
                                                                              {"2_longest", 2},
                                                                              {"8_cores", 2},
                                                                              {"unlimited", 2}});
    add_blocks(by_block, blocks);
    Table& totals = tables.add(
        "MODELLED makespan and speed-up of all blocks by cores, milliseconds", {{"cores"},
                                                                                {"stream_ms", 2},
                                                                                {"stream", 2},
                                                                                {"longest_ms", 2},
                                                                                {"longest", 2},
                                                                                {"bound", 2}});
    add_totals(totals, blocks, cores);
    tables.write_json(json);
    return 0;
}
