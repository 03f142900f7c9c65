// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One way of running a benchmark's blocks: an executor with its settings, and the clock around it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <executor/executor.hpp>

#include "benchmark/subject.hpp"

namespace heddle::node::benchmark {

struct Contender {
    std::string name;       // as it was asked for
    std::string scheduler;  // with its settings
    unsigned workers = 1;
    executor::Knowledge knowledge = executor::Knowledge::declared;
};
/// `values`, `declared`, `hinted`, `unknown`.
[[nodiscard]] std::string_view to_string(executor::Knowledge knowledge) noexcept;

/// What one run has given.
struct RunFigures {
    double ms = 0;                 // from the first block's begin to drain()
    std::vector<double> block_ms;  // by block: from the one before it being accepted
    executor::Timing timing;
    executor::ParallelStats parallel;
    // Open loop only, microseconds.
    std::vector<double> transaction_us;
    std::vector<double> block_us;
};

/// Its executor stays from run to run: machines and caches of code are warm from the second on.
/// Thread safety: none.
class Runner {
public:
    /// @param is_pinned  Whether the executor's threads are bound to processors.
    /// @param natives    That the blocks need; see Subject::natives.
    /// Errors: InputError for a scheduler that does not exist.
    Runner(const Contender& contender, bool is_pinned, NativeContracts natives = {});
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    /// Closed loop: everything is submitted as soon as there is room.
    /// Errors: InputError for a wrong block.
    [[nodiscard]] RunFigures run(const Subject& subject);
    /// Open loop: nothing is submitted before its time. The subject is a stream.
    /// @param arrivals  By transaction, nanoseconds from the start, ascending.
    [[nodiscard]] RunFigures run(const Subject& subject,
                                 const std::vector<std::uint64_t>& arrivals);

    /// Executes the series on `state`, which shows what `sink` accepts, as run() does.
    void execute(const Series& series, const StateView& state, BlockSink& sink);

private:
    struct Accepted {
        std::uint64_t at_ns = 0;
        executor::Timing timing;
    };

    [[nodiscard]] std::vector<executor::OrderedBlock> copy_blocks(const Series& series) const;
    /// @param arrivals  Null: a closed loop.
    void run_series(const Series& series, const std::vector<std::uint64_t>* arrivals,
                    RunFigures& figures);
    /// Ends early behind a wrong block; draining the executor says which, and why.
    void feed(std::vector<executor::OrderedBlock> blocks,
              const std::vector<std::uint64_t>* arrivals, std::uint64_t start_ns);
    void add_latencies(const Series& series, const std::vector<std::uint64_t>& arrivals,
                       std::uint64_t start_ns, RunFigures& figures) const;

    const Contender contender_;
    std::vector<Accepted> accepted_;  // blocks of the run, written by who commits
    std::unique_ptr<executor::Executor> executor_;
};

}  // namespace heddle::node::benchmark
