// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/chains.hpp"

#include <algorithm>
#include <utility>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <types/assert.hpp>
#include <types/block_error.hpp>
#include <types/transaction_error.hpp>
#include <workload/generator.hpp>
#include <workload/native_contracts.hpp>
#include <workload/world.hpp>

#include "benchmark/flat_sink.hpp"
#include "benchmark/native_cache.hpp"
#include "building/chain_maker.hpp"
#include "formats/witness_file.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

constexpr std::uint64_t kUsualGasLimit = 60'000'000;
constexpr std::uint64_t kMostTransactionGas = 16'777'216;  // EIP-7825
constexpr std::uint64_t kSecondsPerBlock = 12;

Block make_block(ChainMaker& maker, workload::ScenarioSource& source, const Address& beneficiary,
                 std::uint32_t count) {
    BlockPlan plan;
    plan.timestamp = workload::kGenesisTimestamp + kSecondsPerBlock * (maker.head().number + 1);
    plan.beneficiary = beneficiary;
    if (auto begun = maker.begin_block(std::move(plan)); !begun)
        fail_input("{}", to_string(begun.error()));
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto added = maker.add(source.next(maker.base_fee_per_gas(), maker.blobs_left()));
        if (!added)
            fail_input("block {}, transaction {}: {}; ask for fewer or shorter transactions",
                       maker.head().number + 1, i, to_string(added.error()));
    }
    auto sealed = maker.seal();
    if (!sealed) fail_input("{}; ask for fewer transactions per block", to_string(sealed.error()));
    return *std::move(sealed);
}

/// What the serial executor records.
void record_knowledge(Chain& chain) {
    executor::Options options;
    options.record_sets = true;
    options.make_access_lists = true;
    options.code_cache = make_code_cache(workload::native_contracts());
    const auto executor = executor::make_serial_executor(std::move(options));
    ledger::MemoryState state = make_state(chain.genesis);
    FlatSink sink(state);
    const KnownHashes hashes(chain.hashes);
    executor->start(
        {.config = chain.genesis.config, .state = state, .block_hashes = hashes, .sink = sink},
        executor::make_chain_head(chain.first));
    for (const Block& block : chain.blocks)
        HEDDLE_ASSERT(executor::run(*executor, executor::make_ordered_block(block)).has_value());
    HEDDLE_ASSERT(executor->drain().has_value());
    chain.object_sets = sink.take_object_sets();
    chain.access_lists = sink.take_access_lists();
}

}  // namespace

std::size_t Chain::transaction_count() const {
    std::size_t count = 0;
    for (const Block& block : blocks)
        count += block.transactions.size();
    return count;
}

Chain make_chain(const workload::ScenarioChoice& scenario, const ChainPlan& plan) {
    const std::uint64_t total = plan.blocks * std::uint64_t{plan.transactions};
    if (total == 0 || total > workload::kMaxScenarioTransactions)
        fail_input("{} transactions in all: a benchmark takes 1 to {}", total,
                   workload::kMaxScenarioTransactions);
    const auto source =
        workload::make_scenario(scenario, {.seed = plan.seed,
                                           .revision = plan.revision,
                                           .transactions = static_cast<std::uint32_t>(total)});
    workload::Options options;
    options.seed = plan.seed;
    options.revision = plan.revision;
    // Blocks fill at most half of it, so that the base fee never rises (EIP-1559); the last
    // transaction's limit has to fit as well.
    const std::uint64_t gas_limit =
        std::max(kUsualGasLimit * workload::gas_factor(plan.revision),
                 2 * source->average_gas() * plan.transactions + kMostTransactionGas);

    Chain chain;
    chain.name = scenario.to_text();
    chain.genesis = workload::make_genesis(source->take_alloc(), options, gas_limit);
    ChainMaker maker(chain.genesis, make_code_cache(workload::native_contracts()));
    chain.first = maker.head();
    chain.hashes[chain.first.number] = maker.head_hash();
    const std::vector<Address> beneficiaries = source->beneficiaries();
    for (std::size_t i = 0; i < plan.blocks; ++i) {
        chain.blocks.push_back(
            make_block(maker, *source, beneficiaries[i % beneficiaries.size()], plan.transactions));
        chain.hashes[maker.head().number] = maker.head_hash();
    }
    record_knowledge(chain);
    return chain;
}

}  // namespace heddle::node::benchmark
