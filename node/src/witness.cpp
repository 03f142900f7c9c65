// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <fmt/format.h>

#include <executor/executor.hpp>

#include "file.hpp"
#include "replay.hpp"
#include "witness_file.hpp"

namespace heddle::node {

namespace {

/// Seconds of one run, with and without what surrounds execution.
struct RunTime {
    double execution = 0;  // and sender recovery, where it is asked for
    double total = 0;      // and verification
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class WitnessRunner {
public:
    WitnessRunner(const ReplayOptions& options, const ChainConfig& config)
        : options_(options), config_(config) {
        executor::Options executor_options;
        if (options.plain_interpreter) executor_options.interpreter = executor::Interpreter::plain;
        executor_options.on_block = [this](const executor::BlockReport& report) {
            timing_ = report.timing;
        };
        executor_ = executor::make_serial_executor(std::move(executor_options));
    }

    /// Executes the block options.repeat times, after one run that warms the code cache where time
    /// is measured.
    std::expected<RunTime, BlockError> run(const Witness& witness) {
        std::vector<double> execution;
        std::vector<double> total;
        const bool warm_up = options_.repeat > 1;
        for (unsigned i = 0; i < options_.repeat + (warm_up ? 1 : 0); ++i) {
            if (auto error = run_once(witness)) return std::unexpected(*std::move(error));
            if (warm_up && i == 0) continue;
            const auto inner = timing_.execution_ns + timing_.recovery_ns;
            execution.push_back(static_cast<double>(inner) / 1e9);
            total.push_back(static_cast<double>(inner + timing_.verification_ns) / 1e9);
        }
        return RunTime{median(std::move(execution)), median(std::move(total))};
    }

private:
    std::optional<BlockError> run_once(const Witness& witness) {
        const KnownHashes hashes(witness.block_hashes);
        executor_->start(
            {.config = config_, .state = witness.state, .block_hashes = hashes, .sink = sink_}, {});
        executor::BlockStart start;
        start.header = witness.block.header;
        start.withdrawals = witness.block.withdrawals;
        start.mode = executor::BlockMode::witness;
        start.transaction_count = witness.block.transactions.size();
        if (auto begun = executor_->begin_block(std::move(start)); !begun)
            return std::move(begun).error();
        for (Transaction tx : witness.block.transactions) {
            if (options_.recover_senders) tx.sender.reset();
            executor_->submit(std::move(tx));
        }
        executor_->end_block();
        auto summary = executor_->drain();
        return summary ? std::nullopt : std::optional(std::move(summary).error());
    }

    const ReplayOptions& options_;
    const ChainConfig& config_;
    DiscardingSink sink_;
    executor::Timing timing_;
    std::unique_ptr<executor::Executor> executor_;
};

struct Totals {
    std::size_t blocks = 0;
    std::size_t failed = 0;
    std::size_t transactions = 0;
    std::uint64_t gas = 0;
    RunTime time;
};

double mega_gas_per_second(std::uint64_t gas, double seconds) {
    return seconds > 0 ? static_cast<double>(gas) / seconds / 1e6 : 0;
}

void replay_one(const Witness& witness, const ChainConfig& config, WitnessRunner& runner,
                Totals& totals) {
    const BlockHeader& header = witness.block.header;
    const auto time = runner.run(witness);
    ++totals.blocks;
    if (!time) {
        ++totals.failed;
        fmt::print(stderr, "heddle: wrong block: {}\n", to_string(time.error()));
        return;
    }
    totals.transactions += witness.block.transactions.size();
    totals.gas += header.gas_used;
    totals.time.execution += time->execution;
    totals.time.total += time->total;
    const Revision revision =
        config.revision(header.number, header.timestamp, header.difficulty.is_zero());
    fmt::print("block {:>8}  {:<17} {:>4} txs  {:>8} gas  {:>8.3f} ms  {:>7.1f} Mgas/s{}\n",
               header.number, to_string(revision), witness.block.transactions.size(),
               header.gas_used, time->execution * 1e3,
               mega_gas_per_second(header.gas_used, time->execution),
               revision < Revision::byzantium
                   ? "  (receipts hold state roots before Byzantium: receipts root not checked)"
                   : "");
    std::fflush(stdout);
}

}  // namespace

ExitCode replay_witness(const ReplayOptions& options) {
    if (options.files.empty())
        fail_input(
            "replay --witness: no files: name JSON files with block and preState, or "
            "folders of them");
    if (!options.genesis.empty())
        fail_input(
            "replay --witness: --genesis has no meaning here, blocks carry their state; "
            "choose rules with --chain");
    const KnownChain* chain = find_chain(options.chain.empty() ? "mainnet" : options.chain);
    const ChainConfig& config = chain->config();
    WitnessRunner runner(options, config);
    JsonParser parser;
    Totals totals;
    for (const auto& file : expand_paths(options.files, ".json")) {
        const Witness witness = load_witness(parser, file);
        replay_one(witness, config, runner, totals);
    }
    fmt::print(
        "{} blocks, {} transactions, {:.1f} Mgas in {:.1f} ms: {:.1f} Mgas/s ({}; with "
        "verification {:.1f} ms, {:.1f} Mgas/s)\n",
        totals.blocks, totals.transactions, static_cast<double>(totals.gas) / 1e6,
        totals.time.execution * 1e3, mega_gas_per_second(totals.gas, totals.time.execution),
        options.recover_senders ? "senders recovered" : "senders known", totals.time.total * 1e3,
        mega_gas_per_second(totals.gas, totals.time.total));
    fmt::print("{} passed, {} failed\n", totals.blocks - totals.failed, totals.failed);
    return totals.failed > 0 ? ExitCode::failed : ExitCode::ok;
}

}  // namespace heddle::node
