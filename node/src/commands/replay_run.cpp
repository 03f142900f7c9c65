// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/replay_run.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>

#include <consensus_adapter/pump.hpp>

#include "chain/shared_code_cache.hpp"
#include "commands/replay.hpp"
#include "inputs/access_list_file.hpp"
#include "inputs/executor_counters.hpp"
#include "inputs/placed_source.hpp"
#include "inputs/recording_sink.hpp"
#include "program/progress.hpp"
#include "program/quantities.hpp"
#include "program/say.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::BlockSource;
using consensus_adapter::ContentFault;
using consensus_adapter::DeclaredCounts;
using consensus_adapter::SourceError;
using consensus_adapter::StreamFault;

double rate(double amount, double seconds) {
    return seconds > 0 ? amount / seconds : 0;
}

double to_seconds(std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / 1e9;
}

void print_summary(const Work& done, const executor::Timing& timing, double seconds) {
    const double gas = static_cast<double>(done.gas);
    fmt::print("{}, {}, {} in {}: {:.1f} Mgas/s, {:.0f} tx/s\n", counted(done.blocks, "block"),
               counted(done.transactions, "transaction"), format_gas(done.gas),
               format_duration(seconds), rate(gas, seconds) / 1e6,
               rate(static_cast<double>(done.transactions), seconds));
    fmt::print(
        "of that {:.2f} s execution, {:.2f} s verification, {:.2f} s state roots; {:.2f} s sender "
        "recovery, all threads together\n",
        to_seconds(timing.execution_ns), to_seconds(timing.verification_ns),
        to_seconds(timing.commit_ns), to_seconds(timing.recovery_ns));
}

ExitCode report_failure(const consensus_adapter::PumpError& error) {
    if (const auto* block = std::get_if<BlockError>(&error)) {
        if (block->code == BlockErrorCode::storage_failed) {
            say("heddle: {}\n", to_string(*block));
            return ExitCode::storage_failed;
        }
        say("heddle: wrong block: {}\n", to_string(*block));
        return ExitCode::failed;
    }
    const auto& source = std::get<SourceError>(error);
    // Found where blocks are read, before it would take much to look at the rest.
    if (source.code == ContentFault::too_many_transactions) {
        say("heddle: wrong block: {}\n", describe(source));
        return ExitCode::failed;
    }
    say("heddle: {}\n", describe(source));
    // Blocks that come from no file are those of the data directory.
    return source.code == StreamFault::read_elsewhere ? ExitCode::storage_failed
                                                      : ExitCode::bad_input;
}

/// What has been done, counted block by block on the thread that commits; others note beside it.
struct Tally {
    Progress progress;
    Work done;
    executor::Timing timing;

    void add(const executor::BlockReport& report, double fraction_done) {
        ++done.blocks;
        done.transactions += report.transaction_count;
        done.gas += report.header.gas_used;
        timing += report.timing;
        progress.update(report.header.number, done, fraction_done);
    }
};

/// Moves every block through a fresh executor.
std::expected<executor::Summary, consensus_adapter::PumpError> run(const ReplayOptions& options,
                                                                   const ReplayTarget& chain,
                                                                   bool records_sets,
                                                                   BlockSource& source,
                                                                   Tally& tally) {
    executor::Options executor_options;
    if (options.plain_interpreter) executor_options.interpreter = executor::Interpreter::plain;
    executor_options.record_sets = records_sets;
    executor_options.make_access_lists = options.store_lists;
    PlacedSource placed{source};
    executor_options.on_block = [&](const executor::BlockReport& report) {
        tally.add(report, placed.done());
    };
    executor_options.on_choice = [&](std::uint64_t number, std::string_view reason) {
        tally.progress.note(fmt::format("block {}: {}", number, reason));
    };
    if (chain.memory.has_value()) {
        bound_executor(*chain.memory, executor_options.parallel);
        executor_options.code_cache = make_shared_code_cache(chain.memory->executor_code);
    }
    const auto executor = make_executor(options.executor, std::move(executor_options));
    executor->start({.config = chain.config,
                     .state = chain.state,
                     .block_hashes = chain.block_hashes,
                     .sink = chain.sink},
                    chain.head);
    return consensus_adapter::pump(placed, *executor);
}

}  // namespace

ExitCode replay_source(const ReplayOptions& options, const ReplayTarget& chain, bool records_sets,
                       BlockSource& source, const DeclaredCounts& declared) {
    std::optional<SidecarRecorder> recorder;
    if (!options.record_sets.empty()) recorder.emplace(options.record_sets);
    RecordingSink recording(chain.sink,
                            [&](const BlockHeader& header, const Hash& hash, const auto& sets) {
                                return recorder->add(header.number, hash, sets);
                            });
    BlockSink& target = recorder ? static_cast<BlockSink&>(recording) : chain.sink;
    std::optional<AccessListFile> file;
    std::optional<AccessListSource> listed;
    if (!options.access_lists.empty()) listed.emplace(source, file.emplace(options.access_lists));
    const ReplayTarget watched{chain.config, chain.state, chain.block_hashes,
                               target,       chain.head,  chain.memory};
    Tally tally;
    const auto result = run(options, watched, records_sets || recorder.has_value(),
                            listed ? static_cast<BlockSource&>(*listed) : source, tally);
    const double seconds = tally.progress.seconds();
    tally.progress.finish();
    tally.timing.recovery_ns += source.progress().recovery_ns;

    print_summary(tally.done, tally.timing, seconds);
    if (declared.blocks_with_sets + declared.blocks_without_sets != 0)
        fmt::print("object sets declared for {}, missing for {}\n",
                   counted(declared.blocks_with_sets.load(), "block"),
                   declared.blocks_without_sets.load());
    if (listed && result)
        fmt::print("access lists of {} are those of {}{}\n", counted(listed->given(), "block"),
                   options.access_lists,
                   listed->advised() == 0
                       ? ""
                       : fmt::format(", {} more are its advice", listed->advised()));
    if (result && options.executor.is_parallel())
        fmt::print("{}\n", to_text(result->stats.parallel));
    // A wrong block leaves the sets of those before it, which are good.
    if (recorder) recorder->finish();
    return result ? ExitCode::ok : report_failure(result.error());
}

void print_head(const BlockHeader& header, const Hash& hash) {
    fmt::print("head: block {}, hash {}\nstate root {}\n", header.number, to_string(hash),
               to_string(header.state_root));
}

}  // namespace heddle::node
