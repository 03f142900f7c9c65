// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The bench command: options, what is measured in which order, where results go.
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/processors.hpp>

#include "benchmark/compare.hpp"
#include "benchmark/matrix.hpp"
#include "benchmark/plan.hpp"
#include "benchmark/report_file.hpp"
#include "benchmark/report_page.hpp"
#include "benchmark/stage_run.hpp"
#include "inputs/executor_flags.hpp"
#include "inputs/fork_flag.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/file.hpp"
#include "program/nearest_name.hpp"
#include "program/progress.hpp"
#include "program/say.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node {
namespace {

using namespace benchmark;

constexpr const char* kUsualWorkloads = "transfers,erc20,mixed";
constexpr std::uint64_t kUsualMadeBlocks = 5;
constexpr std::uint64_t kUsualGivenBlocks = 100;
constexpr std::uint64_t kMaxBlocks = 100'000;
constexpr std::uint64_t kMaxRepetitions = 10'000;

struct Arguments {
    BenchOptions options;
    bool lists_only = false;
    // bench compare
    std::string before;
    std::string after;
    bool is_relative = false;
};

MachineFigures this_machine() {
    MachineFigures machine;
    machine.processor = "unknown processor";
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
            machine.processor = line.substr(line.find(": ") + 2);
            break;
        }
    machine.processors = processor_count();
    utsname system{};
    if (::uname(&system) == 0)
        machine.system = fmt::format("{} {}", system.sysname, system.release);
    std::array<double, 1> load{};
    if (::getloadavg(load.data(), 1) == 1) machine.load_average = load[0];
    return machine;
}

/// The name alone, in quotes where a shell wants them.
std::string file_name(const std::string& path) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=:,@%";
    std::string_view name = path;
    while (name.ends_with('/'))
        name.remove_suffix(1);
    name.remove_prefix(name.rfind('/') + 1);
    if (name.find_first_not_of(kPlain) == std::string_view::npos) return std::string{name};
    std::string quoted = "'";
    for (const char c : name)
        quoted += c == '\'' ? "'\\''" : std::string{c};
    return quoted + '\'';
}

/// The command line that asks for the same, files by their names alone.
std::string command_text(const BenchOptions& options) {
    std::string text = "heddle bench";
    for (const std::string& file : options.input.files)
        text += " " + file_name(file);
    const auto add = [&text](const char* name, const std::string& value) {
        if (!value.empty()) text += fmt::format(" {} {}", name, value);
    };
    add("--genesis", options.input.genesis.empty() ? "" : file_name(options.input.genesis));
    add("--chain", options.input.chain);
    add("--datadir", options.datadir.empty() ? "" : file_name(options.datadir));
    add("--workload", options.workloads);
    add("--schedulers", options.schedulers);
    add("--workers", options.workers);
    add("--knowledge", options.knowledge);
    add("--load", options.loads);
    add("--rate", options.rates);
    add("--fork", options.fork);
    if (options.from != 0) add("--from", std::to_string(options.from));
    if (options.blocks != 0) add("--blocks", std::to_string(options.blocks));
    text += fmt::format(" --txs {} --seed {} --repetitions {}", options.txs, options.seed,
                        options.repetitions);
    if (options.is_cold) text += " --cold";
    if (options.no_pin) text += " --no-pin";
    if (options.no_model) text += " --no-model";
    return text;
}

ChainPlan chain_plan(const BenchOptions& options, const Plan& plan) {
    ChainPlan chain;
    chain.blocks = options.blocks == 0 ? kUsualMadeBlocks : options.blocks;
    chain.transactions = options.txs;
    chain.seed = options.seed;
    chain.revision = plan.revision;
    return chain;
}

/// Files, a data directory and workloads, in this order.
std::vector<Subject> load_subjects(const BenchOptions& options, const Plan& plan,
                                   Progress& progress) {
    std::vector<Subject> subjects;
    const BlockRange range{options.from, options.blocks == 0 ? kUsualGivenBlocks : options.blocks};
    if (!options.input.files.empty()) {
        progress.update(std::string{"reading files"}, 0);
        subjects.push_back(options.input.genesis.empty()
                               ? load_witnesses(options.input.files, options.input.chain)
                               : load_chain(options.input, range));
    }
    if (!options.datadir.empty()) {
        progress.update(std::string{"reading the data directory"}, 0);
        subjects.push_back(load_stored(options.datadir, range));
    }
    for (const workload::ScenarioChoice& scenario : plan.scenarios) {
        progress.update("making " + scenario.to_text(), 0);
        subjects.push_back(make_subject(make_chain(scenario, chain_plan(options, plan))));
    }
    return subjects;
}

