// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "suites/suite_runner.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <regex>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include <types/processors.hpp>

#include "formats/json_writer.hpp"
#include "program/command_line.hpp"
#include "program/file.hpp"
#include "program/say.hpp"
#include "program/terminal.hpp"

namespace heddle::node {

namespace {

constexpr unsigned kMaxWorkers = 1024;

/// geth's batch mode: names of files on standard input, one per line.
std::vector<std::string> read_names_from_input() {
    if (::isatty(STDIN_FILENO) != 0)
        fail_input(
            "no files: name fixture files or folders, or write their names to standard "
            "input");
    std::vector<std::string> names;
    for (std::string line; std::getline(std::cin, line);)
        if (!line.empty()) names.push_back(line);
    if (names.empty()) fail_input("no files: standard input names none");
    return names;
}

struct FileResults {
    std::vector<TestResult> cases;
    std::string input_error;
};

/// Largest files first, so that no worker is left with a large one at the end.
std::vector<std::size_t> order_by_size(const std::vector<std::string>& files) {
    std::vector<std::pair<std::uintmax_t, std::size_t>> sizes;
    sizes.reserve(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::error_code error;
        const auto size = std::filesystem::file_size(files[i], error);
        sizes.emplace_back(error ? 0 : size, i);
    }
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    std::vector<std::size_t> order;
    order.reserve(files.size());
    for (const auto& [size, index] : sizes)
        order.push_back(index);
    return order;
}

bool is_unfinished(const TestResult& result) noexcept {
    return !result.pass && result.error.empty() && result.skip.empty();
}

std::vector<FileResults> run_all(const std::vector<std::string>& files, unsigned workers,
                                 const std::function<std::unique_ptr<FileRunner>()>& make_runner) {
    std::vector<FileResults> results(files.size());
    const auto order = order_by_size(files);
    std::atomic<std::size_t> next = 0;
    std::mutex fatal_mutex;
    std::exception_ptr fatal_error;
    const auto work = [&] {
        try {
            const auto runner = make_runner();
            // A claim of work needs no order with anything else: joining the threads publishes.
            for (std::size_t i = next.fetch_add(1, std::memory_order_relaxed); i < order.size();
                 i = next.fetch_add(1, std::memory_order_relaxed)) {
                FileResults& result = results[order[i]];
                try {
                    runner->run(files[order[i]], result.cases);
                } catch (const InputError& error) {
                    result.input_error = error.what();
                    // The case that was being run has not failed: it makes no sense.
                    if (!result.cases.empty() && is_unfinished(result.cases.back()))
                        result.cases.pop_back();
                }
            }
        } catch (...) {
            const std::lock_guard lock(fatal_mutex);
            fatal_error = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 1; i < workers; ++i)
            threads.emplace_back(work);
        work();
    }
    if (fatal_error) std::rethrow_exception(fatal_error);
    return results;
}

void write_json(const std::vector<FileResults>& results) {
    std::string text;
    JsonWriter json(text);
    bool any = false;
    for (const auto& file : results)
        any = any || !file.cases.empty();
    if (!any) {
        fmt::print("null\n");
        return;
    }
    json.begin_array();
    for (const auto& file : results) {
        for (const auto& result : file.cases) {
            json.begin_object();
            json.key("name");
            json.string(result.name);
            json.key("pass");
            json.boolean(result.pass);
            if (result.state_root) {
                json.key("stateRoot");
                json.hash(*result.state_root);
            }
            json.key("fork");
            json.string(result.fork);
            if (!result.error.empty()) {
                json.key("error");
                json.string(result.error);
            }
            if (!result.skip.empty()) {
                json.key("skipped");
                json.string(result.skip);
            }
            if (result.best_seconds > 0) {
                json.key("benchStats");
                json.begin_object();
                json.key("time");
                json.number(static_cast<std::uint64_t>(result.best_seconds * 1e9));
                json.key("gasUsed");
                json.number(result.gas_used);
                json.end_object();
            }
            json.end_object();
        }
    }
    json.end_array();
    fmt::print("{}\n", text);
}

std::string display_name(const TestResult& result) {
    std::string name = fmt::format("{} [{}", result.name, result.fork);
    if (result.index) name += fmt::format(" #{}", *result.index);
    return name + "]";
}

void write_lines(const std::vector<FileResults>& results, bool all) {
    const bool colour = may_colour();
    for (const auto& file : results) {
        for (const auto& result : file.cases) {
            if (result.best_seconds > 0)
                fmt::print("{} {:.3f} ms, {} gas, {:.1f} Mgas/s\n", display_name(result),
                           result.best_seconds * 1e3, result.gas_used,
                           static_cast<double>(result.gas_used) / result.best_seconds / 1e6);
            if (!result.skip.empty())
                fmt::print("[{}] {}: skipped: {}\n", colour ? "\033[33mSKIP\033[0m" : "SKIP",
                           display_name(result), result.skip);
            else if (result.pass && all)
                fmt::print("[{}] {}\n", colour ? "\033[32mPASS\033[0m" : "PASS",
                           display_name(result));
            else if (!result.pass)
                fmt::print("[{}] {}: {}\n", colour ? "\033[31mFAIL\033[0m" : "FAIL",
                           display_name(result), result.error);
        }
    }
}

}  // namespace

void add_test_options(Command command, TestOptions& options) {
    command.add_option("paths", options.paths,
                       "Fixture files or folders; without any, names are read from standard input");
    command.add_option("--run", options.run_pattern,
                       "Run only tests whose name matches this regular expression");
    command.add_flag("--json", options.json,
                     "Print a JSON array of results, as geth does, and the summary to standard "
                     "error");
    command.add_flag("--human", options.human, "Print a line for each case, not only for failures");
    command
        .add_option("--workers", options.workers,
                    "Threads, each on a file of its own (default: one per processor)")
        .in_range(1u, kMaxWorkers);
    using Engine = TestOptions::Engine;
    command.add_choice<Engine>(
        "--engine", options.engine, "Interpreter: fast, plain, or both, which compares them",
        {{"fast", Engine::fast}, {"plain", Engine::plain}, {"both", Engine::both}},
        {.names = "{fast,plain,both}", .ignores_case = true});
    const auto group = "Tracing";
    command.add_flag("--trace", options.trace, "Write every step to standard error (EIP-3155)")
        .group(group);
    command.add_option("--trace.format", "Accepted for compatibility: always json")
        .one_of({"json"})
        .group(group);
    command
        .add_flag("!--trace.nomemory,!--nomemory", options.tracer.with_memory,
                  "Leave memory out of traces (default: true)")
        .group(group);
    command
        .add_flag("!--trace.noreturndata,!--noreturndata", options.tracer.with_return_data,
                  "Leave return data out of traces (default: true)")
        .group(group);
    command
        .add_flag("!--trace.nostack,!--nostack", options.tracer.with_stack,
                  "Leave the stack out of traces (default: false)")
        .group(group);
    command
        .add_flag("--trace.nostorage,--nostorage", options.no_storage,
                  "Accepted for compatibility: there is no storage in traces")
        .group(group);
}

NameFilter::NameFilter(const std::string& pattern) {
    if (pattern.empty() || pattern == ".*") return;
    try {
        expression_ = std::make_shared<const std::regex>(
            pattern, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
        fail_input("--run: \"{}\" is not a regular expression: {}", pattern, error.what());
    }
}

bool NameFilter::matches(const std::string& name) const {
    return expression_ == nullptr ||
           std::regex_search(name, *static_cast<const std::regex*>(expression_.get()));
}

ExitCode run_test_files(const TestOptions& options,
                        const std::function<std::unique_ptr<FileRunner>()>& make_runner) {
    (void)NameFilter(options.run_pattern);  // a wrong pattern is reported before anything runs
    const auto files =
        expand_paths(options.paths.empty() ? read_names_from_input() : options.paths, ".json");
    unsigned workers = options.workers != 0 ? options.workers : processor_count();
    if (options.trace) workers = 1;  // steps of two cases must not mix
    workers = std::min<unsigned>(
        workers, static_cast<unsigned>(std::min<std::size_t>(files.size(), kMaxWorkers)));
    const auto results = run_all(files, std::max(1u, workers), make_runner);

    std::size_t passed = 0;
    std::size_t failed = 0;
    std::size_t skipped = 0;
    std::size_t unreadable = 0;
    for (const auto& file : results) {
        for (const auto& result : file.cases)
            ++(!result.skip.empty() ? skipped : result.pass ? passed : failed);
        if (!file.input_error.empty()) {
            ++unreadable;
            say("heddle: {}\n", file.input_error);
        }
    }
    if (options.json)
        write_json(results);
    else
        write_lines(results, options.human);
    const std::string summary =
        fmt::format("{} passed, {} failed{}\n", passed, failed,
                    skipped == 0 ? "" : fmt::format(", {} skipped", skipped));
    if (options.json)
        say("{}", summary);
    else
        fmt::print("{}", summary);
    if (unreadable > 0) return ExitCode::bad_input;
    return failed > 0 ? ExitCode::failed : ExitCode::ok;
}

}  // namespace heddle::node
