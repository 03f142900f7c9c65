// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which schedulers there are. Whoever lets somebody choose takes names and words from here.
//
// A scheduler is chosen by its name and, where it has settings, by these: `name` or
// `name:setting=value,setting=value`.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::executor {

/// The oracle by name.
inline constexpr std::string_view kSerialScheduler = "serial";
/// The one to be used where nothing else is asked for: chooses for each block among those below and
/// stream order, by what is known of it and what was measured.
inline constexpr std::string_view kDefaultScheduler = "auto";
/// The streaming DAG, where transactions run as soon as those they depend on have.
inline constexpr std::string_view kDagScheduler = "dag";
/// Blocks that come with access lists run from them, others as with the DAG.
inline constexpr std::string_view kValuesScheduler = "values";
/// Block-STM: runs everything at once and again where that was too early. The yardstick.
inline constexpr std::string_view kOptimisticScheduler = "optimistic";

/// A setting takes one of its words, a number in its range, or any text, as far as it has them.
struct SettingInfo {
    std::string_view name;
    std::string_view description;                  // what it decides, in half a sentence
    std::string_view initial;                      // its value where none is given
    std::span<const std::string_view> words = {};  // those that may be given
    std::uint64_t least = 1;                       // numbers that may be given: none if this is
    std::uint64_t most = 0;                        // above that
    bool is_text = false;                          // any text but an empty one
};

struct SchedulerInfo {
    std::string_view name;
    std::string_view description;  // what it does with transactions, in half a sentence
    std::span<const SettingInfo> settings = {};
};
/// All there are, the oracle first. All give the same results.
[[nodiscard]] std::span<const SchedulerInfo> schedulers() noexcept;
/// Their names, in the same order.
[[nodiscard]] std::vector<std::string> scheduler_names();

/// Whether there is such a scheduler and it can be set like this.
/// Errors: what is wrong with `text`, and what is expected, as half a sentence.
[[nodiscard]] std::expected<void, std::string> check_scheduler(std::string_view text);

/// All but the oracle run on `Options::parallel.workers` threads.
[[nodiscard]] constexpr bool is_parallel(std::string_view scheduler) noexcept {
    return scheduler != kSerialScheduler;
}

}  // namespace heddle::executor
