// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Latency against offered load, and the price of a straggler: the executor's core against the same
// core with a barrier after each batch, and against locks without determinism (DORADD §2, §5.1,
// §5.2). bench/README.md has the method; bench/plot.py draws the curves from the CSV.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <measure/arrivals.hpp>
#include <measure/statistics.hpp>
#include <types/processors.hpp>

#include "access_stream.hpp"
#include "arguments.hpp"
#include "machine.hpp"
#include "streaming_core.hpp"
#include "synthetic_job.hpp"
#include "table.hpp"

namespace {

using namespace heddle::bench;
using namespace heddle::measure;

/// For --help.
constexpr const char* kPurpose =
    "Latency against offered load, and the price of a straggler: the executor's core against "
    "the same core with a barrier after each batch, and against locks without determinism "
    "(DORADD §5.1, §5.2).";

struct Contention {
    std::string name;
    std::uint32_t hot;
    std::size_t writes;
};
// DORADD Table 1.
const std::vector<Contention> kContentions = {{"no", 0, 2}, {"moderate", 3, 10}, {"high", 7, 10}};

struct Settings {
    std::uint32_t objects = 0;
    std::uint64_t service_ns = 0;
    unsigned workers = 0;
    bool dispatcher_runs = true;
    std::uint64_t duration_ms = 0;
    std::uint64_t repetitions = 0;
    std::uint64_t seed = 0;

    [[nodiscard]] CoreOptions core(std::size_t batch, unsigned more_threads = 0) const {
        return {workers + more_threads + (dispatcher_runs ? 0 : 1), dispatcher_runs, batch};
    }
    /// Transactions per second if nothing but them took time.
    [[nodiscard]] double capacity() const {
        return static_cast<double>(workers) * 1e9 / static_cast<double>(service_ns);
    }
    [[nodiscard]] AccessStream stream(const Contention& contention, std::size_t count) const {
        AccessPattern pattern;
        pattern.objects = objects;
        pattern.hot_per_tx = contention.hot;
        pattern.seed = seed;
        return {pattern, count};
    }
};

/// From arrival to commit, without the beginning, when nothing was warm.
std::vector<std::uint64_t> latencies(const SyntheticJob& job, const SyntheticTimes& times,
                                     std::size_t skipped) {
    std::vector<std::uint64_t> result;
    for (std::size_t i = skipped; i < times.committed.size(); ++i)
        result.push_back(times.committed[i] - std::min(times.committed[i], job.arrivals[i]));
    return result;
}

struct Contender {
    std::string name;
    std::size_t batch = 0;
    bool has_locks = false;
};

std::vector<Contender> contenders(const std::vector<std::uint64_t>& batches) {
    std::vector<Contender> result = {{"stream", 0, false}, {"locks", 0, true}};
    for (const std::uint64_t batch : batches)
        result.push_back({"batch-" + std::to_string(batch), batch, false});
    return result;
}

SyntheticTimes run(const SyntheticJob& job, const CoreOptions& options, bool has_locks) {
    return has_locks ? LockingCore(job, options).run() : StreamingCore(job, options).run();
}

/// By repetition.
struct Percentiles {
    std::vector<double> ktps;
    std::vector<double> p50_us;
    std::vector<double> p99_us;
    std::vector<double> p999_us;