/// Refuses what would not be heeded: it would look as if it had been measured.
void check_company(const BenchOptions& options) {
    const BenchOptions unchanged;
    const bool has_files = !options.input.files.empty();
    const bool has_witnesses = has_files && options.input.genesis.empty();
    const bool has_given = has_files || !options.datadir.empty();
    const bool has_made = !has_given || !options.workloads.empty();
    const bool has_arrivals = !options.loads.empty() || !options.rates.empty();
    if (!options.input.chain.empty() && !has_files)
        fail_input("bench: --chain goes with files: others know their chain");
    if (options.blocks != unchanged.blocks && has_witnesses && options.datadir.empty() && !has_made)
        fail_input("bench: --blocks does not go with blocks in JSON: all that are named run");
    if (options.txs != unchanged.txs && !has_made)
        fail_input("bench: --txs goes with --workload: the other blocks are there already");
    if (!options.fork.empty() && !has_made)
        fail_input("bench: --fork goes with --workload: the other blocks have their rules");
    if (options.seed != unchanged.seed && !has_made && !has_arrivals)
        fail_input("bench: --seed goes with --workload, --load or --rate");
    const std::array<const std::string*, 3> outputs{&options.html, &options.json, &options.csv};
    for (std::size_t i = 0; i < outputs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!outputs[i]->empty() && is_same_file(*outputs[i], *outputs[j]))
                fail_input("bench: {}: each report needs a file of its own", *outputs[i]);
}

/// A command with a slip in it is taken for a file.
void check_first_file(const std::string& file) {
    static const std::vector<std::string> kCommands{"compare"};
    const std::string meant = nearest_name(file, kCommands);
    std::error_code error;
    if (!meant.empty() && !std::filesystem::exists(file, error))
        fail_input("{}", with_guess(file + ": no such file or folder", meant));
}

void check_inputs(const BenchOptions& options) {
    const bool has_files = !options.input.files.empty();
    if (has_files) check_first_file(options.input.files.front());
    if (!options.input.genesis.empty() && !has_files)
        fail_input("bench: --genesis goes with chain files: name them");
    if (options.from != 0 && options.input.genesis.empty() && options.datadir.empty())
        fail_input("bench: --from goes with chain files or --datadir");
    if (has_files && options.input.genesis.empty())
        for (const std::string& file : options.input.files)
            if (file.ends_with(".rlp") || file.ends_with(".era1") || file.ends_with(".ere"))
                fail_input("{}: a chain file needs its genesis: give it with --genesis FILE", file);
    for (const std::string& file : {options.html, options.json, options.csv})
        if (!file.empty()) check_writable(file);
}

/// What is for people, where no report goes to standard output; else that would have it within.
void print_beside_reports(const BenchOptions& options, std::string_view text) {
    bool has_report = false;
    for (const std::string* file : {&options.html, &options.json, &options.csv})
        has_report = has_report || is_standard_output(*file);
    if (has_report) return say("{}", text);
    fmt::print("{}", text);
    std::fflush(stdout);
}

void write_results(const BenchOptions& options, const BenchReport& report) {
    if (!options.json.empty()) write_file(options.json, to_json(report));
    if (!options.csv.empty()) write_file(options.csv, to_csv(report));
    if (!options.html.empty()) write_file(options.html, to_html(report));
    print_beside_reports(
        options, options.html.empty()
                     ? "\nThe same with plots: --html FILE. For `heddle bench compare`: --json "
                       "FILE. Workloads and schedulers: --list.\n"
                     : fmt::format("\nreport: {}\n", options.html));
}

void warn_of_processors(const Plan& plan, const MachineFigures& machine) {
    unsigned most = 0;
    for (const Contender& contender : plan.contenders)
        most = std::max(most, contender.workers);
    if (most > machine.processors)
        say("bench: {} on {}: not more than {} run\n", counted(most, "worker"),
            counted(machine.processors, "processor"), machine.processors);
}

void show_stages(const Subject& subject, const Genesis& genesis, std::uint64_t runs) {
    Progress progress;
    const StopSignal listening;
    progress.update(subject.name + ": stages", 0);
    const auto stages = measure_stages(subject, genesis, runs);
    progress.finish();
    if (!stages) StopSignal::obey();
    const std::vector<std::uint64_t> blocks = subject.block_numbers();
    fmt::print("{}\n", to_table({subject.name, blocks.size(), subject.transaction_count(),
                                 subject.gas_used(), runs},
                                *stages));
    std::fflush(stdout);
}

