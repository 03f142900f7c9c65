// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Parallel executors against the serial one: the same blocks, in turn, in one run; wall time from
// begin_block() to drain(), senders known, state in memory, no tries. Generated chains and the 27
// witness blocks of HEDDLE_FIXTURES. bench/README.md has the method.
#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <executor/executor.hpp>
#include <measure/statistics.hpp>
#include <types/assert.hpp>
#include <workload/scenario.hpp>

#include "arguments.hpp"
#include "benchmark/chains.hpp"
#include "benchmark/flat_sink.hpp"
#include "fixtures.hpp"
#include "machine.hpp"
#include "measured_block.hpp"
#include "table.hpp"
#include "witness_folder.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::measure;
using node::benchmark::Chain;
using node::benchmark::ChainPlan;
using node::benchmark::FlatSink;
using node::benchmark::make_state;

using ObjectSets = std::vector<ObjectSet>;

/// For --help.
constexpr const char* kPurpose =
    "Parallel executors against the serial one: the same blocks, in turn; senders known, "
    "state in memory, no tries.";

/// The chains of the benchmark, from those where nothing conflicts to those where everything does.
const std::vector<std::string>& chain_names() {
    static const std::vector<std::string> names = {"transfers", "neighbours", "erc20", "chain",
                                                   "hot-slot",  "amm",        "mixed"};
    return names;
}

Chain make_chain(const std::string& name, const ChainPlan& plan) {
    const auto scenario = workload::parse_scenario(name);
    if (scenario) return node::benchmark::make_chain(*scenario, plan);
    std::fprintf(stderr, "%s\n", scenario.error().c_str());
    std::exit(2);
}

/// One way of running blocks; its machines and caches of code stay warm.
class Runner {
public:
    /// No workers: the serial executor.
    Runner(unsigned workers, const std::string& knowledge, bool always_in_dag = false,
           bool makes_lists = false,
           std::string scheduler = std::string{executor::kDefaultScheduler})
        : workers_(workers), knowledge_(knowledge), scheduler_(std::move(scheduler)) {
        executor::Options options;
        options.make_access_lists = makes_lists;
        options.parallel.workers = workers;
        options.parallel.pin_threads = true;
        options.parallel.run_chains_inline = !always_in_dag;
        options.parallel.knowledge = knowledge == "values"     ? executor::Knowledge::values
                                     : knowledge == "declared" ? executor::Knowledge::declared
                                     : knowledge == "hinted"   ? executor::Knowledge::hinted
                                                               : executor::Knowledge::unknown;
        executor_ = executor::make_executor(
            workers == 0 ? executor::kSerialScheduler : std::string_view{scheduler_},
            std::move(options));
    }

    [[nodiscard]] unsigned workers() const noexcept { return workers_; }
    [[nodiscard]] const std::string& knowledge() const noexcept { return knowledge_; }
    [[nodiscard]] const std::string& scheduler() const noexcept { return scheduler_; }
    [[nodiscard]] const executor::ParallelStats& counts() const noexcept {
        return summary_.stats.parallel;
    }

