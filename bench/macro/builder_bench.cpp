// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What putting a proposal together costs: the same pool on the same head, by the serial builder and
// by the parallel one, in turn in one run. What they give is compared: fees, gas, and how much of
// the block the longest chain of dependences takes. bench/README.md has the method.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <consensus_adapter/block_rules.hpp>
#include <executor/block_graph.hpp>
#include <measure/list_scheduler.hpp>
#include <measure/statistics.hpp>
#include <types/assert.hpp>
#include <vm/validate.hpp>
#include <workload/generator.hpp>

#include "arguments.hpp"
#include "block_ledger.hpp"
#include "building/block_builder.hpp"
#include "building/chain_application.hpp"
#include "machine.hpp"
#include "table.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::measure;
using consensus_adapter::BlockPlan;
using consensus_adapter::Proposal;
namespace fs = std::filesystem;

/// For --help.
constexpr const char* kPurpose =
    "What putting a proposal together costs: the same pool on the same head, by the serial "
    "builder and by the parallel one, in turn.";

struct Plan {
    // With more full blocks the base fee outgrows what waits in the pool.
    std::uint64_t blocks = 12;
    std::uint64_t warm_up = 2;
    std::uint64_t pool = 5'000;
    std::uint64_t gas_limit = 60'000'000;
    unsigned workers = 2;
    workload::Options workload;
};

constexpr unsigned kModelledCores = 8;

/// What a proposal is worth.
struct Worth {
    double fees = 0;  // to the proposer, in ether
    double gas = 0;
    double critical_share = 0;  // of the gas, on the longest chain of dependences
    double modelled = 0;        // times as fast on kModelledCores as on one, by gas
};

struct Lane {
    const char* name = "";
    std::unique_ptr<node::ChainApplication> application;
    std::vector<double> cold;  // milliseconds, where it was the first on this head
    std::vector<double> warm;  // where it was the second
    std::vector<Worth> worths = {};
};

class Proposer {
public:
    Proposer(const fs::path& folder, const Genesis& genesis, const Plan& plan)
        : plan_(plan),
          ledger_(make_block_ledger(folder, genesis)),
          chain_(*ledger_, genesis.config, sync_each_block()),
          mempool_({}, chain_) {
        add_lane("serial", node::Builder::serial);
        add_lane("aria", node::Builder::aria);
    }

    /// Fills the pool, has each lane propose, and commits what the first one proposed.
    void run_block(workload::Generator& generator, std::uint64_t number) {
        fill_pool(generator);
        const BlockPlan plan = next_plan(number);
        std::vector<Proposal> proposals(lanes_.size());
        for (std::size_t turn = 0; turn < lanes_.size(); ++turn) {
            // The one that goes first changes from block to block. It finds the ledger's caches as
            // the last block has left them, the other one as the first.
            const std::size_t i = (turn + number) % lanes_.size();
            const std::uint64_t start = now_ns();
            auto proposal = lanes_[i].application->prepare(plan);
            const std::uint64_t end = now_ns();
            HEDDLE_ASSERT(proposal.has_value());
            proposals[i] = *std::move(proposal);
            if (number > plan_.warm_up)
                (turn == 0 ? lanes_[i].cold : lanes_[i].warm)
                    .push_back(static_cast<double>(end - start) / 1e6);
        }
        for (std::size_t i = 0; i < lanes_.size() && number > plan_.warm_up; ++i)
            lanes_[i].worths.push_back(worth_of(proposals[i], plan));
        commit(plan, std::move(proposals.front()));
    }
    [[nodiscard]] const std::vector<Lane>& lanes() const noexcept { return lanes_; }

private:
    void add_lane(const char* name, node::Builder builder) {
        node::ChainApplicationOptions options;
        options.scheduler = executor::kSerialScheduler;
        options.executor.parallel.workers = plan_.workers;
        options.builder = builder;
        lanes_.push_back(
            {name,
             std::make_unique<node::ChainApplication>(chain_, mempool_, std::move(options)),
             {},
             {}});
    }
    void fill_pool(workload::Generator& generator) {
        const ledger::StoredHeader head = chain_.head();
        const Uint256 base_fee =
            chain_.env_of_next(chain_.next_header(head, head.header.timestamp + 2), head)
                .base_fee_per_gas;
        while (mempool_.status().pending + mempool_.status().queued < plan_.pool) {
            Bytes encoded;
            encode_transaction(generator.next(base_fee, 0), encoded);
            (void)mempool_.add(encoded, node::Origin::submitted);
        }
    }
    [[nodiscard]] BlockPlan next_plan(std::uint64_t number) const {
        BlockPlan plan;
        plan.timestamp = workload::kGenesisTimestamp + 2 * number;
        plan.beneficiary = address_from_low64(0xfee);
        plan.gas_limit = plan_.gas_limit;
        return plan;
    }
    [[nodiscard]] Worth worth_of(const Proposal& proposal, const BlockPlan& plan) {
        const ledger::StoredHeader head = chain_.head();
        BlockHeader header = chain_.next_header(head, plan.timestamp);
        header.beneficiary = plan.beneficiary;
        header.gas_limit = plan.gas_limit;
        const BlockEnv env = chain_.env_of_next(header, head);
        node::BlockBuilder builder{chain_.config(), chain_.ledger().state(), chain_.block_hashes()};
        HEDDLE_ASSERT(builder.begin(std::move(header), env, {}).has_value());
        for (const Transaction& tx : proposal.transactions)
            HEDDLE_ASSERT(builder.add(tx).has_value());
        auto built = builder.finish(proposal.transactions);
        HEDDLE_ASSERT(built.has_value());
        Worth worth;
        std::vector<std::uint64_t> costs;
        std::vector<Address> senders;
        for (std::size_t i = 0; i < proposal.transactions.size(); ++i) {
            const Transaction& tx = proposal.transactions[i];
            const std::uint64_t gas = built->result.receipts[i].gas_used;
            const Uint256 tip =
                vm::effective_gas_price(tx, env.base_fee_per_gas) - env.base_fee_per_gas;
            worth.fees += static_cast<double>((tip * Uint256{gas}).low64()) / 1e18;
            costs.push_back(gas);
            senders.push_back(*tx.sender);
        }
        worth.gas = static_cast<double>(built->result.gas_used);
        const auto graph = executor::make_block_graph(proposal.object_sets, costs, senders);
        worth.critical_share =
            static_cast<double>(graph.critical_cost) / static_cast<double>(graph.total_cost);
        const Schedule modelled = schedule(graph, kModelledCores, Priority::stream_order);
        worth.modelled =
            static_cast<double>(graph.total_cost) / static_cast<double>(modelled.makespan);
        return worth;
    }
    void commit(const BlockPlan& plan, Proposal proposal) {
        consensus_adapter::OrderedBlock block;
        block.start = consensus_adapter::block_start(plan);
        block.transactions = std::move(proposal.transactions);
        block.object_sets = std::move(proposal.object_sets);
        const auto finalized = lanes_.front().application->finalize(
            std::move(block), consensus_adapter::Unexecutable::refused);
        HEDDLE_ASSERT(finalized.has_value());
        HEDDLE_ASSERT(lanes_.front().application->commit().has_value());
    }

