// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What `heddle bench` finds out, as plain values: what its tables, files and reports are made of.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle::node::benchmark {

/// Each is the least value that so many of all do not exceed.
struct LatencyFigures {
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double p999 = 0;
    double max = 0;
    friend bool operator==(const LatencyFigures&, const LatencyFigures&) = default;
};

/// Wall-clock milliseconds of one run by phase, as executor::Timing has them.
struct PhaseFigures {
    double recovery = 0;
    double execution = 0;
    double verification = 0;
    double commit = 0;
    friend bool operator==(const PhaseFigures&, const PhaseFigures&) = default;
};

/// One contender on one subject under one load.
struct Cell {
    std::string scheduler;  // as it was asked for, settings included
    unsigned workers = 1;
    std::string knowledge;  // empty where it has no meaning
    bool is_twin = false;   // the first contender once more, to tell noise
    /// Transactions offered per second; 0: a closed loop, the next one as soon as there is room.
    double offered_tps = 0;
    double load_share = 0;  // of the first contender's throughput, where it was asked for so

    double cold_ms = 0;              // the very first run; closed loop only
    std::vector<double> samples_ms;  // by repetition, from the first block's begin to drain()
    std::vector<double> block_ms;    // by block, medians; closed loop only
    PhaseFigures phases;             // means of all repetitions
    std::vector<std::pair<std::string, double>> counters;  // the same, of parallel schedulers
    // Open loop only, microseconds from the intended arrival to the block's acceptance.
    LatencyFigures transaction_latency;
    LatencyFigures block_latency;  // from the arrival of the block's last transaction

    [[nodiscard]] bool is_open_loop() const noexcept { return offered_tps > 0; }
    /// `dag, 2 workers, declared`.
    [[nodiscard]] std::string label() const;
    friend bool operator==(const Cell&, const Cell&) = default;
};

/// What cores that nobody need have would give, from costs measured on one: MODELLED.
struct ModelPoint {
    unsigned cores = 1;
    double stream_order = 1;  // speed-up, oldest transaction first
    double longest_path = 1;  // the same, longest chain first
    friend bool operator==(const ModelPoint&, const ModelPoint&) = default;
};

struct Model {
    double total_ms = 0;     // of all transactions on one core
    double critical_ms = 0;  // of the critical paths of all blocks, a barrier between blocks
    std::vector<double> critical_shares;  // by block, of its transactions' costs
    std::vector<ModelPoint> points;
    friend bool operator==(const Model&, const Model&) = default;
};

/// See measure::handover_ns(); before each repetition. Zeros: one processor, or not known.
struct Handover {
    double least_ns = 0;
    double most_ns = 0;

    void add(double ns) noexcept;
    /// Whether processors moved apart or together while it was measured, or others had them: then
    /// parallel times are of several machines.
    [[nodiscard]] bool has_changed() const noexcept;
    friend bool operator==(const Handover&, const Handover&) = default;
};

/// What was executed.
struct SubjectResult {
    std::string name;
    std::string digest;  // of the blocks: two subjects of one digest are the same
    std::uint64_t transactions = 0;
    std::uint64_t gas = 0;
    std::vector<std::uint64_t> blocks;  // numbers
    double noise = 0;                   // share; see measure::pair_noise()
    Handover handover;                  // while it was measured
    std::vector<Cell> cells;            // the first is what the others are compared with
    Model model;                        // without points where it was not asked for

    /// Median milliseconds of the first contender's closed loop.
    [[nodiscard]] double baseline_ms() const;
    friend bool operator==(const SubjectResult&, const SubjectResult&) = default;
};

struct MachineFigures {
    std::string processor;
    unsigned processors = 0;
    std::string system;
    double load_average = 0;  // when the benchmark began, one minute
    friend bool operator==(const MachineFigures&, const MachineFigures&) = default;
};

struct BenchReport {
    std::string program;  // with its version
    std::string command;  // that made it
    std::string began;    // UTC
    MachineFigures machine;
    std::uint64_t repetitions = 0;
    bool is_cold = false;  // each run by a fresh executor
    bool is_pinned = true;
    std::vector<SubjectResult> subjects;
    friend bool operator==(const BenchReport&, const BenchReport&) = default;
};

/// Median of what must not be empty.
[[nodiscard]] double median_ms(const Cell& cell);
/// Transactions per second of the median.
[[nodiscard]] double tps_of(const SubjectResult& subject, const Cell& cell);
/// Those of the closed loop, without the twin.
[[nodiscard]] std::vector<const Cell*> closed_cells(const SubjectResult& subject);

}  // namespace heddle::node::benchmark
