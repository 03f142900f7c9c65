// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/stage_run.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include <ledger/durable_ledger.hpp>
#include <measure/statistics.hpp>
#include <types/assert.hpp>
#include <types/block_error.hpp>
#include <types/processors.hpp>
#include <types/sender_recovery.hpp>

#include "benchmark/block_costs.hpp"
#include "benchmark/runner.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/memory_plan.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"
#include "program/temporary_folder.hpp"

namespace heddle::node::benchmark {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;  // as a replay has by itself
constexpr unsigned kWorkers = 2;
/// Blocks that are written together, as they are where writing is what the others wait for.
constexpr std::size_t kWrittenTogether = 16;
/// The ledger has a thread that encodes for every four that bring tries up to date.
constexpr unsigned kCoresPerWriter = 4;

double milliseconds_of(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double to_ms(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

/// Executes on flat state and keeps what an executor hands over, to be committed elsewhere.
class CapturingSink final : public BlockSink {
public:
    explicit CapturingSink(ledger::MemoryState& state) : state_(state) {}

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        state_.apply(block.diff);
        blocks_.push_back(std::move(block));
        return blocks_.back().block.header.state_root;
    }
    [[nodiscard]] Hash state_root_with(const StateDiff&) override { return {}; }

    [[nodiscard]] std::vector<FinishedBlock> take() noexcept { return std::move(blocks_); }

private:
    ledger::MemoryState& state_;
    std::vector<FinishedBlock> blocks_;
};

/// By run.
struct Samples {
    std::vector<double> senders;
    std::vector<double> verification;
    std::vector<double> serial_cpu;
    std::vector<double> parallel_cpu;
    std::vector<double> tries;
    std::vector<double> tries_of_two;
    std::vector<double> flat;
    std::vector<double> flat_of_two;
    std::vector<double> writing;
    std::vector<double> writing_of_two;
    std::vector<double> files;
};

class StageRun {
public:
    StageRun(const Subject& subject, const Genesis& genesis)
        : subject_(subject),
          series_(subject.series.front()),
          genesis_(genesis),
          has_two_processors_(processor_count() > 1),
          clock_(subject.natives),
          serial_({"serial", "serial", 1, executor::Knowledge::unknown}, false, subject.natives),
          parallel_({"dag", "dag", kWorkers, executor::Knowledge::unknown}, false,
                    subject.natives) {
        for (const KnownBlock& block : series_.blocks)
            times_.emplace_back(block.transactions.size());
        capture();
        transactions_are_signed_ = recovers_senders();
    }

    std::optional<std::vector<StageCost>> run(std::uint64_t runs) {
        keep_blocks(1, nullptr);  // warms up
        run_in_memory(nullptr);
        for (std::uint64_t i = 0; i < runs; ++i) {
            keep_blocks(1, &samples_);
            if (has_two_processors_) {
                keep_blocks(2, &samples_);
                keep_blocks(2 * kCoresPerWriter, &samples_);
            }
            run_in_memory(&samples_);
        }
        if (StopSignal::is_raised()) return std::nullopt;
        return costs();
    }

private:
    void capture() {
        ledger::MemoryState state = series_.state;
        CapturingSink sink(state);
        serial_.execute(series_, state, sink);
        finished_ = sink.take();
        for (std::size_t i = 0; i < finished_.size(); ++i) {
            // As a replay stores them.
            finished_[i].object_sets = series_.blocks[i].object_sets;
            finished_[i].check_state_root = true;
        }
    }

    /// Without senders, block by block.
    [[nodiscard]] std::vector<std::vector<Transaction>> unknown_transactions() const {
        std::vector<std::vector<Transaction>> blocks;
        for (const KnownBlock& block : series_.blocks) {
            blocks.push_back(block.transactions);
            for (Transaction& tx : blocks.back())
                tx.sender.reset();
        }
        return blocks;
    }

    /// Transactions that a workload makes for an executor alone are not signed.
    [[nodiscard]] bool recovers_senders() const {
        for (const KnownBlock& block : series_.blocks)
            if (!block.transactions.empty()) {
                std::vector<Transaction> first{block.transactions.front()};
                first.front().sender.reset();
                recover_missing_senders(first);
                return first.front().sender == block.transactions.front().sender;
            }
        return false;
    }

    [[noreturn]] void fail_commit(const BlockError& error) const {
        const std::string text = subject_.name + ": " + to_string(error);
        if (error.code == BlockErrorCode::storage_failed) throw StorageError(text);
        throw InputError(text);
    }

    /// Ends early where StopSignal is raised, so that its folder does not stay.
    void keep_blocks(unsigned threads, Samples* samples) {
        if (StopSignal::is_raised()) return;
        const TemporaryFolder folder("heddle-stages-", "say another place by TMPDIR");
        ledger::DurableLedgerOptions options;
        options.directory = folder.path() + "/ledger";
        options.sync = sync_nothing();
        options.sync.linger = std::chrono::hours{1};
        options.memory_bytes = plan_replay_memory(kMemory).ledger;
        options.threads = threads;
        const auto ledger = create_ledger(std::move(options), genesis_);
        const bool is_counted = samples != nullptr && threads == 1;
        const ledger::LedgerStats before = ledger->stats();
        const double all_before = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID);
        const double own_before = milliseconds_of(CLOCK_THREAD_CPUTIME_ID);
        for (std::size_t i = 0; i < finished_.size() && !StopSignal::is_raised(); ++i) {
            if (threads == 1)
                (void)clock_.run(series_, series_.blocks[i], ledger->state(),
                                 is_counted ? &times_[i] : nullptr);
            const auto kept = ledger->commit(finished_[i]);
            if (!kept) fail_commit(kept.error());
            if ((i + 1) % kWrittenTogether != 0 && i + 1 != finished_.size()) continue;
            const std::uint64_t last = series_.blocks[i].start.header.number;
            if (auto written = ledger->wait_written(last); !written) fail_ledger(written.error());
        }
        const ledger::LedgerStats after = ledger->stats();
        close_ledger(*ledger);
        const double all = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) - all_before;
        const double own = milliseconds_of(CLOCK_THREAD_CPUTIME_ID) - own_before;
        if (samples == nullptr) return;
        const double tries = to_ms(after.root_ns - before.root_ns);
        const double flat = to_ms(after.flat_ns - before.flat_ns);
        const double writing = to_ms(after.write_ns - before.write_ns);
        if (threads == 2) {
            samples->tries_of_two.push_back(tries);
            samples->flat_of_two.push_back(flat);
            return;
        }
        if (threads != 1) {
            samples->writing_of_two.push_back(writing);
            return;
        }
        samples->tries.push_back(tries);
        samples->flat.push_back(flat);
        samples->writing.push_back(writing);
        samples->files.push_back(std::max(all - own - writing, 0.0));
    }