    /// @return milliseconds.
    double run(const Chain& chain) {
        ledger::MemoryState state = make_state(chain.genesis);
        FlatSink sink(state);
        const node::KnownHashes hashes(chain.hashes);
        executor_->start(
            {.config = chain.genesis.config, .state = state, .block_hashes = hashes, .sink = sink},
            executor::make_chain_head(chain.first));
        std::vector<executor::OrderedBlock> blocks;
        for (std::size_t i = 0; i < chain.blocks.size(); ++i) {
            blocks.push_back(
                declare(executor::make_ordered_block(chain.blocks[i]), chain.object_sets[i]));
            if (knowledge_ == "values") blocks.back().start.access_list = chain.access_lists[i];
        }
        const std::uint64_t start = now_ns();
        for (executor::OrderedBlock& block : blocks)
            HEDDLE_ASSERT(executor::run(*executor_, std::move(block)).has_value());
        return finish(start);
    }
    double run(const node::Witness& witness, const WitnessKnowledge& known) {
        node::DiscardingSink sink;
        const node::KnownHashes hashes(witness.block_hashes);
        executor_->start({.config = mainnet_config(),
                          .state = witness.state,
                          .block_hashes = hashes,
                          .sink = sink},
                         {});
        executor::OrderedBlock block =
            declare(node::make_ordered_block(witness), known.object_sets);
        if (knowledge_ == "values") block.start.access_list = known.access_list;
        const std::uint64_t start = now_ns();
        HEDDLE_ASSERT(executor::run(*executor_, std::move(block)).has_value());
        return finish(start);
    }

private:
    [[nodiscard]] executor::OrderedBlock declare(executor::OrderedBlock block,
                                                 ObjectSets sets) const {
        if (knowledge_ == "declared") block.object_sets = std::move(sets);
        return block;
    }
    double finish(std::uint64_t start) {
        auto summary = executor_->drain();
        const std::uint64_t end = now_ns();
        HEDDLE_ASSERT(summary.has_value());
        summary_ = *std::move(summary);
        return static_cast<double>(end - start) / 1e6;
    }

    unsigned workers_;
    std::string knowledge_;
    std::string scheduler_;
    std::unique_ptr<executor::Executor> executor_;
    executor::Summary summary_;
};

using Runners = std::vector<std::unique_ptr<Runner>>;

/// Milliseconds by runner, then repetition; all runners in turn, after one round to warm up.
template <typename Run>
std::vector<std::vector<double>> alternate(const Runners& runners, std::uint64_t repetitions,
                                           Run&& run) {
    std::vector<std::vector<double>> samples(runners.size());
    for (std::uint64_t i = 0; i <= repetitions; ++i)
        for (std::size_t r = 0; r < runners.size(); ++r) {
            const double ms = run(*runners[r]);
            if (i != 0) samples[r].push_back(ms);
        }
    return samples;
}

void measure_chain(Table& table, const Runners& runners, const Chain& chain,
                   std::uint64_t repetitions) {
    const auto samples =
        alternate(runners, repetitions, [&](Runner& runner) { return runner.run(chain); });
    const auto count = static_cast<double>(chain.transaction_count());
    for (std::size_t r = 1; r < runners.size(); ++r) {
        const double ms = median(samples[r]);
        const executor::ParallelStats& counts = runners[r]->counts();
        table.add({chain.name, runners[r]->scheduler(), runners[r]->knowledge(),
                   static_cast<double>(runners[r]->workers()), median(samples[0]), ms,
                   median(ratios(samples[0], samples[r])), count / ms,
                   static_cast<double>(counts.edges), static_cast<double>(counts.in_order),
                   static_cast<double>(counts.repaired), static_cast<double>(counts.stopped),
                   static_cast<double>(counts.taken_back), static_cast<double>(counts.suspended)});
    }
}

void measure_witnesses(Tables& tables, const Runners& runners,
                       const std::vector<node::Witness>& witnesses, std::uint64_t repetitions) {
    std::vector<Table::Column> columns = {{"block"}, {"txs", 0}, {"serial_ms", 3}};
    for (std::size_t r = 1; r < runners.size(); ++r)
        columns.push_back({runners[r]->scheduler() + "_" + runners[r]->knowledge() + "_" +
                               std::to_string(runners[r]->workers()),
                           2});
    Table& table = tables.add("witness blocks, serial time over parallel time", columns);
    std::vector<std::vector<double>> totals(runners.size(), std::vector<double>(repetitions));
    std::vector<double> least(runners.size(), 1e9);
    double count = 0;
    for (const node::Witness& witness : witnesses) {
        const node::KnownHashes hashes(witness.block_hashes);
        const WitnessKnowledge known = record_knowledge(mainnet_config(), witness, hashes);
        const auto samples = alternate(runners, repetitions,
                                       [&](Runner& runner) { return runner.run(witness, known); });
        Table::Row row = {std::to_string(witness.block.header.number),
                          static_cast<double>(witness.block.transactions.size()),
                          median(samples[0])};
        count += static_cast<double>(witness.block.transactions.size());
        for (std::size_t r = 0; r < runners.size(); ++r) {
            for (std::size_t i = 0; i < repetitions; ++i)
                totals[r][i] += samples[r][i];
            if (r == 0) continue;
            const double ratio = median(ratios(samples[0], samples[r]));
            least[r] = std::min(least[r], ratio);
            row.emplace_back(ratio);
        }
        table.add(std::move(row));
    }
    Table::Row all = {"all", count, median(totals[0])};
    Table::Row worst = {"least", 0.0, 0.0};
    for (std::size_t r = 1; r < runners.size(); ++r) {
        all.emplace_back(median(ratios(totals[0], totals[r])));
        worst.emplace_back(least[r]);
    }
    table.add(std::move(all));
    table.add(std::move(worst));
}

