// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "measured_block.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <executor/executor.hpp>
#include <measure/statistics.hpp>
#include <types/assert.hpp>
#include <vm/block.hpp>
#include <vm/block_execution.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include <state/block_state.hpp>
#include <values/listed_state.hpp>

#include "machine.hpp"

namespace heddle::bench {
namespace {

using measure::median;

/// Keeps what is known of the last block.
class KnowledgeSink final : public BlockSink {
public:
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        known.object_sets = std::move(block.object_sets);
        known.access_list = std::move(block.access_list);
        return block.block.header.state_root;
    }
    [[nodiscard]] Hash state_root_with(const StateDiff&) override { return {}; }

    WitnessKnowledge known;
};

/// What reading the clock twice takes, at least.
double clock_cost_ns() {
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < 1'000; ++i) {
        const std::uint64_t start = now_ns();
        least = std::min(least, now_ns() - start);
    }
    return static_cast<double>(least);
}

/// As the serial executor does it, with a look at the clock between the transactions.
class TimedRun {
public:
    TimedRun(const ChainConfig& config, const node::Witness& witness, const BlockHashes& hashes,
             Cost cost)
        : config_(config), witness_(witness), hashes_(hashes), cost_(cost), evm_(options()) {}

    /// `took(index, nanoseconds)` for each transaction.
    template <typename Took>
    void run(Took&& took) {
        const BlockHeader& header = witness_.block.header;
        const BlockEnv env =
            vm::make_block_env(header, config_, vm::is_merged(header, std::nullopt, config_));
        state_.attach(witness_.state);
        gas_used_.clear();
        HEDDLE_ASSERT(
            execution_
                .begin({.header = header, .env = env, .config = config_, .block_hashes = hashes_},
                       state_, evm_)
                .has_value());
        for (std::size_t i = 0; i < witness_.block.transactions.size(); ++i) {
            const std::uint64_t start = now_ns();
            HEDDLE_ASSERT(
                execution_.run(witness_.block.transactions[i], evm_, outcome_).has_value());
            const std::uint64_t executed = now_ns();
            gas_used_.push_back(outcome_.receipt.gas_used);
            execution_.keep(outcome_);
            took(i, (cost_ == Cost::pure ? executed : now_ns()) - start);
        }
    }
    /// Of the last run, by transaction.
    [[nodiscard]] const std::vector<std::uint64_t>& gas_used() const noexcept { return gas_used_; }

private:
    [[nodiscard]] static vm::EvmOptions options() {
        vm::EvmOptions result;
        result.decode_after_entries = vm::kDecodeAfterEntries;
        return result;
    }

    const ChainConfig& config_;
    const node::Witness& witness_;
    const BlockHashes& hashes_;
    const Cost cost_;
    vm::Evm evm_;
    vm::Outcome outcome_;
    executor::BlockState state_;
    vm::BlockExecution execution_;
    std::vector<std::uint64_t> gas_used_;
};

}  // namespace

WitnessKnowledge record_knowledge(const ChainConfig& config, const node::Witness& witness,
                                  const BlockHashes& hashes) {
    executor::Options options;
    options.record_sets = true;
    options.make_access_lists = true;
    const auto executor = executor::make_serial_executor(std::move(options));
    KnowledgeSink sink;
    executor->start(
        {.config = config, .state = witness.state, .block_hashes = hashes, .sink = sink}, {});
    HEDDLE_ASSERT(executor::run(*executor, node::make_ordered_block(witness)).has_value());
    HEDDLE_ASSERT(executor->drain().has_value());
    HEDDLE_ASSERT(sink.known.object_sets.size() == witness.block.transactions.size());
    return std::move(sink.known);
}

std::optional<ListedCosts> measure_listed(const ChainConfig& config, const node::Witness& witness,
                                          unsigned repetitions) {
    const node::KnownHashes hashes(witness.block_hashes);
    const Bytes encoded = record_knowledge(config, witness, hashes).access_list;
    if (encoded.empty()) return std::nullopt;
    const auto time_of = [&](executor::Executor& executor, const Bytes& list) {
        std::vector<double> times;
        for (unsigned i = 0; i <= repetitions; ++i) {
            KnowledgeSink sink;
            auto block = node::make_ordered_block(witness);
            block.start.access_list = list;
            executor.start(
                {.config = config, .state = witness.state, .block_hashes = hashes, .sink = sink},
                {});
            const std::uint64_t start = now_ns();
            HEDDLE_ASSERT(executor::run(executor, std::move(block)).has_value());
            const auto summary = executor.drain();
            const std::uint64_t end = now_ns();
            HEDDLE_ASSERT(summary.has_value() && summary->stats.parallel.refuted_lists == 0);
            if (i != 0) times.push_back(static_cast<double>(end - start));
        }
        return static_cast<std::uint64_t>(median(times));
    };
    executor::Options options;
    options.parallel.workers = 1;
    options.parallel.run_chains_inline = false;  // else one worker runs serially
    ListedCosts costs;
    costs.serial = time_of(*executor::make_serial_executor(), {});
    costs.listed = time_of(*executor::make_executor(executor::kDefaultScheduler, options), encoded);

    executor::ListedState state;
    std::vector<double> times;
    for (unsigned i = 0; i <= repetitions; ++i) {
        const std::size_t count = witness.block.transactions.size();
        const std::uint64_t start = now_ns();
        HEDDLE_ASSERT(
            state.attach(encoded, witness.state, count, vm::list_gas_limit(witness.block.header)));
        if (i != 0) times.push_back(static_cast<double>(now_ns() - start));
    }
    costs.prepare = static_cast<std::uint64_t>(median(times));
    return costs;
}

BlockCosts measure_block(const ChainConfig& config, const node::Witness& witness,
                         unsigned repetitions, Cost cost) {
    const node::KnownHashes hashes(witness.block_hashes);
    const std::size_t count = witness.block.transactions.size();
    TimedRun timed(config, witness, hashes, cost);
    timed.run([](std::size_t, std::uint64_t) {});
    std::vector<std::vector<double>> times(count);
    for (unsigned i = 0; i < repetitions; ++i)
        timed.run([&](std::size_t tx, std::uint64_t ns) {
            times[tx].push_back(static_cast<double>(ns));
        });

    BlockCosts result;
    result.number = witness.block.header.number;
    result.gas_used = timed.gas_used();
    const double overhead = clock_cost_ns();
    std::vector<std::uint64_t> costs;
    std::vector<Address> senders;
    for (std::size_t i = 0; i < count; ++i) {
        costs.push_back(static_cast<std::uint64_t>(std::max(median(times[i]) - overhead, 1.0)));
        senders.push_back(*witness.block.transactions[i].sender);
    }
    result.graph = executor::make_block_graph(record_knowledge(config, witness, hashes).object_sets,
                                              costs, senders);
    return result;
}

}  // namespace heddle::bench
