// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/replay.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>

#include <executor/executor.hpp>
#include <ledger/durable_ledger.hpp>
#include <ledger/memory_ledger.hpp>

#include "chain/chain_rules.hpp"
#include "commands/lanes.hpp"
#include "inputs/access_list_file.hpp"
#include "inputs/genesis_ledger.hpp"
#include "inputs/known_genesis.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/allocator.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "program/say.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node {

namespace {

namespace fs = std::filesystem;
using consensus_adapter::DeclaredCounts;

/// Nothing is wrong, but whoever asked for another end learns where this one is.
void note_other_end(const ReplayOptions& options, std::uint64_t last) {
    if (options.to == ReplayOptions{}.to || options.to == last) return;
    if (last < options.to)
        say("heddle: --to {}: the files end with block {}\n", options.to, last);
    else
        say("heddle: --to {}: the directory has block {} already\n", options.to, last);
}

ExitCode replay_in_memory(const ReplayOptions& options) {
    ledger::MemoryLedger ledger;
    const Genesis genesis = load_chain_genesis(options.input, "replay");
    const ledger::CommittedBlock first = ledger.initialize(genesis);
    check_genesis_hash(options.input, first.hash);
    const auto declared = std::make_shared<DeclaredCounts>();
    const auto source = open_chain(options.input, first.hash, declared,
                                   {.head_gas_limit = first.header.gas_limit, .last = options.to});
    const ReplayTarget chain{genesis.config, ledger.state(), ledger, ledger,
                             executor::make_chain_head(first.header, first.total_difficulty)};
    const ExitCode code = replay_source(options, chain, false, *source, *declared);
    const ledger::CommittedBlock& last = ledger.head();
    if (code == ExitCode::ok) note_other_end(options, last.header.number);
    print_head(last.header, last.hash);
    return code;
}

/// Opens the data directory, or makes it from the genesis given, whose rules for what is to come
/// are those from now on.
std::unique_ptr<ledger::DurableLedger> open_or_create(const ReplayOptions& options,
                                                      ledger::DurableLedgerOptions settings) {
    if (!ledger::DurableLedger::exists(settings.directory)) {
        StepProgress progress;
        return create_chain_ledger(std::move(settings), options.input, "replay",
                                   progress.callback());
    }
    const std::size_t memory_bytes = settings.memory_bytes;
    auto ledger = open_ledger(std::move(settings));
    const ChainInput& input = options.input;
    if (input.genesis.empty()) return ledger;
    const Hash there = ledger->block_hash(0);
    KnownGenesis known{options.ledger.datadir, input.genesis};
    const bool has_own_rules = input.chain.empty();  // else they are those of --chain
    if (has_own_rules && known.is_chain(there, ledger->chain())) return ledger;
    const GenesisOutline asked = [&] {
        StepProgress progress;
        return outline_genesis(options.ledger.datadir, memory_bytes, input, "replay",
                               progress.callback());
    }();
    if (there != asked.hash)
        fail_input(
            "{} holds the chain whose first block is {}, not {}: name another folder or "
            "the right genesis",
            options.ledger.datadir, to_string(there), to_string(asked.hash));
    const std::string& source = has_own_rules ? input.genesis : input.chain;
    if (adopt_rules(*ledger, asked, {options.ledger.datadir, source}))
        say("heddle: the rules of {} are in force from now on\n", source);
    if (has_own_rules)
        known.remember_chain(there, ledger->chain());
    else
        known.remember_block(there);
    return ledger;
}

/// Where the time went that the summary calls `state roots`, and what the disk had to take.
void print_ledger_stats(const ledger::LedgerStats& stats) {
    const auto seconds = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e9; };
    fmt::print(
        "state roots: {:.2f} s tries, {:.2f} s flat state, {:.2f} s waiting for the writer, which "
        "wrote {:.2f} s beside it: {:.1f} MB for {} and {} changed\n",
        seconds(stats.root_ns), seconds(stats.flat_ns), seconds(stats.wait_ns),
        seconds(stats.write_ns), static_cast<double>(stats.bytes_written) / 1e6,
        counted(stats.accounts_changed, "account"), counted(stats.slots_changed, "slot"));
}

/// Called by the thread that writes, which a line that nobody can be told must not end: that one
/// was lost is said when the program ends.
void tell_durable(std::uint64_t number) noexcept {
    std::array<char, 32> line{};
    const auto end = fmt::format_to_n(line.data(), line.size(), "durable {}\n", number);
    (void)std::fwrite(line.data(), 1, end.size, stdout);
    (void)std::fflush(stdout);
}

/// Before a data directory is made, which would stay where a name was mistyped, and before the
/// genesis file is read for it, which may take minutes.
void check_named_files(const ReplayOptions& options) {
    check_chain_files(options.input);
    // A pipe is opened once: who writes to it would be told that nobody reads any more.
    std::error_code ignored;
    const bool is_pipe = fs::is_fifo(fs::status(options.access_lists, ignored));
    if (!options.access_lists.empty() && !is_pipe) (void)AccessListFile{options.access_lists};
    // It may lie in the directory that is going to be made.
    const fs::path recording = fs::path(options.record_sets).lexically_normal();
    const fs::path made = (fs::path(options.ledger.datadir) / "").lexically_normal().parent_path();
    const bool is_in_it = std::ranges::mismatch(made, recording).in1 == made.end();
    if (!options.record_sets.empty() && !is_in_it) check_writable(options.record_sets);
}

