// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/model.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <executor/block_graph.hpp>
#include <measure/list_scheduler.hpp>
#include <measure/statistics.hpp>
#include <types/block_error.hpp>
#include <types/transaction_error.hpp>
#include <vm/block.hpp>
#include <vm/block_execution.hpp>
#include <vm/evm.hpp>

#include "chain/overlay_state.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

using measure::Priority;
using measure::schedule;

constexpr unsigned kRuns = 3;
constexpr std::array kCores = {1u, 2u, 4u, 8u, 16u, 32u, 64u};

using Clock = std::chrono::steady_clock;
/// Nanoseconds by block, then transaction, then run.
using Costs = std::vector<std::vector<std::vector<double>>>;

/// Runs the blocks of one series one transaction after the other.
class TimedRun {
public:
    TimedRun(const Series& series, vm::Evm& evm)
        : series_(series), evm_(evm), hashes_(series.hashes) {}

    /// @param costs  Null: only to warm up. From the series' first block on.
    void run(std::vector<std::vector<double>>* costs) {
        ledger::MemoryState state = series_.state;
        for (const KnownBlock& known : series_.blocks) {
            OverlayState overlay(state);
            run_block(known, overlay, costs);
            state.apply(overlay.take_diff());
            if (costs != nullptr) ++costs;
        }
    }

private:
    void run_block(const KnownBlock& known, OverlayState& state,
                   std::vector<std::vector<double>>* costs) {
        const BlockHeader& header = known.start.header;
        const bool is_merged = vm::is_merged(header, std::nullopt, series_.config);
        const BlockEnv env = vm::make_block_env(header, series_.config, is_merged);
        const auto begun = execution_.begin({.header = header,
                                             .env = env,
                                             .config = series_.config,
                                             .block_hashes = hashes_,
                                             .access_list = vm::AccessListMaking::never},
                                            state, evm_);
        if (!begun) fail_input("{}", to_string(begun.error()));
        for (std::size_t i = 0; i < known.transactions.size(); ++i) {
            const auto start = Clock::now();
            const auto done = execution_.run(known.transactions[i], evm_, outcome_);
            const std::chrono::duration<double, std::nano> took = Clock::now() - start;
            if (!done) fail_input("{}", to_string(done.error()));
            execution_.keep(outcome_);
            if (costs != nullptr) (*costs)[i].push_back(took.count());
        }
        Block ending;
        ending.header = header;
        ending.ommers = known.start.ommers;
        ending.withdrawals = known.start.withdrawals;
        if (auto ended = execution_.end(vm::ending_of(ending, env.revision), evm_); !ended)
            fail_input("{}", to_string(ended.error()));
    }

    const Series& series_;
    vm::Evm& evm_;
    const KnownHashes hashes_;
    vm::BlockExecution execution_;
    vm::Outcome outcome_;
};

Costs measure_costs(const Subject& subject) {
    vm::EvmOptions options;
    options.decode_after_entries = vm::kDecodeAfterEntries;
    options.code_cache = make_code_cache(subject.natives);
    vm::Evm evm(options);
    Costs costs;
    for (const Series& series : subject.series) {
        const std::size_t first = costs.size();
        for (const KnownBlock& block : series.blocks)
            costs.emplace_back(block.transactions.size());
        TimedRun timed(series, evm);
        timed.run(nullptr);
        for (unsigned i = 0; i < kRuns; ++i)
            timed.run(&costs[first]);
    }
    return costs;
}

executor::BlockGraph make_graph(const KnownBlock& block,
                                const std::vector<std::vector<double>>& times) {
    std::vector<std::uint64_t> costs;
    std::vector<Address> senders;
    for (std::size_t i = 0; i < times.size(); ++i) {
        costs.push_back(static_cast<std::uint64_t>(std::max(measure::median(times[i]), 1.0)));
        senders.push_back(block.transactions[i].sender.value_or(Address{}));
    }
    return executor::make_block_graph(block.object_sets, costs, senders);
}

}  // namespace

Model model_subject(const Subject& subject) {
    const Costs costs = measure_costs(subject);
    std::vector<executor::BlockGraph> graphs;
    Model model;
    std::size_t next = 0;
    for (const Series& series : subject.series)
        for (const KnownBlock& block : series.blocks) {
            graphs.push_back(make_graph(block, costs[next++]));
            const executor::BlockGraph& graph = graphs.back();
            const auto total = static_cast<double>(graph.total_cost);
            const auto critical = static_cast<double>(graph.critical_cost);
            model.total_ms += total / 1e6;
            model.critical_ms += critical / 1e6;
            model.critical_shares.push_back(total == 0 ? 0 : critical / total);
        }
    for (const unsigned cores : kCores) {
        double in_order = 0;
        double longest = 0;
        for (const executor::BlockGraph& graph : graphs) {
            in_order +=
                static_cast<double>(schedule(graph, cores, Priority::stream_order).makespan);
            longest += static_cast<double>(schedule(graph, cores, Priority::longest_path).makespan);
        }
        model.points.push_back({cores, in_order == 0 ? 1 : model.total_ms * 1e6 / in_order,
                                longest == 0 ? 1 : model.total_ms * 1e6 / longest});
    }
    return model;
}

}  // namespace heddle::node::benchmark
