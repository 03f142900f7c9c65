// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle lanes: recorded logs of several lanes into one chain, and logs to try it with.
#include "commands/lanes.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>

#include <executor/schedulers.hpp>

#include "commands/lanes_merge.hpp"
#include "commands/lanes_split.hpp"
#include "commands/replay_run.hpp"
#include "inputs/chain_input.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/memory_plan.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "program/stop_signal.hpp"
#include "program/temporary_folder.hpp"

namespace heddle::node {
namespace {

/// For `sync`: blocks between two writes that are forced to the disk. What logs are merged into can
/// be made again.
constexpr const char* kRarely = "1000000";

void print_report(const lanes::LanesReport& report, double seconds) {
    fmt::print("{}, {}, {}, {} of several homes, in {:.2f} s\n",
               counted(report.merged_blocks, "merged block"), counted(report.blocks, "block"),
               counted(report.transactions, "transaction"), report.several_homes, seconds);
    fmt::print("{}, the largest of {}; {} moved\n", counted(report.components, "component"),
               report.largest_component, counted(report.moves, "home"));
    fmt::print(
        "rejected {}, refused {}, of a wrong home {}, not executable {}, entries ignored {}\n",
        report.rejected, report.refused, report.wrong_home, report.left_out, report.ignored);
}

void print_times(const MergeTimes& times) {
    const auto seconds = [](std::chrono::nanoseconds time) {
        return std::chrono::duration<double>(time).count();
    };
    const double executing = seconds(times.executing);
    const auto share = [&](std::chrono::nanoseconds time) {
        return executing > 0 ? 100 * seconds(time) / executing : 0.0;
    };
    fmt::print(
        "executed in {:.3f} s; waited for the order in {:.3f} s, {:.2f} % of that; beside it "
        "ordered in {:.3f} s, {:.2f} %, entries checked in {:.3f} s, {:.2f} %, logs read in "
        "{:.3f} s\n",
        executing, seconds(times.waiting), share(times.waiting), seconds(times.ordering),
        share(times.ordering), seconds(times.checking), share(times.checking),
        seconds(times.reading));
}

ExitCode split(const LanesSplitOptions& options) {
    const LanesSplitSummary summary = split_chain(options);
    fmt::print("{}, {}, {} of several homes: {} in {}\n", counted(summary.blocks, "block"),
               counted(summary.transactions, "transaction"), summary.several_homes,
               counted(summary.entries, "entry", "entries"), options.out);
    return ExitCode::ok;
}

}  // namespace

ExitCode merge_lane_logs(LanesMergeOptions options) {
    if (const auto check = executor::check_scheduler(options.scheduler); !check.has_value())
        fail_input("--scheduler {}: {}", options.scheduler, check.error());
    if (options.workers != 0 && !executor::is_parallel(options.scheduler))
        fail_input("--workers: no meaning with --scheduler {}: leave out, or choose --scheduler {}",
                   options.scheduler, executor::kDefaultScheduler);
    if (options.input.files.empty()) fail_input("{}: name the log of each lane", options.command);
    const StopSignal signal;  // a temporary folder goes, and one that stays is closed
    auto logs = open_lane_logs(options.input.files);
    std::optional<TemporaryFolder> temporary;
    std::string& folder = options.ledger.datadir;
    if (folder.empty()) {
        folder =
            temporary.emplace("heddle-lanes-", "name a folder with " + options.work_option).path() +
            "/data";
        options.ledger.sync = kRarely;
    } else {
        check_new_folder(options.work_option, folder);
    }
    const Genesis genesis = load_chain_genesis(options.input, options.command);
    ledger::DurableLedgerOptions settings = make_ledger_options(options.ledger);
    const MemoryPlan memory = plan_replay_memory(settings.memory_bytes);
    settings.memory_bytes = memory.ledger;
    const auto ledger = create_ledger(std::move(settings), genesis);

    const auto begin = std::chrono::steady_clock::now();
    lanes::MergedChainRules rules{consensus_adapter::lanes::make_even_ranges(logs.size()), {}};
    if (!options.mover.empty()) {
        rules.mover = address_from_hex(options.mover);
        if (!rules.mover.has_value()) fail_input("--mover {}: not an address", options.mover);
    }
    LaneChain chain(*ledger, std::move(rules), options.scheduler, options.workers, memory);
    MergeTimes times;
    const std::string end = merge_logs(logs, chain, times);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    print_report(chain.report(), taken.count());
    print_times(times);
    fmt::print("{}\n", end);
    const ledger::StoredHeader head = ledger->head();
    print_head(head.header, head.hash);
    if (!temporary.has_value()) close_ledger(*ledger);
    return ExitCode::ok;
}

void register_lanes(Command app, Action& action) {
    Command lanes = app.add_subcommand(
        "lanes", "Merge recorded logs of several lanes into one chain (docs/lanes.md)");
    lanes.require_subcommand();

    Command merged = lanes.add_subcommand("merge", "Merge logs and execute what comes of them");
    const auto merging = std::make_shared<LanesMergeOptions>();
    merged.add_option("logs", merging->input.files, "The log of each lane, in any order");
    add_chain_options(merged, merging->input);
    merged.add_option("--scheduler", merging->scheduler, "What executes")
        .offers(executor::scheduler_names())
        .capture_default();
    merged
        .add_option("--workers", merging->workers,
                    "Threads that execute (default: by the number of processors)")
        .in_range(std::uint32_t{1}, std::uint32_t{1024});
    merging->ledger.sync = kRarely;
    merged.add_option("--work", merging->ledger.datadir, "Keep the chain in this data directory");
    add_memory_option(merged, merging->ledger.memory_mib,
                      "MiB for everything that is kept: caches, tries and buffers together");
    merged.add_option("--mover", merging->mover,
                      "Account that may move homes that are not its own");
    merged.callback(
        [merging, &action] { action = [merging] { return merge_lane_logs(*merging); }; });

    Command divided =
        lanes.add_subcommand("split", "Make logs of lanes out of chain files, to try them with");
    const auto splitting = std::make_shared<LanesSplitOptions>();
    divided.add_option("files", splitting->input.files,
                       "RLP chain files, era1 and ere files, in order");
    add_chain_options(divided, splitting->input);
    divided.add_option("--sets", splitting->input.sets,
                       "What the transactions access (`heddle replay --record-sets`)");
    divided.add_option("--lanes", splitting->lane_count, "How many")
        .capture_default()
        .in_range(std::uint32_t{1}, std::uint32_t{64});
    divided.add_option("--seed", splitting->seed,
                       "Let lanes lag and disagree, by this seed (default: they do not)");
    divided.add_option("--out", splitting->out, "Folder to make").required();
    divided.callback([splitting, &action] { action = [splitting] { return split(*splitting); }; });
}

}  // namespace heddle::node
