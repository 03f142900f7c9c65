// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle rerun: what a recorded node did, once more, and whether it is the same.
#include <charconv>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <types/counted.hpp>

#include <executor/schedulers.hpp>
#include <ledger/snapshot.hpp>

#include "commands/rerun_run.hpp"
#include "commands/rerun_start.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/allocator.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "program/say.hpp"
#include "program/stop_signal.hpp"
#include "program/temporary_folder.hpp"

namespace heddle::node {
namespace {

struct RerunFlags {
    RerunStartOptions start;
    std::string to;
    std::string scheduler;
    std::optional<std::uint32_t> workers;
    bool until_difference = false;
    std::string dump_state;
};

std::uint64_t number_of(std::string_view text, const std::string& whole) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        fail_input("--to {}: expected HEIGHT or HEIGHT.INDEX", whole);
    return number;
}

/// `12`: after block 12. `12.7`: when seven things of the making of block 12 have crossed.
std::optional<LogicalTime> stop_of(const std::string& text) {
    if (text.empty()) return std::nullopt;
    const std::size_t dot = text.find('.');
    const std::uint64_t height = number_of(std::string_view{text}.substr(0, dot), text);
    constexpr auto kNever = std::numeric_limits<std::uint64_t>::max();
    if (height == kNever) return LogicalTime{kNever, kNever};
    if (dot == std::string::npos) return LogicalTime{height + 1, 0};
    return LogicalTime{height, number_of(std::string_view{text}.substr(dot + 1), text)};
}

RerunOptions options_of(const RerunFlags& flags) {
    RerunOptions options;
    options.stop = stop_of(flags.to);
    options.until_difference = flags.until_difference;
    options.workers = flags.workers;
    if (flags.scheduler.empty()) return options;
    if (const auto check = executor::check_scheduler(flags.scheduler); !check.has_value())
        fail_input("--scheduler {}: {}", flags.scheduler, check.error());
    options.scheduler = flags.scheduler;
    return options;
}

void dump_state(ledger::DurableLedger& ledger, const std::string& folder) {
    StepProgress progress;
    const auto writer = take(ledger.begin_snapshot());
    const Hash id = take(writer->write(folder, progress.callback()));
    fmt::print("state after block {} in {}, snapshot {}\n", writer->header().number, folder,
               to_string(id));
}

/// @return whether all is as it was recorded, as far as the recording goes.
bool report_run(const RerunReport& report, const LogReader& log, const RerunOptions& options,
                double seconds) {
    for (const RecordingEnd& end : log.unfinished())
        say("heddle: {}: the recorded process ended there, and was started again\n",
            to_string(end));
    fmt::print("{}, {} in {:.2f} s\n", counted(report.blocks, "block"),
               counted(report.transactions, "transaction"), seconds);
    if (report.taken_back != 0)
        fmt::print("{} taken back where the node was started again\n",
                   counted(report.taken_back, "block"));
    if (report.shown.has_value())
        fmt::print("acknowledged and shown up to block {}\n", *report.shown);
    for (const std::string& failure : report.failures)
        say("heddle: {}\n", failure);
    if (report.first.has_value())
        fmt::print("{}, the first {}\n", counted(report.differences, "difference"),
                   to_string(*report.first));
    if (!report.stopped.empty()) say("heddle: {}\n", report.stopped);
    bool is_damaged = false;
    if (const auto& end = log.end(); end.has_value()) {
        is_damaged = end->kind == RecordingEnd::Kind::damaged;
        if (end->kind != RecordingEnd::Kind::complete)
            say("heddle: {}; what there is up to block {} was run\n", to_string(*end),
                report.head.number);
    }
    const bool is_at_stop = options.stop.has_value() && !(report.time < *options.stop);
    const bool is_at_difference = options.until_difference && report.differences != 0;
    if (report.ends_inside_block && is_at_stop)
        say("heddle: stopped at {}, while block {} was being made, which is left out\n",
            to_string(report.time), report.time.height);
    else if (report.ends_inside_block && report.stopped.empty() && !is_at_difference &&
             !StopSignal::is_raised())
        say("heddle: the recording ends at {}, before anybody saw block {}; what there is of that "
            "one "
            "is left out\n",
            to_string(report.time), report.time.height);
    if (StopSignal::is_raised())
        say("heddle: stopped as asked after block {}; what comes after was not run\n",
            report.head.number);
    else if (options.stop.has_value() && report.time < *options.stop && report.stopped.empty())
        say("heddle: --to lies behind the end of the recording, which is at {}\n",
            to_string(report.time));
    return report.differences == 0 && report.stopped.empty() && !is_damaged;
}

ExitCode rerun(RerunFlags flags) {
    const RerunOptions options = options_of(flags);
    const StopSignal signal;  // what is temporary goes, whoever ends it
    hold_freed_memory(time_to_hold_memory(flags.start.memory_mib));
    std::optional<TemporaryFolder> temporary;
    if (flags.start.work.empty())
        flags.start.work =
            temporary.emplace("heddle-rerun-", "name a folder with --work").path() + "/data";
    else
        check_new_folder("--work", flags.start.work);
    // Not only at the end of a run of hours.
    if (!flags.dump_state.empty()) check_new_folder("--dump-state", flags.dump_state);
    const std::optional<RerunStart> start = start_rerun(flags.start);
    if (!start.has_value()) {
        say("heddle: stopped as asked before anything was run\n");
        return ExitCode::ok;
    }
    auto log = LogReader::open(flags.start.recording, start->segment);
    if (!log.has_value()) fail_input("{}", log.error());

    const auto begin = std::chrono::steady_clock::now();
    RerunReport report;
    {
        Rerun run(*log, *start->ledger, options);
        report = run.run();
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const bool is_same = report_run(report, *log, options, taken.count());
    if (!flags.dump_state.empty()) dump_state(*start->ledger, flags.dump_state);
    if (!temporary.has_value()) close_ledger(*start->ledger);
    fmt::print("head: block {}, hash {}\n", report.head.number, to_string(report.head.hash));
    return is_same ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

void register_rerun(Command app, Action& action) {
    Command command = app.add_subcommand(
        "rerun", "Run what `heddle node --record` has recorded, and compare what comes out");
    const auto flags = std::make_shared<RerunFlags>();
    command.add_option("recording", flags->start.recording, "Folder of the recording").required();
    command.add_option("--to", flags->to, "Stop after a block, or inside its making")
        .type_name("HEIGHT[.INDEX]");
    command
        .add_option("--workers", flags->workers,
                    "Threads that execute (default: by the number of processors)")
        .in_range(std::uint32_t{1}, std::uint32_t{1024});
    command
        .add_option("--scheduler", flags->scheduler,
                    "Execute every block with this one, also those that the recorded node put "
                    "together itself")
        .offers(executor::scheduler_names());
    command.add_flag("--until-difference", flags->until_difference,
                     "Stop at the first difference, with the state before its block");
    command.add_option("--dump-state", flags->dump_state,
                       "Write the state at the end to this folder, as a snapshot");
    const Option datadir =
        command.add_option("--datadir", flags->start.datadir,
                           "Begin with a copy of this data directory, where the recording does not "
                           "begin with the chain");
    command.add_option("--snapshot", flags->start.snapshot, "Begin with this snapshot")
        .excludes(datadir);
    command.add_option("--work", flags->start.work,
                       "Data directory to make and keep (default: a temporary one)");
    add_memory_option(command, flags->start.memory_mib, "For all that is kept, in MiB");
    command.callback([flags, &action] { action = [flags] { return rerun(*flags); }; });
}

}  // namespace heddle::node
