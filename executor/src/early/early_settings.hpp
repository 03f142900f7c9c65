// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be set of early scheduling.
#pragma once

#include <array>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <executor/schedulers.hpp>

#include "early/class_mapping.hpp"
#include "early/shard_map.hpp"
#include "early/thread_model.hpp"
#include "scheduler_settings.hpp"

namespace heddle::executor {

inline constexpr std::array<std::string_view, 5> kStealingWords = {
    "none", "conservative", "moderate", "aggressive", "optimistic"};
inline constexpr std::array<std::string_view, 2> kWaitingWords = {"barrier", "busy-wait"};
inline constexpr std::array<std::string_view, 1> kThreadsWords = {"workers"};
inline constexpr std::array<std::string_view, 2> kKeyWords = {"contract", "key"};
inline constexpr std::array<std::string_view, 2> kMovesWords = {"free", "write"};

inline constexpr std::array kEarlySettings = {
    SettingInfo{.name = "stealing",
                .description = "whether threads with nothing to do steal, and when",
                .initial = "optimistic",
                .words = kStealingWords},
    SettingInfo{.name = "waiting",
                .description = "how threads meet that do not steal",
                .initial = "busy-wait",
                .words = kWaitingWords},
    SettingInfo{.name = "shards",
                .description = "parts of the state, each with classes of its own",
                .initial = "8",
                .least = 1,
                .most = RequestClasses::kMaxShards},
    SettingInfo{.name = "threads",
                .description = "that classes are mapped to",
                .initial = "workers",
                .words = kThreadsWords,
                .least = 1,
                .most = kMaxThreads},
    SettingInfo{.name = "by",
                .description = "what a shard is made of: contracts, or ranges of their slots",
                .initial = "contract",
                .words = kKeyWords},
    SettingInfo{.name = "moves",
                .description = "what adding to and taking from a balance counts as",
                .initial = "free",
                .words = kMovesWords},
    SettingInfo{.name = "mapping",
                .description = "a file with shards, threads and classes, instead of these settings",
                .initial = "",
                .is_text = true},
};

struct EarlySettings {
    ThreadModel model = ThreadModel::optimistic;
    ShardOptions shards;
    unsigned threads = 0;  // 0: as many as workers
    std::optional<ClassMapping> mapping;
};

/// Reads the mapping file, if there is one.
/// Errors: what is wrong with it, in words.
[[nodiscard]] std::expected<EarlySettings, std::string> read_early_settings(
    const SchedulerSettings& settings);
/// The same, to tell before anything is made.
[[nodiscard]] std::expected<void, std::string> check_early_settings(
    const SchedulerSettings& settings);

}  // namespace heddle::executor