/// Continues the chain in the data directory with the files' blocks.
ExitCode replay_to_ledger(const ReplayOptions& options) {
    if (!ledger::DurableLedger::exists(options.ledger.datadir)) check_named_files(options);
    const StopSignal signal;
    ledger::DurableLedgerOptions settings = make_ledger_options(options.ledger);
    const MemoryPlan memory = plan_replay_memory(settings.memory_bytes);
    settings.memory_bytes = memory.ledger;
    hold_freed_memory(time_for_tools_to_hold_memory(options.ledger.memory_mib));
    if (options.report_durable) settings.on_durable = tell_durable;
    std::unique_ptr<ledger::DurableLedger> ledger;
    try {
        ledger = open_or_create(options, std::move(settings));
    } catch (const InputError& error) {
        if (!StopSignal::is_raised()) throw;
        say("heddle: {}\n", error.what());
        return ExitCode::ok;
    }
    const ChainConfig config = stored_chain_config(*ledger);
    const ledger::StoredHeader head = ledger->head();
    const auto declared = std::make_shared<DeclaredCounts>();
    const auto source = make_stoppable_source(open_chain(
        options.input, ledger->block_hash(0), declared,
        {.head = head.header.number,
         .head_gas_limit = head.header.gas_limit,
         .last = options.to,
         .hash_of = [&](std::uint64_t number) { return ledger->find_block_hash(number); }},
        stream_bytes(memory)));
    const ReplayTarget chain{
        config,
        ledger->state(),
        *ledger,
        *ledger,
        executor::ChainHead{take(ledger->ancestors(head.header.number)), head.total_difficulty},
        memory};
    const ExitCode code = replay_source(options, chain, !options.no_sets, *source, *declared);
    // It has been said; closing would only say it again.
    if (code == ExitCode::storage_failed) return code;
    close_ledger(*ledger);
    print_ledger_stats(ledger->stats());
    const ledger::StoredHeader last = ledger->head();
    if (StopSignal::is_raised())
        say("heddle: stopped as asked; the same command goes on from here\n");
    else if (code == ExitCode::ok) {
        note_other_end(options, last.header.number);
        if (last.hash == head.hash)
            fmt::print("nothing to add: the data directory has these blocks already\n");
    }
    print_head(last.header, last.hash);
    return code;
}

/// Merges logs of lanes and executes what comes of them: what `heddle lanes merge` does.
ExitCode replay_lanes(const ReplayOptions& options) {
    LanesMergeOptions merging;
    merging.command = "replay --lanes";
    merging.work_option = "--datadir";
    merging.input = options.input;
    merging.scheduler = options.executor.scheduler;
    merging.workers = options.executor.workers.value_or(0);
    merging.ledger = options.ledger;
    return merge_lane_logs(std::move(merging));
}

}  // namespace

ExitCode replay_chain(const ReplayOptions& options) {
    if (options.ledger.datadir.empty()) {
        if (options.input.files.empty())
            fail_input("replay: no chain files: name RLP chain files, era1 or ere files");
        return replay_in_memory(options);
    }
    return options.input.files.empty() ? replay_stored(options) : replay_to_ledger(options);
}

void register_replay(Command app, Action& action) {
    Command command = app.add_subcommand(
        "replay", "Execute chain history and verify everything its headers claim");
    command.alias("import");
    const auto options = std::make_shared<ReplayOptions>();
    command.add_option(
        "files", options->input.files,
        "RLP chain files, era1 and ere files, in order; with --witness: blocks in JSON "
        "that carry their pre-state, or folders of them");
    add_chain_options(command, options->input);
    command.add_flag("--witness", options->witness,
                     "The files are single blocks with pre-state or witness (of mainnet unless "
                     "--chain or --genesis)");
    command.add_flag("--lanes", options->lanes,
                     "The files are the logs of lanes, one of each: merge them, as `heddle lanes "
                     "merge` does");
    command.add_option("--repeat", options->repeat, "Witness: runs per block; the median is shown")
        .in_range(1u, 1'000'000u);
    command.add_flag("--recover-senders", options->recover_senders,
                     "Witness: recover senders inside the time measured");
    command.add_flag("--plain", options->plain_interpreter,
                     "Use the plain interpreter, the oracle of the fast one");
    command.add_option("--record-sets", options->record_sets,
                       "Write what each transaction accessed to this file (a sidecar)");
    command.add_option("--sets", options->input.sets,
                       "Declare what this sidecar says that the transactions access");
    command.add_option("--access-lists", options->access_lists,
                       "Take the blocks' access lists from this file, check and use them: RLP, one "
                       "after the other (EIP-7928)");
    command.add_option("--to", options->to, "Stop after this block");
    command.add_option("--from", options->from,
                       "Without files: execute the stored blocks again from this one on "
                       "(default: the first whose state before it is there)");
    command.add_flag("--no-sets", options->no_sets,
                     "With --datadir: do not store what each transaction accessed");
    command.add_flag("--store-lists", options->store_lists,
                     "With --datadir: make and store access lists of blocks before Amsterdam, too, "
                     "for replays of what is stored");
    command.add_flag("--report-durable", options->report_durable,
                     "With --datadir: say on standard output which blocks are safe on disk");
    add_ledger_flags(command, options->ledger, /*is_required=*/false);
    add_executor_flags(command, options->executor);
    command.callback([options, &action] {
        action = [options] {
            check_replay_options(*options);
            if (options->lanes) return replay_lanes(*options);
            return options->witness ? replay_witness(*options) : replay_chain(*options);
        };
    });
}

}  // namespace heddle::node
