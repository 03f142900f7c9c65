// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which schedulers there are. Whoever lets somebody choose takes names and words from here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::executor {

/// The oracle by name, and the one to be used where nothing else is asked for: the streaming DAG,
/// where transactions run as soon as those they depend on have.
inline constexpr std::string_view kSerialScheduler = "serial";
inline constexpr std::string_view kDefaultScheduler = "dag";

struct SchedulerInfo {
    std::string_view name;
    std::string_view description;  // what it does with transactions, in half a sentence
};
/// All there are, the oracle first. All give the same results.
[[nodiscard]] std::span<const SchedulerInfo> schedulers() noexcept;
/// Their names, in the same order.
[[nodiscard]] std::vector<std::string> scheduler_names();
/// All but the oracle run on `Options::parallel.workers` threads.
[[nodiscard]] constexpr bool is_parallel(std::string_view scheduler) noexcept {
    return scheduler != kSerialScheduler;
}

}  // namespace heddle::executor
