// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The options by which a command lets its user choose the scheduler and how it runs. Nothing here
// changes a result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <executor/executor.hpp>

namespace heddle::node {

class Command;

struct ExecutorFlags {
    std::string scheduler{executor::kDefaultScheduler};
    std::string workers_name = "--workers";  // what the option for `workers` is called
    // Only with a parallel scheduler; nullopt: left to the executor.
    std::optional<unsigned> workers;
    std::optional<unsigned> pipeline;
    std::optional<executor::Knowledge> knowledge;
    std::optional<std::uint64_t> delay_seed;

    [[nodiscard]] bool is_parallel() const noexcept { return executor::is_parallel(scheduler); }
};

/// Adds the options to a command.
/// @param workers_name  Of the option for the number of threads: a command may have `--workers` of
///                      its own.
void add_executor_flags(Command command, ExecutorFlags& flags,
                        const std::string& workers_name = "--workers");

/// What may be given for a setting, and what it is otherwise: `coarse|free, usually free`.
[[nodiscard]] std::string values_text(const executor::SettingInfo& setting);

/// Makes the executor asked for; `options.parallel` follows the flags.
/// Errors: InputError that names the flags which have no meaning with the scheduler chosen.
[[nodiscard]] std::unique_ptr<executor::Executor> make_executor(const ExecutorFlags& flags,
                                                                executor::Options options);

}  // namespace heddle::node
