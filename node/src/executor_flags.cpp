// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "executor_flags.hpp"

#include <map>
#include <utility>

#include <CLI/CLI.hpp>

#include <types/assert.hpp>

#include "error.hpp"

namespace heddle::node {

namespace {

/// More threads than any machine has processors are a slip of the finger.
constexpr unsigned kMaxWorkers = 1024;
constexpr unsigned kMaxPipeline = 4;
constexpr const char* kGroup = "Scheduling";

}  // namespace

void add_executor_flags(CLI::App& command, ExecutorFlags& flags, const std::string& workers_name) {
    command
        .add_option("--scheduler", flags.scheduler,
                    "serial: one transaction after the other; dag: those that do not depend on "
                    "each other in parallel, with the same results")
        ->check(CLI::IsMember({"serial", "dag"}))
        ->capture_default_str()
        ->group(kGroup);
    command
        .add_option(workers_name, flags.workers,
                    "dag: threads that execute (default: one per processor)")
        ->check(CLI::Range(1u, kMaxWorkers))
        ->group(kGroup);
    command
        .add_option("--pipeline", flags.pipeline,
                    "dag: threads of the dispatcher (default: by the number of processors)")
        ->check(CLI::Range(1u, kMaxPipeline))
        ->group(kGroup);
    const std::map<std::string, executor::Knowledge> levels = {
        {"declared", executor::Knowledge::declared},
        {"hinted", executor::Knowledge::hinted},
        {"unknown", executor::Knowledge::unknown}};
    command
        .add_option("--knowledge", flags.knowledge,
                    "dag: what is used of what is known of a transaction's objects: declared (sets "
                    "that came with the block, else hints), hinted (access lists) or unknown "
                    "(default: declared)")
        ->transform(CLI::CheckedTransformer(levels).description("{declared,hinted,unknown}"))
        ->type_name("TEXT")
        ->group(kGroup);
    command
        .add_option("--delay-seed", flags.delay_seed,
                    "dag, for tests: workers pause at random, by this seed")
        // Else -1 would be taken for the largest number.
        ->check([](const std::string& text) {
            return text.starts_with('-') ? "must not be negative" : std::string{};
        })
        ->group(kGroup);
}

std::unique_ptr<executor::Executor> make_executor(const ExecutorFlags& flags,
                                                  executor::Options options) {
    if (!flags.is_parallel() &&
        (flags.workers || flags.pipeline || flags.knowledge || flags.delay_seed))
        fail_input(
            "workers, --pipeline, --knowledge and --delay-seed have no meaning with --scheduler "
            "{}: "
            "leave them out or choose --scheduler dag",
            flags.scheduler);
    options.dag.workers = flags.workers.value_or(options.dag.workers);
    options.dag.pipeline = flags.pipeline.value_or(options.dag.pipeline);
    options.dag.knowledge = flags.knowledge.value_or(options.dag.knowledge);
    options.dag.delay_seed = flags.delay_seed.value_or(options.dag.delay_seed);
    auto executor = executor::make_executor(flags.scheduler, std::move(options));
    HEDDLE_ASSERT(executor != nullptr);
    return executor;
}

}  // namespace heddle::node
