// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The dispatcher alone: enqueue and completion per transaction with no work in between, against
// DORADD's scheme on the same stream in the same run (DORADD §5.4). bench/README.md has the method.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <measure/statistics.hpp>

#include "access_stream.hpp"
#include "arguments.hpp"
#include "dag_dispatcher.hpp"
#include "dispatch_flow.hpp"
#include "doradd_dispatcher.hpp"
#include "pipeline.hpp"
#include "table.hpp"

namespace {

using namespace heddle::bench;
using namespace heddle::measure;

/// For --help.
constexpr const char* kPurpose =
    "The dispatcher alone: enqueue and completion per transaction with no work in between, "
    "against DORADD's scheme on the same stream (DORADD §5.4).";

struct Settings {
    std::size_t transactions = 0;
    std::uint64_t repetitions = 0;
    std::size_t in_flight = 0;
    std::size_t look_ahead = 0;
    std::uint64_t batch = 0;
    std::uint64_t seed = 0;
    std::uint32_t objects = 0;          // where they are not varied
    std::vector<std::uint64_t> sizes;   // numbers of objects
    std::vector<std::uint64_t> per_tx;  // objects a transaction
};

constexpr std::uint64_t kUsualPerTx = 10;  // where they are not varied

/// What the repetitions of one scheme gave, in nanoseconds per transaction.
struct Samples {
    std::vector<double> wall;
    std::vector<double> dispatching;
};

template <typename Dispatcher>
class Contender {
public:
    Contender(const AccessPattern& pattern, unsigned threads)
        : dispatcher_(pattern.objects, kFlowWindow, pattern.objects_per_tx), threads_(threads) {}

