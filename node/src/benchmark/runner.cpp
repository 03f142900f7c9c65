// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/runner.hpp"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <types/assert.hpp>
#include <types/block_error.hpp>

#include "benchmark/flat_sink.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

std::uint64_t now_ns() noexcept {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

/// Sleeps while the moment is far, then looks at the clock, and lets others run in between.
void wait_until(std::uint64_t moment_ns) {
    constexpr std::uint64_t kNear = 100'000;  // about what waking may take
    for (;;) {
        const std::uint64_t now = now_ns();
        if (now >= moment_ns) return;
        if (moment_ns - now > kNear)
            std::this_thread::sleep_for(std::chrono::nanoseconds(moment_ns - now - kNear));
        else
            std::this_thread::yield();
    }
}

[[noreturn]] void fail_block(const BlockError& error) {
    fail_input("bench: a block that was right before is wrong now: {}", to_string(error));
}

double to_ms(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

}  // namespace

std::string_view to_string(executor::Knowledge knowledge) noexcept {
    using executor::Knowledge;
    switch (knowledge) {
        case Knowledge::values:
            return "values";
        case Knowledge::declared:
            return "declared";
        case Knowledge::hinted:
            return "hinted";
        case Knowledge::unknown:
            break;
    }
    return "unknown";
}

Runner::Runner(const Contender& contender, bool is_pinned, NativeContracts natives)
    : contender_(contender) {
    executor::Options options;
    options.code_cache = make_code_cache(natives);
    options.parallel.workers = contender.workers;
    options.parallel.pin_threads = is_pinned;
    options.parallel.knowledge = contender.knowledge;
    options.on_block = [this](const executor::BlockReport& report) {
        accepted_.push_back({now_ns(), report.timing});
    };
    executor_ = executor::make_executor(contender.scheduler, std::move(options));
    if (executor_ == nullptr) fail_input("bench: no scheduler {}", contender.scheduler);
}

std::vector<executor::OrderedBlock> Runner::copy_blocks(const Series& series) const {
    using executor::Knowledge;
    std::vector<executor::OrderedBlock> blocks;
    blocks.reserve(series.blocks.size());
    for (const KnownBlock& known : series.blocks) {
        executor::OrderedBlock block{known.start, known.transactions, {}};
        const bool takes_list =
            contender_.knowledge == Knowledge::values && !known.access_list.empty();
        if (takes_list)
            block.start.access_list = known.access_list;
        else if (contender_.knowledge <= Knowledge::declared)
            block.object_sets = known.object_sets;
        blocks.push_back(std::move(block));
    }
    return blocks;
}

void Runner::feed(std::vector<executor::OrderedBlock> blocks,
                  const std::vector<std::uint64_t>* arrivals, std::uint64_t start_ns) {
    std::size_t next = 0;
    for (executor::OrderedBlock& block : blocks) {
        if (arrivals == nullptr) {
            if (!executor::run(*executor_, std::move(block))) return;
            continue;
        }
        const std::size_t count = block.transactions.size();
        block.start.transaction_count = count;
        if (count != 0) wait_until(start_ns + (*arrivals)[next]);
        if (!executor_->begin_block(std::move(block.start))) return;
        for (std::size_t i = 0; i < count; ++i) {
            wait_until(start_ns + (*arrivals)[next++]);
            std::optional<ObjectSet> objects;
            if (block.object_sets.size() == count) objects = std::move(block.object_sets[i]);
            executor_->submit(std::move(block.transactions[i]), std::move(objects));
        }
        executor_->end_block();
    }
    HEDDLE_ASSERT(arrivals == nullptr || next == arrivals->size());
}

void Runner::add_latencies(const Series& series, const std::vector<std::uint64_t>& arrivals,
                           std::uint64_t start_ns, RunFigures& figures) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < series.blocks.size(); ++i) {
        const std::uint64_t accepted = accepted_[i].at_ns - start_ns;
        const std::size_t count = series.blocks[i].transactions.size();
        for (std::size_t tx = 0; tx < count; ++tx)
            figures.transaction_us.push_back(static_cast<double>(accepted - arrivals[next + tx]) /
                                             1e3);
        next += count;
        if (count != 0)
            figures.block_us.push_back(static_cast<double>(accepted - arrivals[next - 1]) / 1e3);
    }
}

void Runner::run_series(const Series& series, const std::vector<std::uint64_t>* arrivals,
                        RunFigures& figures) {
    // A single block leaves the state alone, so that it need not be copied.
    const bool is_single = series.blocks.size() == 1;
    ledger::MemoryState copy;
    if (!is_single) copy = series.state;
    FlatSink flat(copy);
    DiscardingSink discarding;
    BlockSink& sink = is_single ? static_cast<BlockSink&>(discarding) : flat;
    const KnownHashes hashes(series.hashes);
    accepted_.clear();
    accepted_.reserve(series.blocks.size());
    auto blocks = copy_blocks(series);
    executor_->start({.config = series.config,
                      .state = is_single ? series.state : copy,
                      .block_hashes = hashes,
                      .sink = sink},
                     series.head);

    const std::uint64_t start = now_ns();
    feed(std::move(blocks), arrivals, start);
    const auto summary = executor_->drain();
    const std::uint64_t end = now_ns();
    if (!summary) fail_block(summary.error());

    HEDDLE_ASSERT(accepted_.size() == series.blocks.size());
    figures.ms += to_ms(end - start);
    std::uint64_t before = start;
    for (const Accepted& block : accepted_) {
        figures.block_ms.push_back(to_ms(block.at_ns - before));
        figures.timing += block.timing;
        before = block.at_ns;
    }
    figures.parallel += summary->stats.parallel;
    if (arrivals != nullptr) add_latencies(series, *arrivals, start, figures);
}

RunFigures Runner::run(const Subject& subject) {
    RunFigures figures;
    for (const Series& series : subject.series)
        run_series(series, nullptr, figures);
    return figures;
}

RunFigures Runner::run(const Subject& subject, const std::vector<std::uint64_t>& arrivals) {
    HEDDLE_ASSERT(subject.is_stream());
    RunFigures figures;
    run_series(subject.series.front(), &arrivals, figures);
    return figures;
}

void Runner::execute(const Series& series, const StateView& state, BlockSink& sink) {
    const KnownHashes hashes(series.hashes);
    accepted_.clear();
    executor_->start(
        {.config = series.config, .state = state, .block_hashes = hashes, .sink = sink},
        series.head);
    feed(copy_blocks(series), nullptr, 0);
    if (const auto summary = executor_->drain(); !summary) fail_block(summary.error());
}

}  // namespace heddle::node::benchmark