/// What the processors give at best: serial executors, each with all of the blocks to itself, at
/// once. Where processors share caches, or are halves of one, that is less than their number.
void measure_ceiling(Table& table, const Chain& chain, unsigned count, std::uint64_t repetitions) {
    std::vector<std::unique_ptr<Runner>> runners;
    for (unsigned i = 0; i < count; ++i)
        runners.push_back(std::make_unique<Runner>(0, "declared"));
    const auto run_at_once = [&](unsigned threads) {
        std::barrier start(threads);
        std::vector<double> ms(threads);
        const auto run = [&](unsigned number) {
            executor::bind_this_thread(number);
            start.arrive_and_wait();
            ms[number] = runners[number]->run(chain);
        };
        {
            std::vector<std::jthread> others;
            for (unsigned number = 1; number < threads; ++number)
                others.emplace_back(run, number);
            run(0);
        }
        return std::ranges::max(ms);
    };
    std::vector<double> alone;
    std::vector<double> together;
    for (std::uint64_t i = 0; i <= repetitions; ++i) {
        const double one = run_at_once(1);
        const double all = run_at_once(count);
        if (i == 0) continue;  // to warm up
        alone.push_back(one);
        together.push_back(all);
    }
    table.add({chain.name, static_cast<double>(count), median(alone), median(together),
               count * median(ratios(alone, together))});
}

/// What making the access list adds to serial execution, and, beside it, hashing it.
class ListCosts {
public:
    explicit ListCosts(Table& table) : table_(table) {
        runners_.push_back(std::make_unique<Runner>(0, "declared"));
        runners_.push_back(std::make_unique<Runner>(0, "declared", false, true));
    }
    /// @param run    Milliseconds of a runner's run.
    /// @param lists  What it makes.
    template <typename Run>
    void measure(const std::string& name, std::uint64_t repetitions, std::span<const Bytes> lists,
                 Run&& run) {
        const auto samples = alternate(runners_, repetitions, run);
        std::vector<double> hashing;
        double bytes = 0;
        for (std::uint64_t i = 0; i < repetitions; ++i) {
            const std::uint64_t start = now_ns();
            for (const Bytes& list : lists)
                wanted_ = wanted_ ^ keccak256(list).bytes[0];
            hashing.push_back(static_cast<double>(now_ns() - start) / 1e6);
        }
        for (const Bytes& list : lists)
            bytes += static_cast<double>(list.size());
        const double serial = median(samples[0]);
        table_.add({name, serial, median(samples[1]),
                    100 * (1 / median(ratios(samples[0], samples[1])) - 1),
                    100 * median(hashing) / serial, bytes / 1e3});
    }

private:
    Table& table_;
    Runners runners_;
    volatile int wanted_ = 0;  // so that hashes are computed
};

