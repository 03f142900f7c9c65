// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/matrix.hpp"

#include <memory>
#include <span>
#include <utility>

#include <measure/arrivals.hpp>
#include <measure/handover.hpp>
#include <measure/statistics.hpp>
#include <types/assert.hpp>

#include "benchmark/model.hpp"
#include "benchmark/runner.hpp"
#include "inputs/executor_counters.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

/// One contender, and what its runs under one load have given so far.
struct Entry {
    Contender contender;
    std::unique_ptr<Runner> runner;
    Cell cell;
    std::vector<std::vector<double>> block_ms;  // by block, then repetition
    std::vector<double> transaction_us;
    std::vector<double> block_us;
    executor::Timing timing;
    executor::ParallelStats parallel;
};

LatencyFigures figures_of(std::vector<double> values) {
    if (values.empty()) return {};
    const std::span all(values);
    return {measure::percentile(all, 0.5), measure::percentile(all, 0.9),
            measure::percentile(all, 0.99), measure::percentile(all, 0.999),
            measure::percentile(all, 1.0)};
}

void add(Entry& entry, RunFigures figures) {
    entry.cell.samples_ms.push_back(figures.ms);
    entry.block_ms.resize(figures.block_ms.size());
    for (std::size_t i = 0; i < figures.block_ms.size(); ++i)
        entry.block_ms[i].push_back(figures.block_ms[i]);
    entry.transaction_us.insert(entry.transaction_us.end(), figures.transaction_us.begin(),
                                figures.transaction_us.end());
    entry.block_us.insert(entry.block_us.end(), figures.block_us.begin(), figures.block_us.end());
    entry.timing += figures.timing;
    entry.parallel += figures.parallel;
}

/// The cell of all runs so far; the entry is ready for another load.
Cell finish(Entry& entry) {
    Cell& cell = entry.cell;
    const auto runs = static_cast<double>(cell.samples_ms.size());
    const auto mean_ms = [runs](std::uint64_t ns) { return static_cast<double>(ns) / 1e6 / runs; };
    cell.phases = {mean_ms(entry.timing.recovery_ns), mean_ms(entry.timing.execution_ns),
                   mean_ms(entry.timing.verification_ns), mean_ms(entry.timing.commit_ns)};
    if (executor::is_parallel(entry.contender.scheduler))
        for (const ExecutorCounter& counter : executor_counters())
            cell.counters.emplace_back(
                counter.name,
                static_cast<double>(entry.parallel.*counter.field) / (counter.is_most ? 1 : runs));
    if (cell.is_open_loop()) {
        cell.transaction_latency = figures_of(std::move(entry.transaction_us));
        cell.block_latency = figures_of(std::move(entry.block_us));
    } else {
        for (std::vector<double>& times : entry.block_ms)
            cell.block_ms.push_back(measure::median(std::move(times)));
    }
    Cell done = std::exchange(cell, {});
    entry.block_ms.clear();
    entry.transaction_us.clear();
    entry.block_us.clear();
    entry.timing = {};
    entry.parallel = {};
    return done;
}

class MatrixRun {
public:
    MatrixRun(const Subject& subject, const Plan& plan, const MatrixSettings& settings,
              const MatrixProgress& progress)
        : subject_(subject), plan_(plan), settings_(settings), progress_(progress) {
        for (const Contender& contender : plan.contenders)
            entries_.push_back({contender, nullptr, {}, {}, {}, {}, {}, {}});
        entries_.push_back({plan.contenders.front(), nullptr, {}, {}, {}, {}, {}, {}});
        runs_left_ = runs_ = entries_.size() * (1 + settings.repetitions * (1 + plan.loads.size()));
    }

