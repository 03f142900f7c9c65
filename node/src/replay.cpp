// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "replay.hpp"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <consensus_adapter/pump.hpp>
#include <executor/executor.hpp>
#include <ledger/memory_ledger.hpp>

#include "command.hpp"
#include "executor_counters.hpp"
#include "progress.hpp"
#include "recording_sink.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::BlockSource;
using consensus_adapter::DeclaredCounts;
using consensus_adapter::SourceError;

double rate(double amount, double seconds) {
    return seconds > 0 ? amount / seconds : 0;
}

double to_seconds(std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / 1e9;
}

void print_summary(const Work& done, const executor::Timing& timing, double seconds) {
    const double gas = static_cast<double>(done.gas);
    fmt::print("{} blocks, {} transactions, {:.1f} Mgas in {}: {:.1f} Mgas/s, {:.0f} tx/s\n",
               done.blocks, done.transactions, gas / 1e6, format_duration(seconds),
               rate(gas, seconds) / 1e6, rate(static_cast<double>(done.transactions), seconds));
    fmt::print(
        "of that {:.2f} s execution, {:.2f} s verification, {:.2f} s state roots, {:.2f} s "
        "sender recovery\n",
        to_seconds(timing.execution_ns), to_seconds(timing.verification_ns),
        to_seconds(timing.commit_ns), to_seconds(timing.recovery_ns));
}

ExitCode report_failure(const consensus_adapter::PumpError& error) {
    if (const auto* block = std::get_if<BlockError>(&error)) {
        fmt::print(stderr, "heddle: wrong block: {}\n", to_string(*block));
        return ExitCode::failed;
    }
    fmt::print(stderr, "heddle: {}\n", describe(std::get<SourceError>(error)));
    return ExitCode::bad_input;
}

/// What has been done, counted block by block on the thread that commits.
struct Tally {
    Progress progress;
    Work done;
    executor::Timing timing;

    void add(const executor::BlockReport& report, const BlockSource& source) {
        ++done.blocks;
        done.transactions += report.transaction_count;
        done.gas += report.header.gas_used;
        timing += report.timing;
        const auto bytes = source.progress();
        const double fraction = bytes.bytes_total == 0 ? 0
                                                       : static_cast<double>(bytes.bytes_done) /
                                                             static_cast<double>(bytes.bytes_total);
        progress.update(report.header.number, done, fraction);
    }
};

/// Moves every block through a fresh executor.
std::expected<executor::Summary, consensus_adapter::PumpError> run(
    const ReplayOptions& options, const Genesis& genesis, const ledger::MemoryLedger& ledger,
    BlockSink& sink, BlockSource& source, Tally& tally) {
    executor::Options executor_options;
    if (options.plain_interpreter) executor_options.interpreter = executor::Interpreter::plain;
    executor_options.record_sets = !options.record_sets.empty();
    executor_options.on_block = [&](const executor::BlockReport& report) {
        tally.add(report, source);
    };
    const auto executor = make_executor(options.executor, std::move(executor_options));
    const auto& first = ledger.head();
    executor->start(
        {.config = genesis.config, .state = ledger.state(), .block_hashes = ledger, .sink = sink},
        executor::make_chain_head(first.header, first.total_difficulty));
    return consensus_adapter::pump(source, *executor);
}

}  // namespace

ExitCode replay_chain(const ReplayOptions& options) {
    if (options.input.files.empty())
        fail_input("replay: no chain files: name RLP chain files or era1 files");
    ledger::MemoryLedger ledger;
    const Genesis genesis = load_chain_genesis(options.input, "replay");
    const Hash genesis_hash = ledger.initialize(genesis).hash;
    check_genesis_hash(options.input, genesis_hash);
    const auto declared = std::make_shared<DeclaredCounts>();
    const auto source = open_chain(options.input, genesis_hash, declared);

    std::optional<SidecarRecorder> recorder;
    if (!options.record_sets.empty()) recorder.emplace(options.record_sets);
    RecordingSink recording(ledger,
                            [&](const BlockHeader& header, const Hash& hash, const auto& sets) {
                                return recorder->add(header.number, hash, sets);
                            });

    Tally tally;
    const auto result = run(options, genesis, ledger,
                            recorder ? static_cast<BlockSink&>(recording) : ledger, *source, tally);
    const double seconds = tally.progress.seconds();
    tally.progress.finish();

    print_summary(tally.done, tally.timing, seconds);
    if (!options.input.sets.empty())
        fmt::print("object sets declared for {} blocks, missing for {}\n",
                   declared->blocks_with_sets.load(), declared->blocks_without_sets.load());
    if (result && options.executor.is_parallel()) fmt::print("{}\n", to_text(result->stats.dag));
    const auto& head = ledger.head();
    fmt::print("head: block {}, hash {}\nstate root {}\n", head.header.number, to_string(head.hash),
               to_string(ledger.state_root()));
    // A wrong block leaves the sets of those before it, which are good.
    if (recorder) recorder->finish();
    return result ? ExitCode::ok : report_failure(result.error());
}

void register_replay(CLI::App& app, Action& action) {
    auto* command = app.add_subcommand(
        "replay", "Execute chain history and verify everything its headers claim");
    command->alias("import");
    const auto options = std::make_shared<ReplayOptions>();
    command->add_option("files", options->input.files,
                        "RLP chain files and era1 files, in order; with --witness: blocks in JSON "
                        "that carry their pre-state, or folders of them");
    add_chain_options(*command, options->input);
    command->add_flag("--witness", options->witness,
                      "The files are single blocks with pre-state (of mainnet unless --chain)");
    command->add_option("--repeat", options->repeat, "Witness: runs per block; the median is shown")
        ->check(CLI::Range(1u, 1'000'000u));
    command->add_flag("--recover-senders", options->recover_senders,
                      "Witness: recover senders inside the time measured");
    command->add_flag("--plain", options->plain_interpreter,
                      "Use the plain interpreter, the oracle of the fast one");
    command->add_option("--record-sets", options->record_sets,
                        "Write what each transaction accessed to this file (a sidecar)");
    command->add_option("--sets", options->input.sets,
                        "Declare what this sidecar says that the transactions access");
    add_executor_flags(*command, options->executor);
    command->callback([options, &action] {
        action = [options] {
            return options->witness ? replay_witness(*options) : replay_chain(*options);
        };
    });
}

}  // namespace heddle::node
