// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/sidecar.hpp>
#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <measure/statistics.hpp>
#include <types/counted.hpp>
#include <types/expected.hpp>

#include "commands/replay.hpp"
#include "formats/genesis_json.hpp"
#include "formats/proven_block.hpp"
#include "formats/witness_file.hpp"
#include "inputs/executor_counters.hpp"
#include "inputs/recording_sink.hpp"
#include "program/file.hpp"
#include "program/quantities.hpp"
#include "program/say.hpp"

namespace heddle::node {

namespace {

using measure::median;

/// Seconds of one run, with and without what surrounds execution.
struct RunTime {
    double execution = 0;  // and sender recovery, where it is asked for
    double total = 0;      // and verification
};

/// Runs a block so many times, after one run that warms the code cache where time is measured.
/// @param timing    Of the last run.
/// @param run_once  Says whether the block is right.
/// @return medians.
std::expected<RunTime, BlockError> run_repeatedly(unsigned repeat, const executor::Timing& timing,
                                                  const auto& run_once) {
    std::vector<double> execution;
    std::vector<double> total;
    const bool warm_up = repeat > 1;
    for (unsigned i = 0; i < repeat + (warm_up ? 1 : 0); ++i) {
        HEDDLE_CHECK(run_once());
        if (warm_up && i == 0) continue;
        const auto inner = timing.execution_ns + timing.recovery_ns;
        execution.push_back(static_cast<double>(inner) / 1e9);
        total.push_back(static_cast<double>(inner + timing.verification_ns) / 1e9);
    }
    return RunTime{median(std::move(execution)), median(std::move(total))};
}

/// A whole sidecar, for blocks that come in any order. Memory: the file.
class DeclaredSets {
public:
    /// Errors: InputError.
    explicit DeclaredSets(const std::string& path) : reader_(open(path)) {
        for (;;) {
            auto record = reader_.next();
            if (!record) fail_input("{}", describe(record.error()));
            if (!record->has_value()) break;
            const Hash hash = (*record)->hash;
            records_.insert_or_assign(hash, **std::move(record));
        }
    }

    /// Empty where the file has none. Errors: InputError where they do not fit the block.
    [[nodiscard]] std::vector<ObjectSet> of(const Block& block) const {
        const auto record = records_.find(header_hash(block.header));
        if (record == records_.end() || record->second.number != block.header.number) return {};
        auto sets = reader_.decode(record->second, block.transactions.size());
        if (!sets) fail_input("{}", describe(sets.error()));
        return *std::move(sets);
    }

private:
    static consensus_adapter::SidecarReader open(const std::string& path) {
        auto reader = consensus_adapter::SidecarReader::open(path);
        if (!reader) fail_input("{}", describe(reader.error()));
        return *std::move(reader);
    }

    consensus_adapter::SidecarReader reader_;
    std::map<Hash, consensus_adapter::SidecarRecord> records_;
};

class WitnessRunner {
public:
    /// @param recorder  Gets the sets of every block; may be null. Outlives the runner.
    WitnessRunner(const ReplayOptions& options, const ChainConfig& config,
                  SidecarRecorder* recorder)
        : options_(options),
          config_(config),
          recording_(discarding_, [recorder](const BlockHeader& header, const Hash& hash,
                                             const std::vector<ObjectSet>& sets) {
              return recorder->add(header.number, hash, sets);
          }) {
        if (recorder != nullptr) sink_ = &recording_;
        executor::Options executor_options;
        if (options.plain_interpreter) executor_options.interpreter = executor::Interpreter::plain;
        executor_options.record_sets = recorder != nullptr;
        executor_options.on_block = [this](const executor::BlockReport& report) {
            timing_ = report.timing;
        };
        executor_ = make_executor(options.executor, std::move(executor_options));
    }

    /// @param sets  One for each transaction; empty: nothing is declared.
    std::expected<RunTime, BlockError> run(const Witness& witness,
                                           const std::vector<ObjectSet>& sets) {
        return run_repeatedly(options_.repeat, timing_, [&] { return run_once(witness, sets); });
    }

    [[nodiscard]] const executor::ParallelStats& counters() const noexcept { return counters_; }

private:
    std::expected<void, BlockError> run_once(const Witness& witness,
                                             const std::vector<ObjectSet>& sets) {
        // Copied before the clock runs.
        executor::OrderedBlock block = make_ordered_block(witness);
        block.object_sets = sets;
        if (options_.recover_senders)
            for (Transaction& tx : block.transactions)
                tx.sender.reset();
        const KnownHashes hashes(witness.block_hashes);
        executor_->start(
            {.config = config_, .state = witness.state, .block_hashes = hashes, .sink = *sink_},
            {});
        HEDDLE_CHECK(executor::run(*executor_, std::move(block)));
        HEDDLE_TRY(const executor::Summary summary, executor_->drain());
        counters_ += summary.stats.parallel;
        return {};
    }

