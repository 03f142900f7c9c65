// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/execution_log.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <ranges>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace heddle::node {
namespace {

using executor::ScheduleEvent;
using Kind = ScheduleEvent::Kind;

/// Blocks that have begun and are not staged: more than any executor has in flight.
constexpr std::size_t kMostBegun = 1'024;

void count_runs(const BlockRuns& runs, ExecutionFigures& figures) {
    std::set<std::uint32_t> workers;
    for (const TransactionRun& run : runs) {
        workers.insert(run.worker);
        figures.busy_ns += run.end_ns - run.begin_ns;
        figures.execution_ns = std::max(figures.execution_ns, run.end_ns);
        if (!run.is_final) ++figures.lost;
        if (run.kind == Kind::attempted || run.kind == Kind::confirmed) ++figures.attempted;
        if (run.kind == Kind::repaired) ++figures.repaired;
        if (run.kind == Kind::in_order) ++figures.in_order;
    }
    figures.workers = static_cast<std::uint32_t>(workers.size());
}

}  // namespace

BlockRuns make_runs(std::span<const ScheduleEvent> events, std::uint64_t began_ns) {
    std::unordered_map<std::uint32_t, std::uint32_t> accepted;  // attempt, by transaction
    for (const ScheduleEvent& event : events)
        if (event.kind == Kind::accepted) accepted[event.index] = event.attempt;
    BlockRuns runs;
    runs.reserve(events.size() - std::min(events.size(), accepted.size()));
    for (const ScheduleEvent& event : events) {
        if (event.kind == Kind::accepted) continue;
        const auto found = accepted.find(event.index);
        const bool is_accepted = event.kind == Kind::attempted && found != accepted.end() &&
                                 found->second == event.attempt;
        runs.push_back({.index = event.index,
                        .worker = event.worker,
                        .begin_ns = std::max(event.begin_ns, began_ns) - began_ns,
                        .end_ns = std::max(event.end_ns, began_ns) - began_ns,
                        .kind = event.kind,
                        .is_final = is_accepted || event.kind == Kind::repaired ||
                                    event.kind == Kind::in_order || event.kind == Kind::confirmed});
    }
    std::ranges::sort(runs, {},
                      [](const TransactionRun& run) { return std::pair{run.begin_ns, run.index}; });
    // A list that was refuted is followed by a second run of what it confirmed.
    std::unordered_set<std::uint32_t> seen;
    for (TransactionRun& run : std::views::reverse(runs))
        if (run.is_final) run.is_final = seen.insert(run.index).second;
    return runs;
}

std::uint64_t ExecutionLog::now_ns() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds{now}.count());
}

void ExecutionLog::on_block(std::uint64_t number) noexcept {
    for (Shard& shard : shards_) {
        const std::scoped_lock lock{shard.mutex};
        std::erase_if(shard.events,
                      [&](const ScheduleEvent& event) { return event.block == number; });
    }
    const std::scoped_lock lock{mutex_};
    try {
        begun_[number] = now_ns();
        while (begun_.size() > kMostBegun)
            begun_.erase(begun_.begin());
    } catch (const std::bad_alloc&) {
        begun_.erase(number);  // a picture less
    }
}

void ExecutionLog::on_event(const ScheduleEvent& event) noexcept {
    Shard& shard = shards_[event.worker % kShards];
    const std::scoped_lock lock{shard.mutex};
    if (shard.events.size() >= limits_.events_in_flight_of_worker) {
        ++shard.lost;
        return;
    }
    try {
        shard.events.push_back(event);
    } catch (const std::bad_alloc&) {
        ++shard.lost;
    }
}

std::vector<ScheduleEvent> ExecutionLog::take_events(std::uint64_t number,
                                                     std::uint64_t& not_kept) {
    std::vector<ScheduleEvent> taken;
    for (Shard& shard : shards_) {
        const std::scoped_lock lock{shard.mutex};
        for (const ScheduleEvent& event : shard.events) {
            if (event.block != number) continue;
            if (taken.size() < limits_.events_of_block)
                taken.push_back(event);
            else
                ++not_kept;
        }
        std::erase_if(shard.events,
                      [&](const ScheduleEvent& event) { return event.block <= number; });
        not_kept += std::exchange(shard.lost, 0);
    }
    return taken;
}

void ExecutionLog::recovered(std::uint64_t elapsed_ns) {
    const std::scoped_lock lock{mutex_};
    recovery_ns_ += elapsed_ns;
}

void ExecutionLog::staged(const BlockHeader& header, const Hash& hash, std::size_t transactions,
                          std::uint64_t began_ns, std::uint64_t ended_ns) {
    ExecutionFigures figures;
    figures.number = header.number;
    figures.hash = hash;
    figures.timestamp = header.timestamp;
    figures.transactions = transactions;
    figures.gas_used = header.gas_used;
    figures.tries_ns = ended_ns - began_ns;
    const std::vector<ScheduleEvent> events = take_events(header.number, figures.not_kept);

    const std::scoped_lock lock{mutex_};
    const auto begun = begun_.find(header.number);
    const std::uint64_t block_began = begun == begun_.end() ? began_ns : begun->second;
    begun_.erase(begun_.begin(), begun_.upper_bound(header.number));
    BlockRuns runs = make_runs(events, block_began);
    count_runs(runs, figures);
    if (runs.empty()) figures.execution_ns = began_ns - std::min(began_ns, block_began);
    figures.recovery_ns = std::exchange(recovery_ns_, 0);
    // A block takes the place of those that it stands instead of.
    while (!blocks_.empty() && blocks_.back().figures.number >= header.number) {
        forget(blocks_.back());
        blocks_.pop_back();
    }
    run_bytes_ += runs.capacity() * sizeof(TransactionRun);
    blocks_.push_back({figures, std::make_shared<const BlockRuns>(std::move(runs))});
    forget_oldest();
}

/// Of its runs.
void ExecutionLog::forget(ObservedExecution& block) {
    if (!block.runs) return;
    run_bytes_ -= block.runs->capacity() * sizeof(TransactionRun);
    block.runs.reset();
}

void ExecutionLog::forget_oldest() {
    while (blocks_.size() > limits_.blocks) {
        forget(blocks_.front());
        blocks_.pop_front();
    }
    for (auto block = blocks_.begin(); run_bytes_ > limits_.run_bytes && block != blocks_.end();
         ++block)
        forget(*block);
}

void ExecutionLog::acknowledged(std::uint64_t elapsed_ns) {
    const std::scoped_lock lock{mutex_};
    if (!blocks_.empty()) blocks_.back().figures.disk_ns = elapsed_ns;
}

std::optional<ObservedExecution> ExecutionLog::find(const Hash& hash) const {
    const std::scoped_lock lock{mutex_};
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
        if (block->figures.hash == hash) return *block;
    return std::nullopt;
}

std::vector<ExecutionFigures> ExecutionLog::newest(std::size_t count) const {
    const std::scoped_lock lock{mutex_};
    std::vector<ExecutionFigures> figures;
    figures.reserve(std::min(count, blocks_.size()));
    for (std::size_t i = blocks_.size() - std::min(count, blocks_.size()); i < blocks_.size(); ++i)
        figures.push_back(blocks_[i].figures);
    return figures;
}

}  // namespace heddle::node
