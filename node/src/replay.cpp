// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "replay.hpp"

#include <iterator>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <consensus_adapter/archive.hpp>
#include <consensus_adapter/prefetching_source.hpp>
#include <consensus_adapter/pump.hpp>
#include <executor/executor.hpp>
#include <ledger/memory_ledger.hpp>

#include "command.hpp"
#include "genesis_json.hpp"
#include "progress.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::BlockSource;
using consensus_adapter::SourceError;

const KnownChain kChains[] = {
    {"mainnet", mainnet_config,
     detail::hash_literal("d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3")},
    {"sepolia", sepolia_config,
     detail::hash_literal("25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9")},
};

Genesis load_chain_genesis(const ReplayOptions& options) {
    if (options.genesis.empty() && options.chain.empty())
        fail_input("replay: which chain? Give --genesis FILE (geth's format)");
    if (options.genesis.empty())
        fail_input(
            "replay: the genesis allocation of {0} is not built in: give it with --genesis "
            "FILE (`geth dumpgenesis --{0} > FILE` writes one)",
            options.chain);
    Genesis genesis = load_genesis(options.genesis);
    if (const KnownChain* chain = find_chain(options.chain)) genesis.config = chain->config();
    return genesis;
}

/// Throws where the allocation is not that of the chain asked for.
void check_genesis_hash(const ReplayOptions& options, const Hash& hash) {
    const KnownChain* chain = find_chain(options.chain);
    if (chain != nullptr && hash != chain->genesis_hash)
        fail_input("{}: is not the genesis of {}: its hash is {}, but must be {}", options.genesis,
                   chain->name, to_string(hash), to_string(chain->genesis_hash));
}

std::unique_ptr<BlockSource> open_files(const ReplayOptions& options, const Hash& genesis_hash) {
    consensus_adapter::ArchiveOptions archive;
    archive.genesis_hash = genesis_hash;
    auto source = consensus_adapter::make_archive_source(options.files, archive);
    if (!source) fail_input("{}", to_string(source.error()));
    return consensus_adapter::make_prefetching_source(*std::move(source));
}

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
    fmt::print(stderr, "heddle: {}\n", to_string(std::get<SourceError>(error)));
    return ExitCode::bad_input;
}

}  // namespace

const KnownChain* find_chain(const std::string& name) noexcept {
    for (const auto& chain : kChains)
        if (name == chain.name) return &chain;
    return nullptr;
}

ExitCode replay_chain(const ReplayOptions& options) {
    if (options.files.empty())
        fail_input("replay: no chain files: name RLP chain files or era1 files");
    ledger::MemoryLedger ledger;
    const Genesis genesis = load_chain_genesis(options);
    const auto& first = ledger.initialize(genesis);
    check_genesis_hash(options, first.hash);
    const auto source = open_files(options, first.hash);

    Progress progress;
    Work done;
    executor::Timing timing;
    executor::Options executor_options;
    if (options.plain_interpreter) executor_options.interpreter = executor::Interpreter::plain;
    executor_options.on_block = [&](const executor::BlockReport& report) {
        ++done.blocks;
        done.transactions += report.transaction_count;
        done.gas += report.header.gas_used;
        timing += report.timing;
        const auto bytes = source->progress();
        const double fraction = bytes.bytes_total == 0 ? 0
                                                       : static_cast<double>(bytes.bytes_done) /
                                                             static_cast<double>(bytes.bytes_total);
        progress.update(report.header.number, done, fraction);
    };
    const auto executor = executor::make_serial_executor(std::move(executor_options));
    executor->start(
        {.config = genesis.config, .state = ledger.state(), .block_hashes = ledger, .sink = ledger},
        executor::make_chain_head(first.header, first.total_difficulty));
    const auto result = consensus_adapter::pump(*source, *executor);
    const double seconds = progress.seconds();
    progress.finish();

    print_summary(done, timing, seconds);
    const auto& head = ledger.head();
    fmt::print("head: block {}, hash {}\nstate root {}\n", head.header.number, to_string(head.hash),
               to_string(ledger.state_root()));
    return result ? ExitCode::ok : report_failure(result.error());
}

void register_replay(CLI::App& app, Action& action) {
    auto* command = app.add_subcommand(
        "replay", "Execute chain history and verify everything its headers claim");
    command->alias("import");
    const auto options = std::make_shared<ReplayOptions>();
    command->add_option("files", options->files,
                        "RLP chain files and era1 files, in order; with --witness: blocks in JSON "
                        "that carry their pre-state, or folders of them");
    command->add_option("--genesis", options->genesis, "Genesis file in geth's format");
    command->add_option("--chain", options->chain, "Use the built-in configuration of this chain")
        ->check(CLI::IsMember({"mainnet", "sepolia"}));
    command->add_flag("--witness", options->witness,
                      "The files are single blocks with pre-state (of mainnet unless --chain)");
    command->add_option("--repeat", options->repeat, "Witness: runs per block; the median is shown")
        ->check(CLI::Range(1u, 1'000'000u));
    command->add_flag("--recover-senders", options->recover_senders,
                      "Witness: recover senders inside the time measured");
    command->add_flag("--plain", options->plain_interpreter,
                      "Use the plain interpreter, the oracle of the fast one");
    command->callback([options, &action] {
        action = [options] {
            return options->witness ? replay_witness(*options) : replay_chain(*options);
        };
    });
}

}  // namespace heddle::node