    SubjectResult run() {
        SubjectResult result;
        result.name = subject_.name;
        result.digest = subject_.digest;
        result.transactions = subject_.transaction_count();
        result.gas = subject_.gas_used();
        result.blocks = subject_.block_numbers();
        run_closed(result);
        for (std::size_t i = 0; i < plan_.loads.size(); ++i)
            run_open(plan_.loads[i], i, result);
        result.handover = handover_;
        if (settings_.has_model) result.model = model_subject(subject_);
        return result;
    }

private:
    [[nodiscard]] Runner& runner_of(Entry& entry, bool is_fresh) {
        if (entry.runner == nullptr || is_fresh) {
            entry.runner.reset();  // its threads end before others begin
            entry.runner =
                std::make_unique<Runner>(entry.contender, settings_.is_pinned, subject_.natives);
        }
        return *entry.runner;
    }

    void report(const Entry& entry) {
        const double done = 1 - static_cast<double>(runs_left_--) / static_cast<double>(runs_);
        if (progress_) progress_(subject_.name + ": " + entry.contender.name, done);
    }

    void begin_cell(std::size_t index, const OfferedLoad& load, double tps) {
        Entry& entry = entries_[index];
        const bool is_parallel = executor::is_parallel(entry.contender.scheduler);
        entry.cell.scheduler = entry.contender.name;
        entry.cell.workers = entry.contender.workers;
        if (is_parallel) entry.cell.knowledge = to_string(entry.contender.knowledge);
        entry.cell.is_twin = index + 1 == entries_.size();
        entry.cell.offered_tps = tps;
        entry.cell.load_share = load.share;
    }

    /// Forwards, then backwards, and so on.
    template <typename Run>
    void repeat(Run&& run) {
        for (std::uint64_t i = 0; i < settings_.repetitions; ++i) {
            handover_.add(measure::handover_ns());
            for (std::size_t at = 0; at < entries_.size(); ++at) {
                Entry& entry = entries_[i % 2 == 0 ? at : entries_.size() - 1 - at];
                report(entry);
                add(entry, run(runner_of(entry, settings_.is_cold), i));
            }
        }
    }

    void run_closed(SubjectResult& result) {
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            begin_cell(i, {}, 0);
            report(entries_[i]);
            entries_[i].cell.cold_ms = runner_of(entries_[i], true).run(subject_).ms;
        }
        repeat([&](Runner& runner, std::uint64_t) { return runner.run(subject_); });
        result.noise =
            measure::pair_noise(entries_.front().cell.samples_ms, entries_.back().cell.samples_ms);
        for (Entry& entry : entries_)
            result.cells.push_back(finish(entry));
    }

    void run_open(const OfferedLoad& load, std::size_t number, SubjectResult& result) {
        const auto count = static_cast<double>(result.transactions);
        const double tps =
            load.share > 0 ? load.share * count / result.baseline_ms() * 1e3 : load.tps;
        for (std::size_t i = 0; i < entries_.size(); ++i)
            begin_cell(i, load, tps);
        repeat([&](Runner& runner, std::uint64_t repetition) {
            // The same moments for every contender, others in every repetition.
            const std::uint64_t seed = settings_.seed + (number << 32) + repetition;
            return runner.run(subject_, measure::poisson_arrivals(result.transactions, tps, seed));
        });
        for (Entry& entry : entries_)
            result.cells.push_back(finish(entry));
    }

    const Subject& subject_;
    const Plan& plan_;
    const MatrixSettings& settings_;
    const MatrixProgress& progress_;
    std::vector<Entry> entries_;  // the last is the first once more
    Handover handover_;
    std::size_t runs_ = 0;
    std::size_t runs_left_ = 0;
};

}  // namespace

SubjectResult run_matrix(const Subject& subject, const Plan& plan, const MatrixSettings& settings,
                         const MatrixProgress& progress) {
    HEDDLE_ASSERT(!plan.contenders.empty() && settings.repetitions > 0);
    if (subject.transaction_count() == 0) fail_input("{}: no transactions", subject.name);
    if (!plan.loads.empty() && !subject.is_stream())
        fail_input(
            "{}: --load and --rate need blocks that follow each other: chain files, a data "
            "directory or a workload",
            subject.name);
    return MatrixRun(subject, plan, settings, progress).run();
}

}  // namespace heddle::node::benchmark