void measure_list_costs(Table& table, const std::vector<std::string>& names, const ChainPlan& plan,
                        const std::vector<node::Witness>& witnesses, std::uint64_t repetitions) {
    ListCosts costs(table);
    for (const std::string& name : names) {
        const Chain chain = make_chain(name, plan);
        costs.measure(name, repetitions, chain.access_lists,
                      [&](Runner& runner) { return runner.run(chain); });
    }
    std::vector<WitnessKnowledge> known;
    std::vector<Bytes> lists;
    for (const node::Witness& witness : witnesses) {
        const node::KnownHashes hashes(witness.block_hashes);
        known.push_back(record_knowledge(mainnet_config(), witness, hashes));
        lists.push_back(known.back().access_list);
    }
    if (witnesses.empty()) return;
    costs.measure("witness blocks", repetitions, lists, [&](Runner& runner) {
        double ms = 0;
        for (std::size_t i = 0; i < witnesses.size(); ++i)
            if (!known[i].access_list.empty()) ms += runner.run(witnesses[i], known[i]);
        return ms;
    });
}

/// What the DAG executor does besides executing, per plain transfer: one worker that takes every
/// transaction through the DAG, less what validation and execution take alone.
void measure_overhead(Table& table, const Chain& chain, std::uint64_t repetitions) {
    node::Witness first;
    first.block = chain.blocks.front();
    first.state = make_state(chain.genesis);
    first.block_hashes = chain.hashes;
    const BlockCosts costs =
        measure_block(chain.genesis.config, first, static_cast<unsigned>(repetitions), Cost::pure);
    const double execution = static_cast<double>(costs.graph.total_cost) /
                             static_cast<double>(first.block.transactions.size());
    for (const std::string knowledge : {"declared", "hinted", "unknown"}) {
        Runners runners;
        runners.push_back(std::make_unique<Runner>(0, "declared"));
        runners.push_back(std::make_unique<Runner>(1, knowledge, true));
        const auto samples =
            alternate(runners, repetitions, [&](Runner& runner) { return runner.run(chain); });
        const double scale = 1e6 / static_cast<double>(chain.transaction_count());
        const double serial = median(samples[0]) * scale;
        const double dag = median(samples[1]) * scale;
        table.add({knowledge, execution, serial, dag, dag - execution, dag - serial});
    }
}

/// What the arguments ask for.
struct Wanted {
    explicit Wanted(Arguments& arguments)
        : parts(arguments.texts("parts", {"chains", "witness", "overhead", "lists", "ceiling"},
                                "what is measured")),
          chains(arguments.texts("chains", chain_names(), "generated chains")),
          workers(arguments.numbers("workers", {1, 2}, "threads of the parallel executors")) {
        const bool has_lists =
            arguments.text("fork", "osaka", "rules of the generated chains: osaka or amsterdam") ==
            "amsterdam";
        knowledge = arguments.texts("knowledge", {"values", "declared", "hinted", "unknown"},
                                    "what the executors are told of accesses; light blocks, as "
                                    "those of transfers, are one thread's all the same");
        schedulers = arguments.texts("schedulers", {std::string{executor::kDefaultScheduler}},
                                     "parallel schedulers");
        repetitions = arguments.number("repetitions", repetitions,
                                       "runs of each, of which the median counts");
        plan.blocks = arguments.number("blocks", plan.blocks, "blocks of a chain");
        plan.transactions = static_cast<std::uint32_t>(
            arguments.number("txs", plan.transactions, "transactions of a block"));
        plan.seed = arguments.number("seed", plan.seed, "what the chains follow from");
        plan.revision = has_lists ? Revision::amsterdam : Revision::osaka;
        csv = arguments.text("csv", "", "also write the table to this file, as CSV");
        json = arguments.text("json", "", "also write the tables to this file, as JSON");
        arguments.finish();
    }
    [[nodiscard]] bool has(const char* part) const {
        return std::ranges::find(parts, part) != parts.end();
    }

    std::vector<std::string> parts;
    std::vector<std::string> chains;
    std::vector<std::uint64_t> workers;
    std::vector<std::string> knowledge;
    std::vector<std::string> schedulers;
    std::uint64_t repetitions = 9;
    ChainPlan plan;
    std::string csv;
    std::string json;
};

