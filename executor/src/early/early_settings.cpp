// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/early_settings.hpp"

#include <algorithm>
#include <utility>

#include "early/mapping_file.hpp"

namespace heddle::executor {
namespace {

ThreadModel model_of(const SchedulerSettings& settings) {
    const std::string& stealing = settings.value("stealing");
    const auto* const word = std::ranges::find(kStealingWords, stealing);
    switch (word - kStealingWords.begin()) {
        case 1:
            return ThreadModel::conservative;
        case 2:
            return ThreadModel::moderate;
        case 3:
            return ThreadModel::aggressive;
        case 4:
            return ThreadModel::optimistic;
        default:
            break;
    }
    return settings.value("waiting") == "barrier" ? ThreadModel::barrier : ThreadModel::busy_wait;
}

}  // namespace

std::expected<EarlySettings, std::string> read_early_settings(const SchedulerSettings& settings) {
    EarlySettings result;
    result.model = model_of(settings);
    const std::string& path = settings.value("mapping");
    if (!path.empty()) {
        auto file = read_mapping_file(path);
        if (!file.has_value()) return std::unexpected(std::move(file).error());
        result.shards = std::move(file->shards);
        result.threads = file->threads;
        result.mapping = std::move(file->mapping);
    } else {
        result.shards.shards = static_cast<unsigned>(settings.number("shards").value_or(1));
        result.shards.by = settings.value("by") == "key" ? ShardKey::key : ShardKey::contract;
        result.threads = static_cast<unsigned>(settings.number("threads").value_or(0));
    }
    result.shards.moves_count_as_writes = settings.value("moves") == "write";
    return result;
}

std::expected<void, std::string> check_early_settings(const SchedulerSettings& settings) {
    if (auto result = read_early_settings(settings); !result.has_value())
        return std::unexpected(std::move(result).error());
    return {};
}

}  // namespace heddle::executor