/// Options that say how schedulers are compared, and where that is written, have no meaning here.
void check_stage_options(const BenchOptions& options) {
    if (!options.datadir.empty())
        fail_input(
            "bench: --stages begins at a genesis block: give chain files with --genesis, or "
            "--workload");
    if (!options.input.files.empty() && options.input.genesis.empty())
        fail_input(
            "bench: --stages does not go with blocks in JSON: their state is not whole; give "
            "chain files with --genesis, or --workload");
    BenchOptions heeded;
    heeded.input = options.input;
    heeded.workloads = options.workloads;
    heeded.blocks = options.blocks;
    heeded.txs = options.txs;
    heeded.seed = options.seed;
    heeded.fork = options.fork;
    heeded.repetitions = options.repetitions;
    heeded.stages = true;
    if (options != heeded)
        fail_input(
            "bench: --stages goes with files, --genesis, --chain, --workload, --blocks, --txs, "
            "--seed, --fork and --repetitions alone: it compares no schedulers");
}

ExitCode run_stages(const BenchOptions& options) {
    check_stage_options(options);
    const Plan plan = make_plan(options);
    if (!options.input.files.empty()) {
        const BlockRange range{0, options.blocks == 0 ? kUsualGivenBlocks : options.blocks};
        const Subject subject = load_chain(options.input, range);
        show_stages(subject, load_chain_genesis(options.input, "bench"), options.repetitions);
    }
    for (const workload::ScenarioChoice& scenario : plan.scenarios) {
        Chain chain = make_chain(scenario, chain_plan(options, plan));
        const Genesis genesis = chain.genesis;
        show_stages(make_subject(std::move(chain)), genesis, options.repetitions);
    }
    return ExitCode::ok;
}

ExitCode run(BenchOptions options) {
    check_inputs(options);
    check_company(options);
    if (options.input.files.empty() && options.datadir.empty() && options.workloads.empty())
        options.workloads = kUsualWorkloads;
    if (options.stages) return run_stages(options);
    const Plan plan = make_plan(options);
    BenchReport report;
    report.program = "heddle " HEDDLE_VERSION;
    report.command = command_text(options);
    report.began = fmt::format(
        "{:%Y-%m-%d %H:%M} UTC",
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now()));
    report.machine = this_machine();
    report.repetitions = options.repetitions;
    report.is_cold = options.is_cold;
    report.is_pinned = !options.no_pin;

    warn_of_processors(plan, report.machine);

    Progress progress;
    const std::vector<Subject> subjects = load_subjects(options, plan, progress);
    if (!options.no_pin) executor::bind_this_thread(0);
    const MatrixSettings settings{.repetitions = options.repetitions,
                                  .seed = options.seed,
                                  .is_cold = options.is_cold,
                                  .is_pinned = !options.no_pin,
                                  .has_model = !options.no_model};
    Progress measuring;
    for (const Subject& subject : subjects) {
        const auto done = static_cast<double>(report.subjects.size());
        report.subjects.push_back(
            run_matrix(subject, plan, settings, [&](std::string_view what, double fraction) {
                measuring.update(std::string{what},
                                 (done + fraction) / static_cast<double>(subjects.size()));
            }));
        measuring.finish();
        print_beside_reports(options, to_table(report.subjects.back()));
    }
    write_results(options, report);
    return ExitCode::ok;
}

/// `0..1, usually 0`
std::string range_text(const workload::ScenarioSetting& setting) {
    const double unit = setting.is_share ? workload::kMillion : 1;
    const auto shown = [unit](std::uint64_t value) { return static_cast<double>(value) / unit; };
    return fmt::format("{}..{}, usually {}", shown(setting.least), shown(setting.most),
                       shown(setting.usual));
}

/// A choice of --workload or --schedulers with what can be set of it.
void list_choice(const auto& info, const auto& values) {
    fmt::print("  {:<12} {}\n", info.name, info.description);
    for (const auto& setting : info.settings)
        fmt::print("    {:<18} {} ({})\n", setting.name, setting.description, values(setting));
}

ExitCode list() {
    fmt::print("Workloads, and their settings as NAME:SETTING=VALUE,…\n");
    for (const workload::ScenarioInfo& info : workload::scenarios())
        list_choice(info, range_text);
    fmt::print("Schedulers\n");
    for (const executor::SchedulerInfo& info : executor::schedulers())
        list_choice(info, values_text);
    return ExitCode::ok;
}

ExitCode compare_files(const Arguments& arguments) {
    JsonParser parser;
    const BenchReport before = report_from_json(parser.parse_file(arguments.before));
    const BenchReport after = report_from_json(parser.parse_file(arguments.after));
    const ComparisonResult result = compare(before, after,
                                            {.before = arguments.before,
                                             .after = arguments.after,
                                             .is_relative = arguments.is_relative});
    fmt::print("{}", to_text(result));
    return result.has_slower() ? ExitCode::failed : ExitCode::ok;
}

