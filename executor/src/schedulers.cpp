// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <executor/schedulers.hpp>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <executor/executor.hpp>
#include <executor/schedule_observer.hpp>

#include "aria/aria_scheduler.hpp"
#include "dag/dag_scheduler.hpp"
#include "early/early_scheduler.hpp"
#include "early/early_settings.hpp"
#include "late/late_scheduler.hpp"
#include "mixed_executor.hpp"
#include "optimistic/optimistic_scheduler.hpp"
#include "parallel_settings.hpp"
#include "serial_executor.hpp"
#include "workers/code_cache_mutex.hpp"

namespace heddle::executor {
namespace {

struct Entry {
    SchedulerInfo info;
    MakeScheduler make_policy;  // null: the serial executor, which schedules nothing
    /// What the list of settings cannot say, as files that they name; may be null.
    std::expected<void, std::string> (*check)(const SchedulerSettings& settings) = nullptr;
    BlockUse use = {};
};

/// The one list of schedulers. The oracle first; the others are policies of ParallelExecutor.
constexpr std::array kSchedulers = {
    Entry{{kSerialScheduler, "one transaction after the other"}, nullptr},
    Entry{{kDefaultScheduler, "one of the next two, stream order or one thread, by block"},
          make_dag_scheduler,
          nullptr,
          {.takes_lists = true, .judges_pace = true}},
    Entry{{kValuesScheduler, "blocks that come with access lists from these, others as dag"},
          make_dag_scheduler,
          nullptr,
          {.takes_lists = true}},
    Entry{{kDagScheduler, "those that do not depend on each other in parallel"},
          make_dag_scheduler},
    Entry{{"early", "by classes of what they touch, mapped to threads", kEarlySettings},
          make_early_scheduler,
          check_early_settings},
    Entry{
        {"late", "those that do not conflict, from one graph shared by all threads", kLateSettings},
        make_late_scheduler},
    Entry{{kOptimisticScheduler, "all at once, those overtaken again (Block-STM)"},
          make_optimistic_scheduler},
    Entry{
        {"aria", "batch by batch on the state before it, in the DAG what conflicts", kAriaSettings},
        make_aria_scheduler},
};

constexpr auto kInfos = [] {
    std::array<SchedulerInfo, kSchedulers.size()> infos;
    std::ranges::transform(kSchedulers, infos.begin(), &Entry::info);
    return infos;
}();

/// By `name` or `name:settings`; of the oracle, which has no policy, without a maker.
std::expected<PolicyChoice, std::string> choose(std::string_view text) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view name = text.substr(0, end);
    const auto* const found =
        std::ranges::find(kSchedulers, name, [](const Entry& entry) { return entry.info.name; });
    if (found == kSchedulers.end())
        return std::unexpected(fmt::format(
            "expected {}", fmt::join(std::views::transform(kInfos, &SchedulerInfo::name), " or ")));
    const std::string_view rest = text.substr(end);
    auto settings =
        SchedulerSettings::parse(found->info.settings, rest.empty() ? rest : rest.substr(1));
    if (!settings.has_value())
        return std::unexpected(fmt::format("{}: {}", name, settings.error()));
    if (found->check != nullptr)
        if (const auto check = found->check(*settings); !check.has_value())
            return std::unexpected(fmt::format("{}: {}", name, check.error()));
    return PolicyChoice{found->make_policy, *std::move(settings), nullptr, found->use};
}

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

std::expected<void, std::string> check_scheduler(std::string_view text) {
    if (const auto choice = choose(text); !choice.has_value())
        return std::unexpected(choice.error());
    return {};
}

std::unique_ptr<Executor> make_executor(std::string_view scheduler, Options options) {
    return make_executor(scheduler, std::move(options), nullptr);
}

std::unique_ptr<Executor> make_executor(std::string_view scheduler, Options options,
                                        ScheduleObserver* observer) {
    auto choice = choose(scheduler);
    if (!choice.has_value()) return nullptr;
    // Also where there is nobody to share the work with.
    if (choice->make == nullptr ||
        (can_run_serially(options.parallel) && worker_count(options.parallel) == 1))
        return std::make_unique<SerialExecutor>(std::move(options), observer);
    choice->observer = observer;
    if (options.code_cache == nullptr) options.code_cache = make_shared_code_cache();
    return std::make_unique<MixedExecutor>(options, *std::move(choice));
}

std::unique_ptr<Executor> make_observed_executor(std::string_view scheduler, Options options,
                                                 ScheduleObserver& observer) {
    auto choice = choose(scheduler);
    if (!choice.has_value() || choice->make == nullptr) return nullptr;
    choice->observer = &observer;
    return std::make_unique<ParallelExecutor>(std::move(options), *std::move(choice));
}

}  // namespace heddle::executor
