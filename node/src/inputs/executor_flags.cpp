// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/executor_flags.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <types/assert.hpp>

#include "program/command_line.hpp"
#include "program/error.hpp"

namespace heddle::node {

namespace {

/// More threads than any machine has processors are a slip of the finger.
constexpr unsigned kMaxWorkers = 1024;
constexpr unsigned kMaxPipeline = 4;
constexpr const char* kGroup = "Scheduling";

/// `serial: one transaction after the other; dag: …`
std::string schedulers_text() {
    std::string text;
    for (const executor::SchedulerInfo& info : executor::schedulers()) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", info.name, info.description);
        std::vector<std::string> settings;
        for (const executor::SettingInfo& setting : info.settings)
            settings.push_back(
                fmt::format("{}={}: {}", setting.name, values_text(setting), setting.description));
        if (!settings.empty()) text += fmt::format(" ({})", fmt::join(settings, "; "));
    }
    return text;
}

/// Of those for which an option has a meaning.
std::string parallel_names() {
    std::vector<std::string> names = executor::scheduler_names();
    std::erase_if(names, [](const std::string& name) { return !executor::is_parallel(name); });
    return fmt::format("{}", fmt::join(names, ", "));
}

/// The options that were given and that only parallel schedulers have.
std::vector<std::string> given_for_parallel(const ExecutorFlags& flags) {
    std::vector<std::string> names;
    if (flags.workers) names.push_back(flags.workers_name);
    if (flags.pipeline) names.emplace_back("--pipeline");
    if (flags.knowledge) names.emplace_back("--knowledge");
    if (flags.delay_seed) names.emplace_back("--delay-seed");
    return names;
}

}  // namespace

std::string values_text(const executor::SettingInfo& setting) {
    std::vector<std::string> values(setting.words.begin(), setting.words.end());
    if (setting.least <= setting.most)
        values.push_back(fmt::format("{}..{}", setting.least, setting.most));
    if (setting.is_text) values.emplace_back("TEXT");
    std::string text = fmt::format("{}", fmt::join(values, "|"));
    if (!setting.initial.empty()) text += fmt::format(", usually {}", setting.initial);
    return text;
}

void add_executor_flags(Command command, ExecutorFlags& flags, const std::string& workers_name) {
    const std::string parallel = parallel_names();
    flags.workers_name = workers_name;
    command
        .add_option(
            "--scheduler", flags.scheduler,
            "How transactions are executed, always with the same results; " + schedulers_text())
        .type_name(
            fmt::format("{{{}}}[:SETTING=VALUE,...]", fmt::join(executor::scheduler_names(), ",")))
        .check([](const std::string& text) {
            const auto check = executor::check_scheduler(text);
            return check.has_value() ? std::string{} : fmt::format("{}: {}", text, check.error());
        })
        .capture_default()
        .group(kGroup);
    command
        .add_option(workers_name, flags.workers,
                    fmt::format("{}: threads that execute; not more run than there are processors "
                                "(default: as many, from 8 on one less, which the dispatcher has)",
                                parallel))
        .in_range(1u, kMaxWorkers)
        .group(kGroup);
    command
        .add_option("--pipeline", flags.pipeline,
                    fmt::format("{}: threads of the dispatcher (default: by the number of "
                                "processors)",
                                parallel))
        .in_range(1u, kMaxPipeline)
        .group(kGroup);
    using executor::Knowledge;
    command
        .add_choice<Knowledge>(
            "--knowledge", flags.knowledge,
            fmt::format("{}: what is used of what is known of a transaction's objects: values (a "
                        "block access list that came with the block, else the next), declared "
                        "(sets that came with it, else hints), hinted (the transactions' access "
                        "lists) or unknown (default: values)",
                        parallel),
            {{"values", Knowledge::values},
             {"declared", Knowledge::declared},
             {"hinted", Knowledge::hinted},
             {"unknown", Knowledge::unknown}},
            {.names = "{values,declared,hinted,unknown}"})
        .group(kGroup);
    command
        .add_option("--delay-seed", flags.delay_seed,
                    fmt::format("{}, for tests: workers pause at random, by this seed", parallel))
        // Else -1 would be taken for the largest number.
        .check([](const std::string& text) {
            return text.starts_with('-') ? "must not be negative" : std::string{};
        })
        .group(kGroup);
}

std::unique_ptr<executor::Executor> make_executor(const ExecutorFlags& flags,
                                                  executor::Options options) {
    if (const auto names = given_for_parallel(flags); !flags.is_parallel() && !names.empty())
        fail_input("{}: no meaning with --scheduler {}: leave out, or choose --scheduler {}",
                   fmt::join(names, ", "), flags.scheduler, executor::kDefaultScheduler);
    options.parallel.workers = flags.workers.value_or(options.parallel.workers);
    // With delays between them other interleavings are wanted, not speed.
    options.parallel.may_outnumber_processors = flags.delay_seed.has_value();
    options.parallel.pipeline = flags.pipeline.value_or(options.parallel.pipeline);
    options.parallel.knowledge = flags.knowledge.value_or(options.parallel.knowledge);
    options.parallel.delay_seed = flags.delay_seed.value_or(options.parallel.delay_seed);
    auto executor = executor::make_executor(flags.scheduler, std::move(options));
    HEDDLE_ASSERT(executor != nullptr);
    return executor;
}

}  // namespace heddle::node
