// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/traced_schedule.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <executor/ordered_block.hpp>
#include <executor/schedulers.hpp>
#include <types/assert.hpp>
#include <types/counted.hpp>

#include "formats/witness_file.hpp"
#include "program/error.hpp"

namespace heddle::node {

namespace {

using executor::ScheduleEvent;
using Kind = ScheduleEvent::Kind;

constexpr unsigned kRuns = 3;

class Recorder final : public executor::ScheduleObserver {
public:
    void on_event(const ScheduleEvent& event) noexcept override {
        const std::lock_guard guard(lock_);
        events_.push_back(event);
    }
    /// While nothing runs.
    [[nodiscard]] std::vector<ScheduleEvent>& events() noexcept { return events_; }

private:
    std::mutex lock_;
    std::vector<ScheduleEvent> events_;
};

/// The attempt of each transaction that was accepted; none: it has none.
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
std::vector<std::uint32_t> accepted_attempts(std::span<const ScheduleEvent> events,
                                             std::uint32_t transactions) {
    std::vector<std::uint32_t> accepted(transactions, kNone);
    for (const ScheduleEvent& event : events)
        if (event.kind == Kind::accepted && event.index < transactions)
            accepted[event.index] = event.attempt;
    return accepted;
}

Bar::Kind kind_of(const ScheduleEvent& event, std::uint32_t accepted) noexcept {
    if (event.kind == Kind::repaired) return Bar::Kind::repaired;
    if (event.kind == Kind::in_order) return Bar::Kind::in_order;
    return event.kind == Kind::attempted && event.attempt == accepted ? Bar::Kind::ahead
                                                                      : Bar::Kind::lost;
}

}  // namespace

Timeline make_timeline(std::span<const ScheduleEvent> events, std::uint32_t transactions,
                       std::uint32_t workers) {
    const std::vector<std::uint32_t> accepted = accepted_attempts(events, transactions);
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (const ScheduleEvent& event : events)
        first = std::min(first, event.begin_ns);
    Timeline timeline;
    timeline.unit = "ns";
    timeline.lanes = workers;
    for (const ScheduleEvent& event : events) {
        timeline.end = std::max(timeline.end, event.end_ns - first);
        if (event.kind == Kind::accepted || event.index >= transactions || event.worker >= workers)
            continue;
        timeline.bars.push_back({.transaction = event.index,
                                 .lane = event.worker,
                                 .begin = event.begin_ns - first,
                                 .end = event.end_ns - first,
                                 .attempt = event.attempt,
                                 .kind = kind_of(event, accepted[event.index])});
    }
    std::ranges::sort(timeline.bars, {},
                      [](const Bar& bar) { return std::pair{bar.begin, bar.transaction}; });
    return timeline;
}

void check_traceable(const std::string& scheduler) {
    if (const auto check = executor::check_scheduler(scheduler); !check.has_value())
        fail_input("inspect: {}: {}", scheduler, check.error());
    if (!executor::is_parallel(scheduler))
        fail_input("inspect: {}: runs everything in order; there is nothing to watch", scheduler);
}

Timeline trace_block(const executor::World& world, const Block& block, const std::string& scheduler,
                     std::uint32_t workers) {
    check_traceable(scheduler);
    Recorder recorder;
    executor::Options options;
    options.parallel.workers = workers;
    options.parallel.may_outnumber_processors = true;  // it is to be seen how so many do
    const auto executor = executor::make_observed_executor(scheduler, std::move(options), recorder);
    HEDDLE_ASSERT(executor != nullptr);
    DiscardingSink sink;
    for (unsigned run = 0; run < kRuns; ++run) {
        recorder.events().clear();
        executor->start({.config = world.config,
                         .state = world.state,
                         .block_hashes = world.block_hashes,
                         .sink = sink},
                        {});
        auto ordered = executor::make_ordered_block(block, executor::BlockMode::witness);
        ordered.start.ommers.clear();  // what they get is no part of it
        if (const auto taken = executor::run(*executor, std::move(ordered)); !taken.has_value())
            fail_input("inspect: {}: {}", scheduler, to_string(taken.error()));
        if (const auto summary = executor->drain(); !summary.has_value())
            fail_input("inspect: {}: {}", scheduler, to_string(summary.error()));
    }
    const auto count = static_cast<std::uint32_t>(block.transactions.size());
    Timeline timeline = make_timeline(recorder.events(), count, workers);
    const auto lost = std::ranges::count(timeline.bars, Bar::Kind::lost, &Bar::kind);
    const auto repaired = std::ranges::count(timeline.bars, Bar::Kind::repaired, &Bar::kind);
    const auto in_order = std::ranges::count(timeline.bars, Bar::Kind::in_order, &Bar::kind);
    timeline.title = fmt::format(
        "{} on {}, measured: {} lost, {} repaired, {} run in order", scheduler,
        counted(workers, "worker"), counted(static_cast<std::uint64_t>(lost), "attempt"),
        counted(static_cast<std::uint64_t>(repaired), "transaction"), in_order);
    return timeline;
}

}  // namespace heddle::node
