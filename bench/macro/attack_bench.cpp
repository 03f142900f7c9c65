// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What attacks on speculation cost: valid blocks that are cheap in order and burn what they can out
// of order (tests/support/attack_chains.hpp), on the DAG executor and on the serial one in turn;
// wall time from begin_block() to drain(), state in memory, no tries. A fresh stream for each run:
// nothing is known of the contracts yet. bench/README.md has the method and the figures.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <executor/executor.hpp>
#include <measure/statistics.hpp>
#include <types/assert.hpp>
#include <types/fork.hpp>

#include "arguments.hpp"
#include "attack_chains.hpp"
#include "benchmark/flat_sink.hpp"
#include "formats/witness_file.hpp"
#include "table.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::measure;
using node::benchmark::FlatSink;
using node::benchmark::make_state;

/// For --help.
constexpr const char* kPurpose =
    "What attacks on speculation cost: valid blocks that are cheap in order and burn what "
    "they can out of order, on the DAG executor and on the serial one in turn.";

class Runner {
public:
    /// No workers: the serial executor.
    explicit Runner(unsigned workers) : workers_(workers) {
        executor::Options options;
        options.parallel.workers = workers;
        options.parallel.pin_threads = true;
        options.record_sets = workers == 0;
        executor_ = executor::make_executor(
            workers == 0 ? executor::kSerialScheduler : executor::kDefaultScheduler,
            std::move(options));
    }

    [[nodiscard]] unsigned workers() const noexcept { return workers_; }
    [[nodiscard]] const executor::ParallelStats& stats() const noexcept { return stats_; }
    [[nodiscard]] test::AttackSets take_sets() noexcept { return std::move(sets_); }

    /// @return milliseconds.
    double run(const test::AdversarialChain& chain, const test::AttackSets& sets) {
        ledger::MemoryState state = make_state(chain.genesis);
        FlatSink sink(state);
        const node::KnownHashes hashes({});
        executor_->start(
            {.config = chain.genesis.config, .state = state, .block_hashes = hashes, .sink = sink},
            executor::make_chain_head(chain.genesis.header));
        std::vector<executor::OrderedBlock> blocks;
        for (std::size_t i = 0; i < chain.blocks.size(); ++i) {
            blocks.push_back(executor::make_ordered_block(chain.blocks[i]));
            if (!sets.empty()) blocks.back().object_sets = sets[i];
        }
        const auto start = std::chrono::steady_clock::now();
        for (executor::OrderedBlock& block : blocks)
            HEDDLE_ASSERT(executor::run(*executor_, std::move(block)).has_value());
        const auto summary = executor_->drain();
        const auto end = std::chrono::steady_clock::now();
        HEDDLE_ASSERT(summary.has_value());
        stats_ = summary->stats.parallel;
        sets_ = sink.take_object_sets();
        return std::chrono::duration<double, std::milli>(end - start).count();
    }

private:
    unsigned workers_;
    std::unique_ptr<executor::Executor> executor_;
    executor::ParallelStats stats_;
    test::AttackSets sets_;
};

[[noreturn]] void refuse(const std::string& what) {
    std::fprintf(stderr, "attack_bench: %s\n", what.c_str());
    std::exit(2);
}

test::Lie lie_named(const std::string& name) {
    const auto* const found =
        std::ranges::find(test::kLies, name, [](test::Lie lie) { return test::to_string(lie); });
    if (found == std::end(test::kLies)) refuse("--sets: there are no sets called " + name);
    return *found;
}

/// @param fork  Empty: each attack has the rules that it is about.
std::optional<Revision> revision_of(const std::string& fork) {
    if (fork.empty()) return std::nullopt;
    const Fork* const found = find_fork(fork);
    if (found == nullptr || !found->revision.has_value())
        refuse("--fork: there is no fork called " + fork);
    return found->revision;
}

/// How much longer than serially, median of the repetitions; after one run to warm up.
void measure_all(Table& table, const test::AdversarialChain& chain, const std::string& lie,
                 const std::vector<std::unique_ptr<Runner>>& runners, std::uint64_t repetitions) {
    static_cast<void>(runners.front()->run(chain, {}));
    const test::AttackSets sets =
        test::tell(lie_named(lie), runners.front()->take_sets(), chain.plan.seed);
    std::vector<std::vector<double>> samples(runners.size());
    std::vector<std::vector<double>> ratios(runners.size());
    for (std::uint64_t i = 0; i <= repetitions; ++i)
        for (std::size_t r = 0; r < runners.size(); ++r) {
            const double ms = runners[r]->run(chain, sets);
            if (i == 0) continue;
            samples[r].push_back(ms);
            ratios[r].push_back(ms / samples[0].back());
        }
    Table::Row row = {chain.description, lie, median(samples[0])};
    for (std::size_t r = 1; r < runners.size(); ++r)
        row.emplace_back(median(ratios[r]));
    const executor::ParallelStats& last = runners.back()->stats();
    const std::uint64_t own = last.attempted_gas - last.wasted_gas + last.in_order_gas;
    row.emplace_back(static_cast<double>(own) / 1e6);
    row.emplace_back(static_cast<double>(last.wasted_gas) / 1e6);
    table.add(std::move(row));
}

}  // namespace

int main(int argc, char** argv) {
    heddle::executor::bind_this_thread(0);
    Arguments arguments(argc, argv, kPurpose);
    const auto names = arguments.texts("attacks", test::attack_names(), "which attacks");
    const auto lies = arguments.texts("sets", {"no sets", "empty sets", "exchanged sets"},
                                      "what the executor is told of accesses");
    const auto workers = arguments.numbers("workers", {1, 2, 4, 8}, "threads of the DAG executor");
    const std::uint64_t repetitions =
        arguments.number("repetitions", 9, "runs of each, of which the median counts");
    test::AttackPlan plan;
    plan.blocks =
        static_cast<std::uint32_t>(arguments.number("blocks", plan.blocks, "blocks of an attack"));
    plan.transactions =
        static_cast<std::uint32_t>(arguments.number("txs", 600, "transactions of a block"));
    plan.seed = arguments.number("seed", plan.seed, "what the blocks follow from");
    plan.revision = revision_of(arguments.text(
        "fork", "", "whose rules hold, by default those that the attack is made for"));
    const std::string csv = arguments.text("csv", "", "also write the table to this file, as CSV");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();
    if (std::uint64_t{plan.blocks} * plan.transactions > test::kMostAttackTransactions)
        refuse("--blocks, --txs: at most " + std::to_string(test::kMostAttackTransactions) +
               " transactions in all");
    for (const std::string& name : names)
        if (std::ranges::find(test::attack_names(), name) == test::attack_names().end())
            refuse("--attacks: there is no attack called " + name);
    for (const std::string& lie : lies)
        static_cast<void>(lie_named(lie));

    std::vector<std::unique_ptr<Runner>> runners;
    runners.push_back(std::make_unique<Runner>(0));
    std::vector<Table::Column> columns = {{"attack"}, {"sets"}, {"serial_ms", 2}};
    for (const std::uint64_t count : workers) {
        runners.push_back(std::make_unique<Runner>(static_cast<unsigned>(count)));
        columns.push_back({"workers_" + std::to_string(count), 2});
    }
    columns.push_back({"own_mgas", 2});
    columns.push_back({"wasted_mgas", 2});
    Tables tables;
    Table& table = tables.add("attacks, DAG time over serial time", columns);
    for (const std::string& name : names)
        for (const std::string& lie : lies)
            measure_all(table, test::make_attack(name, plan), lie, runners, repetitions);
    if (!csv.empty()) table.write_csv(csv);
    tables.write_json(json);
}