    void add(const SyntheticJob& job, const SyntheticTimes& times, std::size_t skipped) {
        std::vector<std::uint64_t> values = latencies(job, times, skipped);
        const auto us = [&](double part) {
            return static_cast<double>(percentile(std::span(values), part)) / 1e3;
        };
        p50_us.push_back(us(0.5));
        p99_us.push_back(us(0.99));
        p999_us.push_back(us(0.999));
        ktps.push_back(static_cast<double>(times.committed.size()) * 1e6 /
                       static_cast<double>(std::ranges::max(times.committed)));
    }
};

struct Offered {
    const Contention& contention;
    std::uint64_t percent;  // of what the workers can do
};

/// The first contender is what the others are compared with.
void measure_latency(Table& table, const Settings& settings, const Spin& spin,
                     const Offered& offered, const std::vector<Contender>& all) {
    const auto& [contention, percent] = offered;
    const double rate = settings.capacity() * static_cast<double>(percent) / 100;
    std::size_t count =
        static_cast<std::size_t>(rate * static_cast<double>(settings.duration_ms) / 1e3);
    std::size_t largest = 1;
    for (const Contender& contender : all)
        largest = std::max(largest, contender.batch);
    count = std::max(4 * largest, (count + largest - 1) / largest * largest);
    const AccessStream stream = settings.stream(contention, count);
    SyntheticJob job{stream, spin, settings.objects, contention.writes, settings.service_ns};
    job.arrivals = poisson_arrivals(count, rate, settings.seed + percent);
    std::vector<Percentiles> results(all.size());
    for (std::uint64_t i = 0; i < settings.repetitions; ++i)
        for (std::size_t c = 0; c < all.size(); ++c)
            results[c].add(job, run(job, settings.core(all[c].batch), all[c].has_locks),
                           std::max(count / 10, all[c].batch));
    for (std::size_t c = 0; c < all.size(); ++c) {
        const Percentiles& own = results.front();
        table.add({contention.name, all[c].name, static_cast<double>(percent), rate / 1e3,
                   median(results[c].ktps), median(results[c].p50_us), median(results[c].p99_us),
                   median(results[c].p999_us), median(results[c].p99_us) / median(own.p99_us)});
    }
}

/// All transactions at once: throughput in transactions per second.
double measure_throughput(const SyntheticJob& job, const CoreOptions& options,
                          SyntheticTimes* times = nullptr) {
    SyntheticTimes result = StreamingCore(job, options).run();
    const double seconds = static_cast<double>(result.committed.back()) / 1e9;
    if (times != nullptr) *times = std::move(result);
    return static_cast<double>(job.stream.size()) / seconds;
}

/// What happened behind the stragglers, on average.
struct BehindStragglers {
    double dispatched = 0;  // behind it and dispatched when it ended
    double completed = 0;   // of these, complete by then
    double dependent = 0;   // of these, in need of it, directly or not
    double released = 0;    // committed together with it
};

BehindStragglers look_behind(const SyntheticJob& job, const SyntheticTimes& times) {
    BehindStragglers sum;
    double stragglers = 0;
    for (std::uint64_t position = 1; position <= job.stream.size(); ++position) {
        if (!job.is_straggler(position)) continue;
        const std::uint64_t end = times.completed[position - 1];
        std::vector<std::uint8_t> is_tainted(job.objects);
        for (const std::uint32_t object : job.stream[position - 1])
            is_tainted[object] = 1;
        stragglers += 1;
        for (std::size_t i = position; i < job.stream.size() && times.dispatched[i] <= end; ++i) {
            const auto objects = job.stream[i];
            const bool depends = std::ranges::any_of(
                objects, [&](std::uint32_t object) { return is_tainted[object] != 0; });
            if (depends)
                for (const std::uint32_t object : objects)
                    is_tainted[object] = 1;
            sum.dispatched += 1;
            sum.dependent += depends ? 1 : 0;
            sum.completed += times.completed[i] <= end ? 1 : 0;
            sum.released += times.committed[i] == times.committed[position - 1] ? 1 : 0;
        }
    }
    return {sum.dispatched / stragglers, sum.completed / stragglers, sum.dependent / stragglers,
            sum.released / stragglers};
}

std::vector<Table::Column> straggler_columns() {
    return {{"straggler"},    {"system"},     {"without_ktps", 1}, {"with_ktps", 1},
            {"raw_ratio", 3}, {"kept", 3},    {"dispatched", 0},   {"completed", 0},
            {"dependent", 0}, {"released", 0}};
}

struct Stragglers {
    std::size_t groups;  // of transactions, one straggler in each
    std::uint64_t straggler_ns;
    std::size_t batch;  // 0: none, a stream
};

/// One transaction of 20 ms in 10,000, without and with, in turn. `kept`: the throughput that is
/// left when the straggler's own work is not counted as lost. A computing straggler takes processor
/// time that is work: the time without it plus its work divided among the workers, against the time
/// with it. A sleeping one takes a thread but no processor: there are two threads more, in both
/// runs, because the window is wide enough for two stragglers at a time.
void measure_straggler(Table& table, const Settings& settings, const Spin& spin,
                       const Stragglers& stragglers) {
    const auto& [groups, straggler_ns, batch] = stragglers;
    constexpr std::uint64_t kGroup = 10'000;
    const AccessStream stream = settings.stream(kContentions.front(), groups * kGroup);
    for (const bool sleeps : {false, true}) {
        SyntheticJob without{stream, spin, settings.objects, 10, settings.service_ns};
        SyntheticJob with = without;
        with.straggler_every = kGroup;
        with.straggler_ns = straggler_ns;
        with.straggler_sleeps = sleeps;
        constexpr unsigned kMoreThreads = (StreamingCore::kWindow + kGroup - 1) / kGroup;
        const CoreOptions options = settings.core(batch, sleeps ? kMoreThreads : 0);
        std::vector<double> base;
        std::vector<double> slowed;
        std::vector<double> raw;
        std::vector<double> kept;
        std::optional<BehindStragglers> behind;
        for (std::uint64_t i = 0; i < settings.repetitions; ++i) {
            SyntheticTimes times(0);
            const double faster = measure_throughput(without, options);
            const double slower = measure_throughput(with, options, &times);
            const auto count = static_cast<double>(stream.size());
            const double work = sleeps ? 0
                                       : static_cast<double>(groups * straggler_ns) / 1e9 /
                                             static_cast<double>(settings.workers);
            base.push_back(faster);
            slowed.push_back(slower);
            raw.push_back(slower / faster);
            kept.push_back((count / faster + work) / (count / slower));
            if (!behind) behind = look_behind(with, times);
        }
        table.add({sleeps ? "sleeps" : "computes",
                   batch == 0 ? "stream" : "batch-" + std::to_string(batch), median(base) / 1e3,
                   median(slowed) / 1e3, median(raw), median(kept), behind->dispatched,
                   behind->completed, behind->dependent, behind->released});
    }
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    const auto parts = arguments.texts("parts", {"latency", "straggler"}, "what is measured");
    const auto wanted =
        arguments.texts("contention", {"no", "moderate", "high"}, "how many transactions meet");
    const auto loads = arguments.numbers("loads", {10, 30, 50, 70, 80, 90, 95},
                                         "offered load, in percent of the throughput");
    const auto batches =
        arguments.numbers("batches", {100, 1'000, 10'000}, "transactions between two barriers");
    const std::uint64_t groups =
        arguments.number("straggler-groups", 10, "stragglers, one in 10,000 transactions");
    const std::uint64_t straggler_us =
        arguments.number("straggler-us", 20'000, "what a straggler takes, in microseconds");
    Settings settings;
    settings.objects = static_cast<std::uint32_t>(
        arguments.number("objects", 10'000'000, "objects that transactions choose from"));
    settings.service_ns =
        arguments.number("service-ns", 5'000, "what a transaction takes, in nanoseconds");
    settings.workers = static_cast<unsigned>(
        arguments.number("workers", heddle::processor_count(), "threads that execute"));
    settings.dispatcher_runs =
        !arguments.flag("dedicated-dispatcher", "the dispatcher executes nothing");
    settings.duration_ms = arguments.number("duration-ms", 500, "time of a run, in milliseconds");
    settings.repetitions =
        arguments.number("repetitions", 3, "runs of each, of which the median counts");
    settings.seed = arguments.number("seed", 1, "what arrivals and accesses follow from");
    const std::string csv = arguments.text("csv", "", "also write the table to this file, as CSV");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    const Spin spin;
    const auto has = [](const std::vector<std::string>& list, const std::string& name) {
        return std::ranges::find(list, name) != list.end();
    };
    Tables tables;
    if (has(parts, "latency")) {
        Table& table =
            tables.add("latency from arrival to commit, microseconds", {{"contention"},
                                                                        {"system"},
                                                                        {"load_percent", 0},
                                                                        {"offered_ktps", 1},
                                                                        {"achieved_ktps", 1},
                                                                        {"p50_us", 1},
                                                                        {"p99_us", 1},
                                                                        {"p999_us", 1},
                                                                        {"p99_vs_stream", 1}});
        for (const Contention& contention : kContentions)
            for (const std::uint64_t percent : loads)
                if (has(wanted, contention.name))
                    measure_latency(table, settings, spin, {contention, percent},
                                    contenders(batches));
        if (!csv.empty()) table.write_csv(csv);
    }
    if (has(parts, "straggler")) {
        Table& table = tables.add("one straggler in 10,000 transactions, all offered at once",
                                  straggler_columns());
        for (const std::size_t batch : {std::size_t{0}, std::size_t{10'000}})
            measure_straggler(table, settings, spin, {groups, straggler_us * 1'000, batch});
    }
    tables.write_json(json);
    return 0;
}