    void run(const AccessStream& stream, const FlowOptions& options, Samples* samples) {
        const FlowTime time = threads_ == 1
                                  ? run_in_one_thread(dispatcher_, stream, options, position_)
                                  : run_in_two_threads(dispatcher_, stream, options, position_);
        if (samples == nullptr) return;
        const auto count = static_cast<double>(stream.size());
        samples->wall.push_back(static_cast<double>(time.wall_ns) / count);
        samples->dispatching.push_back(static_cast<double>(time.dispatching_ns) / count);
    }

private:
    Dispatcher dispatcher_;
    unsigned threads_;
    std::uint64_t position_ = 1;
};

/// All schemes in turn, repetition by repetition.
void compare(Table& table, const Settings& settings, const AccessPattern& pattern, unsigned threads,
             bool has_prefetch) {
    const AccessStream stream(pattern, settings.transactions);
    const FlowOptions options{settings.in_flight, has_prefetch ? settings.look_ahead : 0};
    Contender<AllEdgesDispatcher> all_edges(pattern, threads);
    Contender<DagDispatcher> dag(pattern, threads);
    Contender<DoraddDispatcher> doradd(pattern, threads);
    Samples all_edges_samples;
    Samples dag_samples;
    Samples doradd_samples;
    for (std::uint64_t i = 0; i <= settings.repetitions; ++i) {
        const bool is_warm = i != 0;
        all_edges.run(stream, options, is_warm ? &all_edges_samples : nullptr);
        dag.run(stream, options, is_warm ? &dag_samples : nullptr);
        doradd.run(stream, options, is_warm ? &doradd_samples : nullptr);
    }
    table.add({static_cast<double>(pattern.objects), static_cast<double>(pattern.objects_per_tx),
               static_cast<double>(pattern.hot_per_tx), static_cast<double>(threads),
               has_prefetch ? "yes" : "no", median(all_edges_samples.wall),
               median(dag_samples.wall), median(doradd_samples.wall),
               median(dag_samples.dispatching), median(doradd_samples.dispatching),
               median(ratios(doradd_samples.wall, all_edges_samples.wall)),
               median(ratios(doradd_samples.wall, dag_samples.wall))});
}

std::vector<Table::Column> comparison_columns() {
    return {{"objects", 0},     {"per_tx", 0},          {"hot", 0},
            {"threads", 0},     {"prefetch"},           {"all_edges_ns", 1},
            {"dag_ns", 1},      {"doradd_ns", 1},       {"dag_disp", 1},
            {"doradd_disp", 1}, {"all_edges_ratio", 2}, {"ratio", 2}};
}

void run_pipelines(Table& table, const Settings& settings, const AccessPattern& pattern,
                   NameIndex& index) {
    struct Variant {
        unsigned stages;
        bool has_prefetch;
    };
    const AccessStream stream(pattern, settings.transactions);
    DagDispatcher dispatcher(pattern.objects, kFlowWindow, pattern.objects_per_tx);
    std::uint64_t position = 1;
    const std::vector<Variant> variants = {{1, false}, {1, true}, {2, true}, {3, true}};
    std::vector<std::unique_ptr<Pipeline<DagDispatcher>>> pipelines;
    pipelines.reserve(variants.size());
    for (const Variant& variant : variants)
        pipelines.push_back(std::make_unique<Pipeline<DagDispatcher>>(
            dispatcher, index, stream,
            PipelineOptions{variant.stages, variant.has_prefetch, settings.batch,
                            settings.in_flight}));
    std::vector<std::vector<double>> samples(variants.size());
    for (std::uint64_t i = 0; i <= settings.repetitions; ++i)
        for (std::size_t v = 0; v < variants.size(); ++v) {
            const std::uint64_t took = pipelines[v]->run(position);
            if (i != 0)
                samples[v].push_back(static_cast<double>(took) /
                                     static_cast<double>(stream.size()));
        }
    for (std::size_t v = 0; v < variants.size(); ++v) {
        const double ns = median(samples[v]);
        table.add({static_cast<double>(pattern.objects),
                   static_cast<double>(pattern.objects_per_tx),
                   static_cast<double>(variants[v].stages), variants[v].has_prefetch ? "yes" : "no",
                   ns, 1e3 / ns, median(samples[0]) / ns});
    }
}

/// With `objects_per_tx` of them a transaction.
AccessPattern pattern_of(const Settings& settings, std::uint64_t objects,
                         std::uint64_t objects_per_tx, std::uint32_t hot = 0) {
    AccessPattern pattern;
    pattern.objects = static_cast<std::uint32_t>(objects);
    pattern.objects_per_tx = static_cast<std::uint32_t>(objects_per_tx);
    pattern.hot_per_tx = hot;
    pattern.seed = settings.seed;
    return pattern;
}

void measure_contention(Tables& tables, const Settings& settings) {
    Table& table =
        tables.add("dispatcher alone, ns per transaction, by contention", comparison_columns());
    for (const unsigned threads : {1U, 2U})
        for (const bool has_prefetch : {false, true})
            for (const std::uint32_t hot : {0U, 3U, 7U})
                compare(table, settings, pattern_of(settings, settings.objects, kUsualPerTx, hot),
                        threads, has_prefetch);
}

void measure_sizes(Tables& tables, const Settings& settings) {
    Table& table =
        tables.add("dispatcher alone, ns per transaction, by size", comparison_columns());
    for (const std::uint64_t size : settings.sizes)
        compare(table, settings, pattern_of(settings, size, kUsualPerTx), 1, true);
    for (const std::uint64_t count : settings.per_tx)
        compare(table, settings, pattern_of(settings, settings.objects, count), 1, true);
}

void measure_pipelines(Tables& tables, const Settings& settings) {
    Table& table = tables.add("pipeline of the dispatcher, names looked up, ns per transaction",
                              {{"objects", 0},
                               {"per_tx", 0},
                               {"stages", 0},
                               {"prefetch"},
                               {"ns", 1},
                               {"Mtx/s", 2},
                               {"speedup", 2}});
    for (const std::uint64_t size : settings.sizes) {
        NameIndex index(static_cast<std::uint32_t>(size));
        run_pipelines(table, settings, pattern_of(settings, size, kUsualPerTx), index);
    }
    NameIndex index(settings.objects);
    for (const std::uint64_t count : settings.per_tx)
        run_pipelines(table, settings, pattern_of(settings, settings.objects, count), index);
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    Settings settings;
    settings.transactions = arguments.number("transactions", 1'000'000, "transactions of a run");
    settings.repetitions =
        arguments.number("repetitions", 5, "runs of each, of which the median counts");
    settings.in_flight = arguments.number("in-flight", 1024, "transactions in flight");
    settings.look_ahead =
        arguments.number("look-ahead", 8, "transactions between prefetch and use");
    settings.batch =
        arguments.number("batch", 64, "transactions that a stage of the pipeline hands on");
    settings.seed = arguments.number("seed", 1, "what accesses follow from");
    settings.objects = static_cast<std::uint32_t>(
        arguments.number("objects", 10'000'000, "objects where their number is not what varies"));
    settings.sizes = arguments.numbers(
        "sizes", {10'000, 100'000, 1'000'000, 10'000'000, 64'000'000}, "numbers of objects");
    settings.per_tx = arguments.numbers("per-tx", {2, 5, 10, 15, 20}, "objects of a transaction");
    const auto parts =
        arguments.texts("parts", {"contention", "sweep", "pipeline"}, "what is measured");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    const auto has_part = [&](const char* part) {
        return std::ranges::find(parts, part) != parts.end();
    };
    Tables tables;
    if (has_part("contention")) measure_contention(tables, settings);
    if (has_part("sweep")) measure_sizes(tables, settings);
    if (has_part("pipeline")) measure_pipelines(tables, settings);
    tables.write_json(json);
    return 0;
}