    const ReplayOptions& options_;
    const ChainConfig& config_;
    DiscardingSink discarding_;
    RecordingSink recording_;
    BlockSink* sink_ = &discarding_;
    executor::Timing timing_;
    executor::ParallelStats counters_;  // of all runs
    std::unique_ptr<executor::Executor> executor_;
};

struct Totals {
    std::size_t blocks = 0;
    std::size_t failed = 0;
    std::size_t proven = 0;    // blocks whose state roots were checked
    std::size_t declared = 0;  // blocks whose sets are known
    std::size_t transactions = 0;
    std::uint64_t gas = 0;
    RunTime time;
};

double mega_gas_per_second(std::uint64_t gas, double seconds) {
    return seconds > 0 ? static_cast<double>(gas) / seconds / 1e6 : 0;
}

/// Counts the block and tells of it. @param note  Ends the line.
void tell(const Block& block, const std::expected<RunTime, BlockError>& time,
          const ChainConfig& config, Totals& totals, std::string_view note) {
    const BlockHeader& header = block.header;
    ++totals.blocks;
    if (!time) {
        ++totals.failed;
        say("heddle: wrong block: {}\n", to_string(time.error()));
        return;
    }
    totals.transactions += block.transactions.size();
    totals.gas += header.gas_used;
    totals.time.execution += time->execution;
    totals.time.total += time->total;
    const Revision revision =
        config.revision(header.number, header.timestamp, header.difficulty.is_zero());
    fmt::print("block {:>8}  {:<17} {:>4} txs  {:>8} gas  {:>8.3f} ms  {:>7.1f} Mgas/s{}\n",
               header.number, to_string(revision), block.transactions.size(), header.gas_used,
               time->execution * 1e3, mega_gas_per_second(header.gas_used, time->execution), note);
    std::fflush(stdout);
}

void replay_one(const Witness& witness, const std::vector<ObjectSet>& sets,
                const ChainConfig& config, WitnessRunner& runner, Totals& totals) {
    const BlockHeader& header = witness.block.header;
    totals.declared += sets.empty() ? 0u : 1u;
    const bool has_roots = config.revision(header.number, header.timestamp,
                                           header.difficulty.is_zero()) < Revision::byzantium;
    tell(witness.block, runner.run(witness, sets), config, totals,
         has_roots ? "  (receipts hold state roots before Byzantium: receipts root not checked)"
                   : "");
}

/// Blocks with execution witnesses. They run serially: the other executors read ahead of what a
/// block needs, which is not there.
class ProvenRunner {
public:
    explicit ProvenRunner(const ReplayOptions& options) : options_(options) {
        executor::Options executor_options;
        if (options.plain_interpreter) executor_options.interpreter = executor::Interpreter::plain;
        executor_options.on_block = [this](const executor::BlockReport& report) {
            timing_ = report.timing;
        };
        executor_ = executor::make_serial_executor(std::move(executor_options));
    }

    /// @param proven  Gets senders, or loses them where recovering them is to be timed.
    std::expected<RunTime, BlockError> run(ProvenBlock& proven, const ChainConfig& config) {
        for (Transaction& tx : proven.block.transactions)
            if (options_.recover_senders)
                tx.sender.reset();
            else if (!tx.sender.has_value())
                tx.sender = recover_sender(tx);  // or it is told what is wrong with it
        return run_repeatedly(options_.repeat, timing_,
                              [&] { return execute(proven, config, *executor_); });
    }

private:
    const ReplayOptions& options_;
    executor::Timing timing_;
    std::unique_ptr<executor::Executor> executor_;
};

}  // namespace

ExitCode replay_witness(const ReplayOptions& options) {
    if (options.input.files.empty())
        fail_input(
            "replay --witness: no files: name JSON files with block and preState or witness, or "
            "folders of them");
    // Blocks carry their state: a genesis file only says the rules.
    std::optional<Genesis> genesis;
    if (!options.input.genesis.empty()) {
        if (!options.input.chain.empty())
            fail_input("replay --witness: the rules are those of --genesis or of --chain");
        genesis = load_genesis(options.input.genesis);
    }
    const ChainConfig config =
        genesis
            ? genesis->config
            : find_chain(options.input.chain.empty() ? "mainnet" : options.input.chain)->config();
    std::optional<DeclaredSets> declared;
    if (!options.input.sets.empty()) declared.emplace(options.input.sets);
    std::optional<SidecarRecorder> recorder;
    if (!options.record_sets.empty()) recorder.emplace(options.record_sets);
    WitnessRunner runner(options, config, recorder ? &*recorder : nullptr);
    ProvenRunner proven_runner(options);
    JsonParser parser;
    Totals totals;
    for (const auto& file : expand_paths(options.input.files, ".json")) {
        const JsonView json = parser.parse_file(file);
        if (is_proven_block(json)) {
            if (recorder)
                fail_input("{}: --record-sets goes with blocks that have their preState", file);
            ProvenBlock proven = parse_proven_block(json);
            const auto time = proven_runner.run(proven, config);
            if (time.has_value()) ++totals.proven;
            tell(proven.block, time, config, totals, "  (state root checked)");
            continue;
        }
        const Witness witness = parse_witness(json);
        const auto sets = declared ? declared->of(witness.block) : std::vector<ObjectSet>{};
        replay_one(witness, sets, config, runner, totals);
        if (recorder && recorder->error()) break;  // finish() says why
    }
    fmt::print(
        "{}, {}, {} in {:.1f} ms: {:.1f} Mgas/s ({}; with "
        "verification {:.1f} ms, {:.1f} Mgas/s)\n",
        counted(totals.blocks, "block"), counted(totals.transactions, "transaction"),
        format_gas(totals.gas), totals.time.execution * 1e3,
        mega_gas_per_second(totals.gas, totals.time.execution),
        options.recover_senders ? "senders recovered" : "senders known", totals.time.total * 1e3,
        mega_gas_per_second(totals.gas, totals.time.total));
    if (totals.proven != 0)
        fmt::print("{} with state roots, serially\n", counted(totals.proven, "block"));
    if (declared)
        fmt::print("object sets declared for {}, missing for {}\n",
                   counted(totals.declared, "block"), totals.blocks - totals.declared);
    if (options.executor.is_parallel()) fmt::print("{}\n", to_text(runner.counters()));
    if (recorder) recorder->finish();
    fmt::print("{} passed, {} failed\n", totals.blocks - totals.failed, totals.failed);
    return totals.failed > 0 ? ExitCode::failed : ExitCode::ok;
}

}  // namespace heddle::node