void add_inputs(Command command, BenchOptions& options) {
    command.add_option("files", options.input.files,
                       "Blocks in JSON that carry their pre-state, or folders of them; with "
                       "--genesis: chain files");
    add_chain_options(command, options.input);
    command.add_option("--datadir", options.datadir, "Take the blocks stored in this directory");
    command.add_option("--workload", options.workloads,
                       fmt::format("Make blocks: names with settings, apart by commas, such as "
                                   "ycsb:skew=0.9,reads=0.5,erc20; see --list (default, without "
                                   "other blocks: {})",
                                   kUsualWorkloads));
    command.add_option("--from", options.from, "The first block of chain files or --datadir");
    command
        .add_option("--blocks", options.blocks,
                    fmt::format("Number of blocks (default: {} that are made, up to {} of what is "
                                "given)",
                                kUsualMadeBlocks, kUsualGivenBlocks))
        .in_range(std::uint64_t{1}, kMaxBlocks);
    command.add_option("--txs", options.txs, "Transactions per block that is made")
        .in_range(std::uint32_t{1}, workload::kMaxScenarioTransactions)
        .capture_default();
    command.add_option("--seed", options.seed, "What workloads and arrivals follow from")
        .capture_default();
    command.add_option("--fork", options.fork, "Rules of workloads: " + known_forks())
        .offers(fork_choices());
}

void add_contenders(Command command, BenchOptions& options) {
    command
        .add_option("--schedulers", options.schedulers,
                    "Schedulers apart by commas, each with its settings (NAME:SETTING=VALUE,...); "
                    "the first is what the others are compared with; values is always told of "
                    "access lists; light blocks, such as those of transfers, are executed by one "
                    "thread, whichever it is")
        .capture_default();
    command
        .add_option("--workers", options.workers,
                    "Numbers of threads that execute, apart by commas")
        .capture_default();
    command
        .add_option("--knowledge", options.knowledge,
                    "What parallel schedulers are told of transactions: values, declared, hinted, "
                    "unknown, apart by commas")
        .capture_default();
    command.add_option("--load", options.loads,
                       "Open loop: Poisson arrivals at these shares of the first contender's "
                       "throughput");
    command.add_option("--rate", options.rates, "The same in transactions per second");
    command.add_option("--repetitions", options.repetitions, "Runs of each, in turn")
        .in_range(std::uint64_t{1}, kMaxRepetitions)
        .capture_default();
    command.add_flag("--cold", options.is_cold,
                     "Each run by a fresh executor: code not analysed, tables empty");
    command.add_flag("--no-pin", options.no_pin, "Do not bind threads to processors");
    command.add_flag("--no-model", options.no_model,
                     "Leave out what is modelled: critical paths, more cores");
    command.add_flag("--stages", options.stages,
                     "Instead: what each stage of verifying and keeping the blocks takes, "
                     "measured by itself, and what that gives on more cores (modelled)");
}

}  // namespace

void register_bench(Command app, Action& action) {
    const auto arguments = std::make_shared<Arguments>();
    BenchOptions& options = arguments->options;
    Command command = app.add_subcommand(
        "bench", "Compare schedulers on blocks and workloads; without arguments, in a minute");
    add_inputs(command, options);
    add_contenders(command, options);
    command.add_option("--html", options.html,
                       "Write a report with plots, in one file; - is standard output");
    command.add_option("--json", options.json,
                       "Write everything, for `heddle bench compare`; - is standard output");
    command.add_option("--csv", options.csv, "Write the table; - is standard output");
    command.add_flag("--list", arguments->lists_only, "Show workloads, schedulers, their settings");
    Command comparing = command.add_subcommand(
        "compare", "Say what got slower beyond noise between two reports; exit code 1 if any did");
    comparing.add_option("before", arguments->before, "Report of --json").required();
    comparing.add_option("after", arguments->after, "Another one").required();
    comparing.add_flag("--relative", arguments->is_relative,
                       "Compare times over the first contender's, e.g. of other machines");
    // The parser calls this one behind that of its subcommand.
    command.callback([arguments, &action] {
        action = [arguments] {
            if (!arguments->before.empty()) {
                if (arguments->lists_only || arguments->options != BenchOptions{})
                    fail_input(
                        "bench compare: goes with no option of `heddle bench`: it reads reports "
                        "that are there");
                return compare_files(*arguments);
            }
            return arguments->lists_only ? list() : run(arguments->options);
        };
    });
}

}  // namespace heddle::node