Runners make_runners(const Wanted& wanted) {
    Runners runners;
    runners.push_back(std::make_unique<Runner>(0, "declared"));
    for (const std::string& scheduler : wanted.schedulers)
        for (const std::string& level : wanted.knowledge)
            for (const std::uint64_t count : wanted.workers)
                runners.push_back(std::make_unique<Runner>(static_cast<unsigned>(count), level,
                                                           false, false, scheduler));
    return runners;
}

void add_chains(Tables& tables, const Runners& runners, const Wanted& wanted) {
    Table& table = tables.add("generated chains, milliseconds from begin_block() to drain()",
                              {{"chain"},
                               {"scheduler"},
                               {"knowledge"},
                               {"workers", 0},
                               {"serial_ms", 2},
                               {"parallel_ms", 2},
                               {"ratio", 2},
                               {"ktps", 0},
                               {"edges", 0},
                               {"in_order", 0},
                               {"repaired", 0},
                               {"stopped", 0},
                               {"taken_back", 0},
                               {"suspended", 0}});
    for (const std::string& name : wanted.chains)
        measure_chain(table, runners, make_chain(name, wanted.plan), wanted.repetitions);
    if (!wanted.csv.empty()) table.write_csv(wanted.csv);
}

void add_ceiling(Tables& tables, const Wanted& wanted) {
    Table& table = tables.add(
        "what the processors give at best: serial executors at once",
        {{"chain"}, {"executors", 0}, {"alone_ms", 2}, {"together_ms", 2}, {"speed-up", 2}});
    for (const std::string& name : wanted.chains)
        for (const std::uint64_t count : wanted.workers)
            if (count > 1)
                measure_ceiling(table, make_chain(name, wanted.plan), static_cast<unsigned>(count),
                                wanted.repetitions);
}

void add_overhead(Tables& tables, const Wanted& wanted) {
    Table& table = tables.add("one worker, ns per plain transfer", {{"knowledge"},
                                                                    {"execution", 0},
                                                                    {"serial", 0},
                                                                    {"dag", 0},
                                                                    {"dag-execution", 0},
                                                                    {"dag-serial", 0}});
    measure_overhead(table, make_chain("transfers", wanted.plan), wanted.repetitions);
}

void add_list_costs(Tables& tables, const std::vector<node::Witness>& witnesses,
                    const Wanted& wanted) {
    Table& table = tables.add("what access lists add to serial execution", {{"blocks"},
                                                                            {"serial_ms", 2},
                                                                            {"with_lists_ms", 2},
                                                                            {"making_%", 1},
                                                                            {"hashing_%", 1},
                                                                            {"kB", 0}});
    ChainPlan plan = wanted.plan;
    plan.revision = Revision::osaka;
    measure_list_costs(table, wanted.chains, plan, witnesses, wanted.repetitions);
}

}  // namespace

int main(int argc, char** argv) {
    heddle::executor::bind_this_thread(0);
    Arguments arguments(argc, argv, kPurpose);
    const Wanted wanted(arguments);
    const Runners runners = make_runners(wanted);

    Tables tables;
    if (wanted.has("chains")) add_chains(tables, runners, wanted);
    if (wanted.has("ceiling")) add_ceiling(tables, wanted);
    if (wanted.has("overhead")) add_overhead(tables, wanted);
    std::vector<node::Witness> witnesses;
    if (wanted.has("witness") || wanted.has("lists")) {
        if (const auto folder = test::fixture_archive("mainnet"))
            witnesses = load_witnesses(*folder);
        else
            std::printf("%s\n", test::missing_fixture_message("mainnet").c_str());
    }
    if (wanted.has("witness") && !witnesses.empty())
        measure_witnesses(tables, runners, witnesses, wanted.repetitions);
    if (wanted.has("lists")) add_list_costs(tables, witnesses, wanted);
    tables.write_json(wanted.json);
    return 0;
}
