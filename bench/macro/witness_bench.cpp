// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Real mainnet blocks through the serial executor, pre-state in memory, code analysed, in gas per
// second of execution: all 27 witness blocks of HEDDLE_FIXTURES in one go, and each alone. With
// senders known and, for comparison, recovered. The rival's figures are in bench/README.md.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <executor/executor.hpp>
#include <types/assert.hpp>

#include "fixtures.hpp"
#include "formats/json.hpp"
#include "formats/witness_file.hpp"

namespace {

using namespace heddle;

/// One executor, as in a replay: its machine and code cache stay warm from block to block.
class Runner {
public:
    Runner() {
        executor::Options options;
        options.on_block = [this](const executor::BlockReport& report) { timing_ = report.timing; };
        executor_ = executor::make_serial_executor(std::move(options));
    }

    /// @return seconds of execution, sender recovery included where it was done.
    double run(const node::Witness& witness, bool recover_senders) {
        const node::KnownHashes hashes(witness.block_hashes);
        executor_->start({.config = mainnet_config(),
                          .state = witness.state,
                          .block_hashes = hashes,
                          .sink = sink_},
                         {});
        executor::OrderedBlock block = node::make_ordered_block(witness);
        if (recover_senders)
            for (Transaction& tx : block.transactions)
                tx.sender.reset();
        HEDDLE_ASSERT(executor::run(*executor_, std::move(block)).has_value());
        HEDDLE_ASSERT(executor_->drain().has_value());
        return static_cast<double>(timing_.execution_ns + timing_.recovery_ns) / 1e9;
    }

private:
    node::DiscardingSink sink_;
    executor::Timing timing_;
    std::unique_ptr<executor::Executor> executor_;
};

using Witnesses = std::vector<node::Witness>;

Witnesses load_all(const std::filesystem::path& folder) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    std::ranges::sort(files);
    node::JsonParser parser;
    Witnesses witnesses;
    for (const std::string& file : files)
        witnesses.push_back(node::load_witness(parser, file));
    return witnesses;
}

void run_blocks(benchmark::State& bench, const Witnesses& witnesses, std::size_t first,
                std::size_t count, bool recover_senders) {
    Runner runner;
    double gas = 0;
    for (std::size_t i = first; i < first + count; ++i) {
        runner.run(witnesses[i], recover_senders);
        gas += static_cast<double>(witnesses[i].block.header.gas_used);
    }
    double seconds = 0;
    for (auto _ : bench) {
        double iteration = 0;
        for (std::size_t i = first; i < first + count; ++i)
            iteration += runner.run(witnesses[i], recover_senders);
        bench.SetIterationTime(iteration);
        seconds += iteration;
    }
    bench.counters["gas/s"] = gas * static_cast<double>(bench.iterations()) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    const auto folder = heddle::test::fixture_archive("mainnet");
    if (!folder) {
        std::printf("%s\n", heddle::test::missing_fixture_message("mainnet").c_str());
        return 0;
    }
    static const Witnesses witnesses = load_all(*folder);
    const auto add = [](const std::string& name, std::size_t first, std::size_t count,
                        bool recover_senders) {
        benchmark::RegisterBenchmark(name.c_str(), run_blocks, std::cref(witnesses), first, count,
                                     recover_senders)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
    };
    add("all/senders_known", 0, witnesses.size(), false);
    add("all/senders_recovered", 0, witnesses.size(), true);
    for (std::size_t i = 0; i < witnesses.size(); ++i)
        add("block/" + std::to_string(witnesses[i].block.header.number), i, 1, false);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
