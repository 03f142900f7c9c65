// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What deterministic reordering gains where the order is free (Aria §5, figure 11): the same
// candidates are put into a block with it and without it, in turn in one run.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <executor/block_building.hpp>
#include <measure/statistics.hpp>
#include <types/assert.hpp>
#include <vm/block.hpp>
#include <workload/native_contracts.hpp>
#include <workload/scenario.hpp>

#include "arguments.hpp"
#include "benchmark/chains.hpp"
#include "benchmark/flat_sink.hpp"
#include "benchmark/native_cache.hpp"
#include "formats/witness_file.hpp"
#include "machine.hpp"
#include "table.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;

/// For --help.
constexpr const char* kPurpose =
    "What deterministic reordering gains where the order is free (Aria §5, figure 11): the "
    "same candidates put into a block with it and without it, in turn.";

/// The transactions of a block as they come.
class Listed final : public executor::CandidateSource {
public:
    explicit Listed(const std::vector<Transaction>& transactions) : transactions_(transactions) {}
    [[nodiscard]] std::optional<executor::Candidate> next() override {
        if (next_ == transactions_.size()) return std::nullopt;
        return executor::Candidate{&transactions_[next_++], 1};
    }
    void skip_sender() override {}  // each has a sender of its own

private:
    const std::vector<Transaction>& transactions_;
    std::size_t next_ = 0;
};

struct Lane {
    const char* name = "";
    executor::BuildOptions options = {};
    std::vector<double> ms = {};
    executor::BuildStats stats = {};
};

/// Chooses all transactions of the chain's only block, by a builder that has learned nothing yet:
/// it soon runs those to a busy contract one after the other.
void run(const node::benchmark::Chain& chain, const executor::BuildWorld& world, Lane& lane) {
    const Block& block = chain.blocks.front();
    const BlockEnv env = vm::make_block_env(block.header, chain.genesis.config, true);
    const auto building = executor::make_block_building(world, lane.options);
    HEDDLE_ASSERT(
        building->begin({.header = block.header, .env = env, .withdrawals = {}}).has_value());
    Listed candidates(block.transactions);
    const std::uint64_t start = now_ns();
    const executor::Selection selection =
        building->select(candidates, {.max_bytes = block.transactions.size()});
    lane.ms.push_back(static_cast<double>(now_ns() - start) / 1e6);
    HEDDLE_ASSERT(selection.chosen.size() == block.transactions.size());
    lane.stats = selection.stats;  // the same each time
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    const auto txs = static_cast<std::uint32_t>(arguments.number("txs", 1'000, "candidates"));
    const auto batch =
        static_cast<std::uint32_t>(arguments.number("batch", 1'000, "transactions of a batch"));
    const auto workers = static_cast<unsigned>(arguments.number("workers", 2, "threads"));
    const std::uint64_t repetitions =
        arguments.number("repetitions", 25, "runs of each, of which the median counts");
    const std::string workload =
        arguments.text("workload", "ycsb:records=50000,native=1",
                       "what candidates are made of, as for `heddle bench --workload`");
    const auto skews = arguments.texts("skews", {"0", "0.6", "0.8", "0.9", "0.99", "0.999"},
                                       "skews of the workload");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    Tables tables;
    Table& table = tables.add("blocks out of candidates, time without reordering over own",
                              {{"skew"},
                               {"reordering"},
                               {"ms", 2},
                               {"ratio", 2},
                               {"aborted_%", 1},
                               {"reordered_%", 1},
                               {"in_order_%", 1}});
    for (const std::string& skew : skews) {
        const auto scenario = workload::parse_scenario(workload + ",skew=" + skew);
        HEDDLE_ASSERT(scenario.has_value());
        const node::benchmark::Chain chain =
            node::benchmark::make_chain(*scenario, {.blocks = 1, .transactions = txs});
        const ledger::MemoryState state = node::benchmark::make_state(chain.genesis);
        const node::KnownHashes hashes(chain.hashes);
        std::array<Lane, 2> lanes{Lane{"off"}, Lane{"on"}};
        for (Lane& lane : lanes) {
            lane.options.executor.code_cache =
                node::benchmark::make_code_cache(workload::native_contracts());
            lane.options.executor.parallel.workers = workers;
            lane.options.batch = batch;
            lane.options.reorders = &lane == &lanes[1];
        }
        const executor::BuildWorld world{chain.genesis.config, state, hashes};
        for (std::uint64_t i = 0; i <= repetitions; ++i)
            for (std::size_t turn = 0; turn < lanes.size(); ++turn)
                run(chain, world, lanes[(turn + i) % lanes.size()]);
        const auto percent = [txs](std::uint64_t count) {
            return 100 * static_cast<double>(count) / txs;
        };
        for (Lane& lane : lanes)
            lane.ms.erase(lane.ms.begin());  // the first run warms up
        const double without = measure::median(lanes[0].ms);
        for (const Lane& lane : lanes) {
            const double ms = measure::median(lane.ms);
            table.add({skew, lane.name, ms, without / ms, percent(lane.stats.aborted),
                       percent(lane.stats.reordered), percent(lane.stats.in_order)});
        }
    }
    tables.write_json(json);
    return 0;
}