    const Plan plan_;
    std::unique_ptr<ledger::DurableLedger> ledger_;
    node::Chain chain_;
    node::Mempool mempool_;
    std::vector<Lane> lanes_;
};

template <typename Value>
double median_of(const std::vector<Worth>& worths, Value&& value) {
    std::vector<double> values;
    for (const Worth& worth : worths)
        values.push_back(value(worth));
    return median(std::move(values));
}

void add_rows(Table& table, const char* workload, const std::vector<Lane>& lanes) {
    const Lane& first = lanes.front();
    for (const Lane& lane : lanes) {
        std::vector<double> fees;
        for (std::size_t i = 0; i < lane.worths.size(); ++i)
            fees.push_back(lane.worths[i].fees / first.worths[i].fees);
        const double cold = median(lane.cold);
        const double warm = median(lane.warm);
        table.add(
            {workload, lane.name, cold, median(first.cold) / cold, warm, median(first.warm) / warm,
             median_of(lane.worths, [](const Worth& worth) { return worth.gas / 1e6; }),
             median(std::move(fees)),
             median_of(lane.worths, [](const Worth& worth) { return 100 * worth.critical_share; }),
             median_of(lane.worths, [](const Worth& worth) { return worth.modelled; })});
    }
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    Plan plan;
    plan.blocks = arguments.number("blocks", plan.blocks, "blocks that are measured");
    plan.warm_up = arguments.number("warm-up", plan.warm_up, "blocks before them");
    plan.pool = arguments.number("pool", plan.pool, "transactions in the pool");
    plan.gas_limit = arguments.number("gas", plan.gas_limit, "gas limit of a block");
    plan.workers = static_cast<unsigned>(
        arguments.number("workers", plan.workers, "threads of the parallel builder"));
    plan.workload.accounts =
        static_cast<std::uint32_t>(arguments.number("accounts", 10'000, "senders"));
    plan.workload.seed =
        arguments.number("seed", plan.workload.seed, "what transactions follow from");
    const std::string directory = arguments.text(
        "directory", "", "where the ledger lies; without it among the temporary files");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    Tables tables;
    Table& table = tables.add("proposals out of one pool, time of the serial builder over own",
                              {{"workload"},
                               {"builder"},
                               {"cold_ms", 2},
                               {"ratio", 2},
                               {"warm_ms", 2},
                               {"ratio", 2},
                               {"Mgas", 1},
                               {"fees", 4},
                               {"critical_%", 1},
                               {"modelled_8", 2}});
    for (const workload::Workload kind : {workload::Workload::mixed, workload::Workload::transfers,
                                          workload::Workload::erc20, workload::Workload::swaps}) {
        const test::TemporaryFolder folder{directory};
        plan.workload.workload = kind;
        workload::Generator generator{plan.workload};
        const Genesis genesis =
            workload::make_genesis(generator.take_alloc(), plan.workload, plan.gas_limit);
        Proposer proposer{folder.path() / "ledger", genesis, plan};
        for (std::uint64_t number = 1; number <= plan.warm_up + plan.blocks; ++number)
            proposer.run_block(generator, number);
        add_rows(table, std::string{to_string(kind)}.c_str(), proposer.lanes());
    }
    tables.write_json(json);
    return 0;
}