    void run_in_memory(Samples* samples) {
        if (StopSignal::is_raised()) return;
        if (transactions_are_signed_) {
            std::vector<std::vector<Transaction>> blocks = unknown_transactions();
            const double before = milliseconds_of(CLOCK_THREAD_CPUTIME_ID);
            for (std::vector<Transaction>& transactions : blocks)
                recover_missing_senders(transactions);
            if (samples != nullptr)
                samples->senders.push_back(milliseconds_of(CLOCK_THREAD_CPUTIME_ID) - before);
        }
        double begun = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID);
        const RunFigures serial = serial_.run(subject_);
        const double serial_cpu = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun;
        if (samples != nullptr) {
            samples->verification.push_back(to_ms(serial.timing.verification_ns));
            samples->serial_cpu.push_back(serial_cpu);
        }
        if (!has_two_processors_) return;
        begun = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID);
        (void)parallel_.run(subject_);
        if (samples != nullptr)
            samples->parallel_cpu.push_back(milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun);
    }

    /// @param two  The same work by two threads; empty: not known.
    [[nodiscard]] static StageCost shared_stage(std::string name, StageLane lane,
                                                const std::vector<double>& one,
                                                const std::vector<double>& two) {
        const double total = measure::median(one);
        // Amdahl's law, from its first two points.
        const double alone =
            two.empty() ? total : std::clamp(2 * measure::median(two) - total, 0.0, total);
        return {std::move(name), lane, total, alone, {}};
    }

    [[nodiscard]] std::vector<StageCost> costs() const {
        std::vector<StageCost> stages;
        if (transactions_are_signed_)
            stages.push_back(
                {"senders", StageLane::senders, measure::median(samples_.senders), 0, {}});
        StageCost execution{"execution", StageLane::execution, 0, 0, {}};
        for (std::size_t i = 0; i < times_.size(); ++i) {
            execution.graphs.push_back(make_graph(series_.blocks[i], times_[i]));
            execution.total_ms += to_ms(execution.graphs.back().total_cost);
            execution.alone_ms += to_ms(execution.graphs.back().critical_cost);
        }
        stages.push_back(std::move(execution));
        if (has_two_processors_) {
            const double ms = std::max(
                measure::median(samples_.parallel_cpu) - measure::median(samples_.serial_cpu), 0.0);
            stages.push_back({"order and accept", StageLane::order, ms, ms, {}});
            stages.back().is_of_parallel = true;
        }
        const double verification = measure::median(samples_.verification);
        stages.push_back({"verification", StageLane::commit, verification, verification, {}});
        stages.push_back(
            shared_stage("tries", StageLane::commit, samples_.tries, samples_.tries_of_two));
        stages.push_back(
            shared_stage("flat state", StageLane::commit, samples_.flat, samples_.flat_of_two));
        stages.push_back(
            shared_stage("writing", StageLane::writing, samples_.writing, samples_.writing_of_two));
        stages.back().cores_per_thread = kCoresPerWriter;
        stages.push_back({"files", StageLane::files, measure::median(samples_.files), 0, {}});
        return stages;
    }

    const Subject& subject_;
    const Series& series_;
    const Genesis& genesis_;
    const bool has_two_processors_;
    TransactionClock clock_;
    Runner serial_;
    Runner parallel_;
    std::vector<FinishedBlock> finished_;
    std::vector<TransactionTimes> times_;  // by block
    bool transactions_are_signed_ = false;
    Samples samples_;
};

}  // namespace

std::optional<std::vector<StageCost>> measure_stages(const Subject& subject, const Genesis& genesis,
                                                     std::uint64_t runs) {
    HEDDLE_ASSERT(subject.series.size() == 1 && runs > 0);
    if (subject.transaction_count() == 0) fail_input("{}: no transactions", subject.name);
    if (subject.series.front().blocks.front().start.header.number != genesis.header.number + 1)
        fail_input("{}: stages are measured from the genesis block on: leave --from out",
                   subject.name);
    return StageRun(subject, genesis).run(runs);
}

}  // namespace heddle::node::benchmark
