// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <executor/schedulers.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <executor/executor.hpp>

#include "dag/dag_scheduler.hpp"
#include "mixed_executor.hpp"
#include "parallel_settings.hpp"
#include "workers/code_cache_mutex.hpp"

namespace heddle::executor {
namespace {

struct Entry {
    SchedulerInfo info;
    MakeScheduler make_policy;  // null: the serial executor, which schedules nothing
};

/// The one list of schedulers. The oracle first; the others are policies of ParallelExecutor.
constexpr std::array kSchedulers = {
    Entry{{kSerialScheduler, "one transaction after the other"}, nullptr},
    Entry{{kDefaultScheduler, "those that do not depend on each other in parallel"},
          make_dag_scheduler},
};

constexpr auto kInfos = [] {
    std::array<SchedulerInfo, kSchedulers.size()> infos;
    std::ranges::transform(kSchedulers, infos.begin(), &Entry::info);
    return infos;
}();

}  // namespace

std::span<const SchedulerInfo> schedulers() noexcept {
    return kInfos;
}

std::vector<std::string> scheduler_names() {
    std::vector<std::string> names;
    names.reserve(kInfos.size());
    for (const SchedulerInfo& info : kInfos)
        names.emplace_back(info.name);
    return names;
}

std::unique_ptr<Executor> make_executor(std::string_view scheduler, Options options) {
    const auto* const found = std::ranges::find(kSchedulers, scheduler,
                                                [](const Entry& entry) { return entry.info.name; });
    if (found == kSchedulers.end()) return nullptr;
    if (found->make_policy == nullptr) return make_serial_executor(std::move(options));
    // Nobody to share the work with.
    if (can_run_serially(options.parallel) && worker_count(options.parallel) == 1)
        return make_serial_executor(std::move(options));
    if (options.code_cache == nullptr) options.code_cache = make_shared_code_cache();
    return std::make_unique<MixedExecutor>(options, found->make_policy);
}

}  // namespace heddle::executor
